// Loops over points and the rows of their places, for gradients that select.
#pragma once

#include <cstddef>
#include <cstdint>

#include "strew/dtype.h"

namespace strew::internal {

// Points [first, first + points), each with the number of its place; a negative one is skipped.
// All arrays are aligned to their elements, and there is at least one place.
struct PickBlock {
  const std::int64_t* places;
  std::int64_t first, points;
  std::int64_t row;  // elements
};

// last[place] = the number of the point, counted from 1, in order, for places in [low, high)
void note_last(const PickBlock& block, std::int32_t* last, std::int64_t low, std::int64_t high);

// to[point] = from[place] if the point is the last of its place, else 0, with rows of elements of `bytes` bytes
void pick_last(const PickBlock& block, const std::int32_t* last, const std::byte* from, std::byte* to, std::int64_t bytes);

// counts[place] += whether values[point] equals result[place], for the elements [begin, end) of rows and places in [low, high). Returns
// whether a NaN was found.
struct TieBlock {
  PickBlock points;
  const std::byte* values;  // of point 0
  const std::byte* results;
  std::int32_t* counts;
  std::int64_t begin, end, low, high;
};
using CountTies = bool (*)(const TieBlock& block);
CountTies count_ties_kernel(Dtype dtype);

// to[point] = parts[place] if values[point] equals result[place], else 0
using PickTies = void (*)(const PickBlock& block, const std::byte* values, const std::byte* results, const std::byte* parts, std::byte* to);
PickTies pick_ties_kernel(Dtype dtype);

}  // namespace strew::internal
