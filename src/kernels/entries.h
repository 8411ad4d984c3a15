// Sorted updates: each is an entry of its place, in 32 bits, and its row. Loops for the commonest ones; strategies/partition.cpp
// does the others in two steps.
#pragma once

#include <cstddef>
#include <cstdint>

#include "strew/op.h"

namespace strew::internal {

inline constexpr std::int64_t entry_offset_bytes = 4;
inline constexpr std::int64_t slot_bytes = 512;  // entries leave in slots of whole cache lines

// Puts update i into the open slot of the part that holds place unit = index[i] * stride + origin; part = unit >> part_shift.
// `close` is called for a slot that is full.
struct SortRun {
  const std::byte* index;
  std::int64_t index_step;
  std::int64_t extent;
  std::int64_t stride, origin;  // in units
  const std::byte* stream;
  std::int64_t stream_step;
  std::int64_t count;
  int part_shift;
  std::byte* open;              // a slot for each part
  std::uint32_t* filled;        // where in `open` the next entry of each goes
  void (*close)(void* context, std::int64_t part);
  void* context;
};

// Stops at a bad index and returns false.
using SortKernel = bool (*)(const SortRun& run);
// For rows of 4 and 8 bytes; null where there is none.
SortKernel sort_kernel(Dtype index, Negative negative, std::int64_t row_bytes);

// Copies a slot past the caches: it is read again only after everything else was sorted. Both sides are aligned to 64 bytes.
void stream_slot(std::byte* to, const std::byte* from);
// What was streamed is seen by other threads after this.
void end_streaming();

// place[unit(i)] = step(place[unit(i)], row(i)) for entries in full slots, the last one perhaps not, in order. `place` is that of unit 0;
// a unit is 2^unit bytes.
struct EntryRun {
  std::byte* addressed;
  const std::byte* slots;
  std::int64_t count;
  int unit;
  bool far;  // places are not in a cache yet
};
using EntryKernel = void (*)(const EntryRun& run);
// For single elements of 4 and 8 bytes; null where there is none. Elements that are counted have their count beside them, of the same size.
EntryKernel entry_kernel(Reduction reduction, FoldCompare compare, Dtype dtype, bool counted);

}  // namespace strew::internal
