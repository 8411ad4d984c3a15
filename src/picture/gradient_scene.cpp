// The scene of the gradient of a scatter: the cotangent of each place flows back to the updates that count there.
#include <cstring>

#include "picture/elements.h"
#include "picture/sketch.h"
#include "strew/gradient.h"

namespace strew::internal {
namespace {

bool is_zero(const Tensor& zeros, const std::byte* element) {
  return std::memcmp(element, zeros.data(), static_cast<std::size_t>(size_of(zeros.dtype()))) == 0;
}

std::string text_at(const Tensor& tensor, const Dims& position) {
  return element_text(tensor.dtype(), element_at(ConstTensorRef(tensor), position), cell_width);
}

}  // namespace

Scene gradient_scene_of(const ScatterOp& described, const ConstTensorRef& cotangent) {
  ScatterOp op = described;
  Scene scene;
  scene.gathers = true;
  ScatterGradient gradient;
  scene.error = index_error_of([&] { gradient = vjp(op, cotangent); });
  Dims shape = op.where.points;
  shape.append(op.where.row);
  const Tensor& of_updates = gradient.updates ? *gradient.updates : gradient.updates.emplace(Tensor::zeros(op.out.dtype, shape));
  ConstTensorRef flowing = cotangent;
  promote_rank_zero(flowing, op.where);
  promote_rank_zero(op);
  scene.op = cat("gradient of ", shown_name(op.name.op));
  scene.summary = "Each update gets its share of the gradient of the place that it went to. Updates that did not count get zero.";
  scene.addressed.name = "gradient of the result";
  scene.addressed.type = type_text(flowing.dtype, flowing.shape);
  scene.stream.name = cat("gradient of ", shown_name(op.name.updates));
  scene.stream.type = type_text(of_updates.dtype(), of_updates.shape());

  Sketch sketch(scene, op.where, op.out.shape);
  sketch.link();
  sketch.link_places();
  const Tensor zero = Tensor::zeros(of_updates.dtype(), {1});
  sketch.each_stream_cell([&](std::int64_t slice, std::int64_t row, std::int64_t column) {
    const auto [point, in_row] = sketch.split(scene.stream.window.position(slice, row, column));
    const std::int64_t number = sketch.link_number(point);
    Link& link = scene.links[static_cast<std::size_t>(number)];
    Dims position = point;
    position.append(in_row);
    const bool got = !is_zero(zero, element_at(ConstTensorRef(of_updates), position));
    if (link.state == Link::applied && !got) link.state = Link::overwritten;
    if (link.state == Link::overwritten && got) link.state = Link::applied;  // another element of the row counts
    scene.stream.cells.push_back({scene.error ? std::string("?") : text_at(of_updates, position), {}, link.place, number});
  });
  each_cell(scene.addressed.window, [&](std::int64_t slice, std::int64_t row, std::int64_t column) {
    const Dims position = scene.addressed.window.position(slice, row, column);
    scene.addressed.cells.push_back({element_text(flowing.dtype, element_at(flowing, position), cell_width), {}, -1, -1});
  });
  sketch.mark_places();
  return scene;
}

}  // namespace strew::internal
