// Lists of the updates whose places one owner has, as 32-bit offsets and rows, and the steps of a list. Loops for common updates;
// strategies/exchange.cpp handles the others.
#pragma once

#include <cstddef>
#include <cstdint>

#include "strew/op.h"

namespace strew::internal {

inline constexpr int page_shift = 12;  // all places of a page have one owner, which avoids false sharing
inline constexpr std::uint32_t owner_mix = 0x9E3779B1u;

// The owner of a place, in [0, owners). Rows with different offsets have no element in common, so one owner has all updates of an element.
inline std::int64_t owner_of(std::int64_t offset, std::int64_t owners) {
  const std::uint32_t mixed = static_cast<std::uint32_t>(offset >> page_shift) * owner_mix;
  return static_cast<std::int64_t>(mixed * static_cast<std::uint64_t>(owners) >> 32);
}

// Appends update i to a list if `owner`, one of `owners`, has its place index[i] * stride + origin.
struct PickRun {
  const std::byte* index;
  std::int64_t index_stride;
  std::int64_t extent;  // fits the index type
  std::int64_t stride, origin;  // bytes
  const std::byte* stream;
  std::int64_t stream_stride;
  std::int64_t count;
  std::int64_t owner, owners;  // two or more
  std::uint32_t* offsets;  // the end of the list, with room for count + list_slack
  std::byte* rows;
  std::int64_t listed = 0;  // number of updates appended
};
inline constexpr std::int64_t list_slack = 64;  // updates: whole vectors are stored

// Returns false if an index is bad; the list is invalid then. Validated offsets may be passed as indices with any extent: the result is
// then meaningless.
using PickKernel = bool (*)(PickRun& run);
// For rows of 4 and 8 bytes and common index types; null for others.
PickKernel pick_kernel(Dtype index, Negative negative, std::int64_t row_bytes);

// Lists the points of a run whose place `owner` has: their offsets, and the offsets of their updates. Skipped points are not listed.
struct OwnRun {
  const std::int64_t* offsets;
  std::int64_t count;
  std::int64_t stream, stream_stride;  // offset of the first update, and between updates
  std::int64_t owner, owners;
  std::int64_t *own_offsets, *own_streams;  // room for `count`
};
// Returns the number of listed points.
using OwnKernel = std::int64_t (*)(const OwnRun& run);
OwnKernel own_kernel();

// addressed[offset(i)] = step(addressed[offset(i)], row(i))    for i < count, single elements in the order of the list
struct ListRun {
  std::byte* addressed;
  const std::uint32_t* offsets;
  const std::byte* rows;
  std::int64_t count;
  std::int64_t known;  // length of the list, >= count: later entries are prefetched too
  bool is_far;  // the places are not cached, so they are prefetched
};
inline constexpr std::int64_t prefetch_group = 8;  // steps, and prefetched places, per loop iteration
using ListKernel = void (*)(const ListRun& run);
// For single elements of common types; null for others. With `counted`, each element is followed by its count, of the same size.
ListKernel list_kernel(Reduction reduction, FoldCompare compare, Dtype dtype, bool counted);

}  // namespace strew::internal
