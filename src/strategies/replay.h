// Scatters whose indices are known: what a plan keeps of them, in one of several layouts, and how it is applied.
//
// Points are known by their number in row-major order, and so are places: the rows that a point can choose. Strides are those of
// each call.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "base/checked.h"
#include "strategies/lattice.h"
#include "strategies/strategy.h"

namespace strew::internal {

// Where the points and the places of a job lie, in its stream and in its place, and the kernel that moves updates.
struct Numbering {
  Lattice points;
  Lattice places;
  RowKernel move = nullptr;
};

// The place of each point, as numbers of four or of eight bytes: one of the two is null.
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
  // Steps all updates of a job that has a numbering. Const and reentrant.
  virtual void run(const Job& job) const = 0;
  // Whether it begins and finishes the fold of a job by itself, without memory; otherwise it steps into accumulators.
  [[nodiscard]] virtual bool folds(const Job&) const { return false; }
  [[nodiscard]] virtual std::int64_t bytes() const = 0;
  // Of them, room for updates on their way, which says nothing about the indices.
  [[nodiscard]] virtual std::int64_t scratch() const { return 0; }
  // Updates that are applied: not those left out, nor those that another one surely replaces.
  [[nodiscard]] virtual std::int64_t kept() const = 0;
  // Writes the place of each of them to the list, at its point.
  virtual void list_places(const PlaceList& list) const = 0;
};

// What decides between layouts.
struct ReplayFacts {
  std::int64_t points = 0;
  std::int64_t places = 0;
  std::int64_t row_count = 0;
  std::int64_t stream_bytes = 0;  // of an element of the updates; 0 for strings, which cannot be moved as bytes
  std::int64_t addressed_bytes = 0;   // of an element of the memory that is stepped
  bool last_only = false;         // only the last update of a place counts
  bool forced = false;            // the layout was asked for by name: whether it pays is no question
  std::int64_t threads = 1;
  bool has_loop = false;          // single elements of a line are stepped in order by one loop
  bool stays_near = false;        // places of points that follow each other are close
  std::int64_t block_points = 0;

  // Of a row of the updates, and of one in the memory that is stepped. A repeated row may be of any size.
  [[nodiscard]] std::int64_t stream_row() const { return saturating_mul(row_count, stream_bytes); }
  [[nodiscard]] std::int64_t place_row() const { return saturating_mul(row_count, addressed_bytes); }
};

struct Layout {
  std::string_view name;
  std::string_view summary;
  // Whether it can hold these indices; if not, `why` says so in a few words.
  bool (*accepts)(const ReplayFacts& facts, std::string_view& why);
  // From a job whose offsets are the numbers of places. Null when an index is bad.
  std::unique_ptr<const Replay> (*build)(const Job& numbered, const ReplayFacts& facts);
};

// In the order they are asked. The last one takes everything.
std::span<const Layout* const> layouts();

// Runs a job from its plan.
extern const Strategy replaying;

}  // namespace strew::internal
