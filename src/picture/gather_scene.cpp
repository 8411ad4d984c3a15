// The scene of a gather: the elements of the result are read where the drawn points lead.
#include "picture/elements.h"
#include "picture/sketch.h"

namespace strew::internal {

Scene scene_of(const GatherOp& described) {
  GatherOp op = described;
  check_form(op, false);
  Scene scene;
  scene.gathers = true;
  scene.error = index_error(op);
  promote_rank_zero(op.from, op.where);
  scene.op = shown_name(op.name.op);
  scene.summary = "Each element of the result is read where its index points.";
  if (op.where.out_of_range == OutOfRange::skip) append(scene.summary, " An index out of range reads zero.");
  scene.addressed.name = shown_name(op.name.input);
  scene.addressed.type = type_text(op.from.dtype, op.from.shape);
  scene.stream.name = "result";
  scene.stream.type = type_text(op.out.dtype, op.out.shape);
  Sketch sketch(scene, op.where, op.from.shape);
  sketch.link();
  sketch.link_places();
  const Tensor zero = Tensor::zeros(op.from.dtype, {1});
  sketch.each_stream_cell([&](std::int64_t slice, std::int64_t row, std::int64_t column) {
    const auto [point, in_row] = sketch.split(scene.stream.window.position(slice, row, column));
    const Link& link = sketch.link_at(point);
    const bool reads = link.state == Link::applied || link.state == Link::not_drawn;
    const void* const element = reads ? element_at(op.from, sketch.target_of(link.target, in_row)) : zero.data();
    scene.stream.cells.push_back(
        {scene.error ? std::string("?") : element_text(op.from.dtype, element, cell_width), {}, link.place, sketch.link_number(point)});
  });
  const Window& window = scene.addressed.window;
  each_cell(window, [&](std::int64_t slice, std::int64_t row, std::int64_t column) {
    scene.addressed.cells.push_back(
        {element_text(op.from.dtype, element_at(op.from, window.position(slice, row, column)), cell_width), {}, -1, -1});
  });
  sketch.mark_places();
  return scene;
}

}  // namespace strew::internal
