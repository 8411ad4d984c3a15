// Runs a scatter in pieces, cut at random.
#pragma once

#include <cstdint>

#include "strew/pieces.h"

namespace strew::harness {

// The points [begin, end) of an op along a dimension that no axis follows.
[[nodiscard]] ScatterOp part_of(const ScatterOp& op, std::size_t dimension, std::int64_t begin, std::int64_t end);

// The first dimension of the points that no axis follows: the updates of an element differ in it, or in later ones. points.size() if there
// is none.
[[nodiscard]] std::size_t dimension_to_cut(const Addressing& where);

// Runs an op in 1 to 50 pieces, some of them empty, by a seed. A piece whose points a forced strategy declines is stepped without it.
void run_in_pieces(const ScatterOp& op, std::uint64_t seed, const RunOptions& options);

}  // namespace strew::harness
