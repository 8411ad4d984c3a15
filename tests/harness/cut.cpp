// Cuts the points of an op into consecutive parts.
#include "harness/cut.h"

#include <algorithm>
#include <vector>

#include "harness/choices.h"

namespace strew::harness {
namespace {

const void* moved(const void* data, std::int64_t elements, Dtype dtype) {
  return data == nullptr ? nullptr : static_cast<const std::byte*>(data) + elements * size_of(dtype);
}

void narrow(ConstTensorRef& view, std::size_t dimension, std::int64_t begin, std::int64_t end) {
  if (begin < end) view.data = moved(view.data, begin * view.strides[dimension], view.dtype);
  view.shape[dimension] = end - begin;
}

bool is_declined(const Error& error) {
  return error.code() == ErrorCode::argument && std::string_view(error.what()).find("\" declined: ") != std::string_view::npos;
}

}  // namespace

ScatterOp part_of(const ScatterOp& op, std::size_t dimension, std::int64_t begin, std::int64_t end) {
  ScatterOp part = op;
  part.where.points[dimension] = end - begin;
  for (ConstTensorRef& column : part.where.columns) narrow(column, dimension, begin, end);
  if (!part.scalar) narrow(part.updates, dimension, begin, end);
  return part;
}

std::size_t dimension_to_cut(const Addressing& where) {
  std::size_t dimension = 0;
  const auto follows = [&](const Axis& axis) { return axis.from == Axis::point && axis.at == dimension; };
  while (dimension < where.points.size() && std::any_of(where.axes.begin(), where.axes.end(), follows)) ++dimension;
  return dimension;
}

void run_in_pieces(const ScatterOp& op, std::uint64_t seed, const RunOptions& options) {
  SeededChoices choices(seed);
  const auto step = [&](Pieces& pieces, const ScatterOp& piece) {
    try {
      pieces.step(piece, options);
    } catch (const Error& error) {
      if (!is_declined(error)) throw;
      RunOptions chosen = options;
      chosen.strategy = {};
      pieces.step(piece, chosen);
    }
  };
  Pieces pieces(op, options);
  const std::size_t dimension = dimension_to_cut(op.where);
  if (dimension == op.where.points.size()) {
    step(pieces, op);
  } else {
    std::vector<std::int64_t> borders{0, op.where.points[dimension]};
    for (std::int64_t more = choices.between(0, 49); more > 0; --more) borders.push_back(choices.between(0, op.where.points[dimension]));
    std::sort(borders.begin(), borders.end());
    for (std::size_t i = 1; i < borders.size(); ++i) {
      ScatterOp piece = part_of(op, dimension, borders[i - 1], borders[i]);
      std::vector<Tensor> copies;  // indices of other strides than in the last piece
      for (ConstTensorRef& column : piece.where.columns) {
        if (choices.chance(50)) continue;
        copies.push_back(Tensor::copy_of(column));
        column = std::as_const(copies.back());
      }
      step(pieces, piece);
    }
  }
  pieces.finish(options);
}

}  // namespace strew::harness
