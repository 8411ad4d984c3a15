// The ways to run a job, in the order in which they are tried. The last one accepts every job.
#pragma once

#include <span>
#include <string_view>

#include "base/cancellation.h"
#include "strategies/job.h"

namespace strew::internal {

// The result of running a strategy.
enum class Outcome : std::uint8_t {
  done,
  bad_index,                // nothing was written
  bad_index_after_writing,  // the output may hold part of the updates
};
// For code that validates indices as it writes.
constexpr Outcome outcome_of_writing(bool all_good) { return all_good ? Outcome::done : Outcome::bad_index_after_writing; }

struct Strategy;

// The strategy that a job is delegated to, and its scratch memory. Null if an index is bad.
struct Delegate {
  const Strategy* strategy = nullptr;
  std::int64_t scratch_bytes = 0;
};

struct Strategy {
  std::string_view name;
  std::string_view summary;
  std::int64_t min_elements = 0;  // smaller jobs are declined unless the strategy was requested by name
  // Whether it can run the job; if not, sets `why` to a short reason.
  bool (*accepts)(const Job& job, std::string_view& why);
  Outcome (*run)(const Job& job);
  // Bytes that it allocates for a job it accepts, all before the first write. Null: none.
  std::int64_t (*scratch_bytes)(const Job& job) = nullptr;
  // Whether it validates every index before the first write, so that no separate pass is needed. Null: it does not.
  bool (*validates_before_writing)(const Job& job) = nullptr;
  // Whether it begins and finishes folds itself, in scratch memory that the job provides. Others step accumulators.
  bool folds = false;
  // Whether it runs on the calling thread only.
  bool single_threaded = false;
  // For explain(), which may read all indices: the strategy that it delegates to. Null: it never delegates.
  Delegate (*delegates_to)(const Job& job) = nullptr;
  // For explain(), which may read all indices: whether they confirm what accepts() inferred from a sample. Null: accepts() is final.
  bool (*confirms)(const Job& job, std::string_view& why) = nullptr;
};

inline bool always(const Job&) { return true; }

std::span<const Strategy* const> strategies();

// The best single-threaded strategy: for small jobs, and for strategies that split a job into parts.
const Strategy& best_on_one_thread(const Job& job);
// Returns false if an index is bad; the part may be half done then.
bool run_on_one_thread(const Job& part);

// Validates every index, then runs the first later strategy that accepts the job.
Outcome delegate(const Strategy& from, const Job& job);
Outcome delegate_validated(const Strategy& from, Job job);  // if every index was validated already
Delegate delegate_of(const Strategy& from, Job job);        // the strategy that it would delegate to; may read all indices

// For strategies that validate before they write: the last point at which the call may be cancelled.
inline void cancellation_point(const Job& job) {
  if (job.may_stop) cancellation_point();
}
// Validates every index, then runs on one thread: the fallback when scratch memory cannot be allocated.
Outcome run_without_scratch(const Job& job);

// Whether every index is in range, in one pass over the indices.
bool indices_in_range(const Job& job);

}  // namespace strew::internal
