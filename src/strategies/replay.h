// Plans: the indices of a scatter in one of several layouts, and how they are applied.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "base/checked.h"
#include "strategies/lattice.h"
#include "strategies/strategy.h"

namespace strew::internal {

// Maps the numbers of points and places to offsets in the job's stream and output, and the kernel that gathers updates.
struct Numbering {
  Lattice points;
  Lattice places;
  RowKernel move = nullptr;
};

// The place of each point, as 32-bit or 64-bit numbers: one of the two is null.
struct PlaceList {
  std::int32_t* narrow = nullptr;
  std::int64_t* wide = nullptr;

  void put(std::int64_t point, std::int64_t place) const {
    if (narrow != nullptr) {
      narrow[point] = static_cast<std::int32_t>(place);
    } else {
      wide[point] = place;
    }
  }
};

class Replay {
 public:
  virtual ~Replay() = default;
  // Applies all updates of a job that has a numbering. Const and reentrant.
  virtual void run(const Job& job) const = 0;
  // Whether it begins and finishes the fold of a job itself, without scratch; otherwise it steps accumulators.
  [[nodiscard]] virtual bool folds(const Job&) const { return false; }
  [[nodiscard]] virtual std::int64_t bytes() const = 0;
  // Of those, scratch for updates, which holds no information about the indices.
  [[nodiscard]] virtual std::int64_t scratch() const { return 0; }
  // Updates that are applied: neither skipped nor always replaced by a later one.
  [[nodiscard]] virtual std::int64_t kept() const = 0;
  // Writes the place of each of them to the list, at its point.
  virtual void list_places(const PlaceList& list) const = 0;
};

// The facts by which a layout is chosen.
struct ReplayFacts {
  std::int64_t points = 0;
  std::int64_t places = 0;
  std::int64_t row_count = 0;
  std::int64_t stream_bytes = 0;     // of an element of the updates; 0 for strings, which cannot be copied bytewise
  std::int64_t addressed_bytes = 0;  // of an element of the output or its accumulators
  bool last_only = false;            // only the last update of a place counts
  bool forced = false;               // the layout was requested by name: heuristics are skipped
  std::int64_t threads = 1;
  bool has_loop = false;    // there is a fused kernel for single elements of a line, in order
  bool stays_near = false;  // consecutive points have nearby places
  std::int64_t block_points = 0;

  // Bytes of a row of updates, and of one in the output or its accumulators. A broadcast row may be of any size.
  [[nodiscard]] std::int64_t stream_row() const { return saturating_mul(row_count, stream_bytes); }
  [[nodiscard]] std::int64_t place_row() const { return saturating_mul(row_count, addressed_bytes); }
};

struct Layout {
  std::string_view name;
  std::string_view summary;
  // Whether it can hold these indices; if not, sets `why` to a short reason.
  bool (*accepts)(const ReplayFacts& facts, std::string_view& why);
  // From a job whose offsets are place numbers. Null if an index is bad.
  std::unique_ptr<const Replay> (*build)(const Job& numbered, const ReplayFacts& facts);
};

// In the order in which they are tried. The last one accepts everything.
std::span<const Layout* const> layouts();

// Applies a plan to a job.
extern const Strategy replaying;

}  // namespace strew::internal
