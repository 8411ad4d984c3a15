// Updates split into lists by the thread that owns their place, and stepped from there: a list holds offsets in 32 bits, and rows.
// Loops for the commonest updates; strategies/exchange.cpp does the others.
#pragma once

#include <cstddef>
#include <cstdint>

#include "strew/op.h"

namespace strew {

// Places in the same 128 bytes have the same owner, so that threads do not pull one line back and forth.
inline constexpr int owner_shift = 7;
inline constexpr std::uint32_t owner_mix = 0x9E3779B1u;
inline constexpr std::int64_t list_slack = 64;  // updates: a vector is stored whole

// Appends update i, whose place is index[i] * stride + origin, to the list of the owner of that place: one of two.
struct SplitRun {
  const std::byte* index;
  std::int64_t index_step;
  std::int64_t extent;          // fits the type of the indices
  std::int64_t stride, origin;  // bytes
  const std::byte* stream;
  std::int64_t stream_step;
  std::int64_t count;
  std::uint32_t* offsets[2] = {};  // where the lists go on, room for `count` and list_slack in each
  std::byte* rows[2] = {};
  std::int64_t lengths[2] = {};    // how many it appended to each
};

// Returns false if an index is bad; the lists are worth nothing then.
using SplitKernel = bool (*)(SplitRun& run);
// For rows of 4 and 8 bytes; null where there is none.
SplitKernel split_kernel(Dtype index, Negative negative, std::int64_t row_bytes);

// Which of some owners has a place, the same for places in the same 2^shift bytes. Rows that begin at the same offset are the same
// elements, and others have none in common.
inline std::int64_t owner_of(std::int64_t offset, int shift, std::int64_t owners) {
  const std::uint32_t mixed = static_cast<std::uint32_t>(offset >> shift) * owner_mix;
  return static_cast<std::int64_t>(mixed * static_cast<std::uint64_t>(owners) >> 32);
}

// Of the points in a run, lists those whose place, in pages, one owner has: their offsets, and where their updates are. Points that are
// left out have none.
struct OwnRun {
  const std::int64_t* offsets;
  std::int64_t count;
  std::int64_t stream, stream_step;  // of the first update, and from one to the next
  std::int64_t owner, owners;
  std::int64_t *own_offsets, *own_streams;  // room for `count`
};
inline constexpr int page_shift = 12;
// Returns how many it listed.
using OwnKernel = std::int64_t (*)(const OwnRun& run);
OwnKernel own_kernel();

// place[offset(i)] = step(place[offset(i)], row(i)) in the order of a list of single elements.
struct ListRun {
  std::byte* place;
  const std::uint32_t* offsets;
  const std::byte* rows;
  std::int64_t count;
  bool is_far;  // no cache holds the place, so its memory is asked for ahead of time
};
using ListKernel = void (*)(const ListRun& run);
// For single elements of common types; null where there is none. Elements that are counted have their count beside them, of the same size.
ListKernel list_kernel(Reduction reduction, Compare compare, Dtype dtype, bool counted);

}  // namespace strew
