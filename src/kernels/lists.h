// Lists of the updates whose places one thread owns, and steps from there: a list holds offsets in 32 bits, and rows.
// Loops for the commonest updates; strategies/exchange.cpp does the others.
#pragma once

#include <cstddef>
#include <cstdint>

#include "strew/op.h"

namespace strew::internal {

inline constexpr int page_shift = 12;  // places in the same page have the same owner, so that threads do not pull one line back and forth
inline constexpr std::uint32_t owner_mix = 0x9E3779B1u;

// Which of some owners has a place. Rows that begin at the same offset are the same elements, and others have none in common.
inline std::int64_t owner_of(std::int64_t offset, std::int64_t owners) {
  const std::uint32_t mixed = static_cast<std::uint32_t>(offset >> page_shift) * owner_mix;
  return static_cast<std::int64_t>(mixed * static_cast<std::uint64_t>(owners) >> 32);
}

// Appends update i, whose place is index[i] * stride + origin, to a list if one of some owners has that place.
struct PickRun {
  const std::byte* index;
  std::int64_t index_step;
  std::int64_t extent;  // fits the type of the indices
  std::int64_t stride, origin;  // bytes
  const std::byte* stream;
  std::int64_t stream_step;
  std::int64_t count;
  std::int64_t owner, owners;  // two or more
  std::uint32_t* offsets;  // where the list goes on, with room for `count` and list_slack
  std::byte* rows;
  std::int64_t listed = 0;  // how many it appended
};
inline constexpr std::int64_t list_slack = 64;  // updates: a vector is stored whole

// Returns false if an index is bad; the list is worth nothing then. Offsets that are known to be good may come as indices with any extent:
// then what it returns says nothing.
using PickKernel = bool (*)(PickRun& run);
// For rows of 4 and 8 bytes; null where there is none.
PickKernel pick_kernel(Dtype index, Negative negative, std::int64_t row_bytes);

// Of the points in a run, lists those whose place one owner has: their offsets, and where their updates are. Points that are
// left out have none.
struct OwnRun {
  const std::int64_t* offsets;
  std::int64_t count;
  std::int64_t stream, stream_step;  // of the first update, and from one to the next
  std::int64_t owner, owners;
  std::int64_t *own_offsets, *own_streams;  // room for `count`
};
// Returns how many it listed.
using OwnKernel = std::int64_t (*)(const OwnRun& run);
OwnKernel own_kernel();

// place[offset(i)] = step(place[offset(i)], row(i)) in the order of a list of single elements.
struct ListRun {
  std::byte* addressed;
  const std::uint32_t* offsets;
  const std::byte* rows;
  std::int64_t count;
  std::int64_t known;  // in the list, at least `count`: what comes after those is asked for too
  bool is_far;  // no cache holds the place, so its memory is asked for ahead of time
};
inline constexpr std::int64_t steps_together = 8;  // in a turn of the loop, for which as many places are asked for
using ListKernel = void (*)(const ListRun& run);
// For single elements of common types; null where there is none. Elements that are counted have their count beside them, of the same size.
ListKernel list_kernel(Reduction reduction, FoldCompare compare, Dtype dtype, bool counted);

}  // namespace strew::internal
