// Numbers the rows of the output that points can address, so that updates can be counted and sorted by row.
#pragma once

#include "base/checked.h"
#include "strategies/job.h"

namespace strew::internal {

// Row n is `low + n * unit` bytes from the start of the output. With irregular strides, some numbers denote no row.
struct Targets {
  std::int64_t unit = 1;
  std::int64_t low = 0;
  std::int64_t count = 1;

  [[nodiscard]] std::int64_t offset(std::int64_t number) const { return low + number * unit; }
};
Targets targets_of(const Walk& walk);

// The number of rows that the columns can address.
std::int64_t places_of(const Walk& walk);

// Why rows cannot be numbered or copied one by one; empty if they can.
std::string_view numbering_obstacle(const Job& job);

// numbers[i] = the row number of point begin + i, or `skipped`. Returns false if an index is bad.
bool number_points(const Walk& walk, const Targets& targets, std::int64_t begin, std::int64_t count, std::int64_t* numbers);

// Whether the elements of a row are contiguous (or nearly), in the output and in the updates. In other layouts rows share cache lines.
bool rows_are_dense(const Job& job);

// Whether a row of updates is contiguous.
inline bool updates_are_dense(const Job& job) {
  return job.walk.row.empty() || (job.walk.row.size() == 1 && job.walk.stream_row_strides[0] == job.stream_bytes);
}

// Whether a row of the output is contiguous.
inline bool places_are_dense(const Job& job) {
  return job.walk.row.empty() || (job.walk.row.size() == 1 && job.walk.addressed_row_strides[0] == size_of(job.step.addressed));
}

// Bytes of one row of updates.
inline std::int64_t row_bytes(const Job& job) { return saturating_mul(job.walk.row_count, job.stream_bytes); }

}  // namespace strew::internal
