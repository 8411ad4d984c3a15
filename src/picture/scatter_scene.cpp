// The scene of a scatter. The results of the drawn elements are computed by an op of their own, with the same fold.
#include <algorithm>
#include <cstring>
#include <utility>

#include "picture/elements.h"
#include "picture/formula.h"
#include "picture/sketch.h"

namespace strew::internal {
namespace {

constexpr std::int64_t most_steps = 1 << 20; // points that are read, and updates of drawn elements, for exact results
constexpr std::size_t operand_width = 12;    // in characters
constexpr std::size_t first_operands = 4;        // shown of a place, beside the last one
constexpr std::size_t operand_elements = 3;      // shown of a row

// Calls use(point) for every point in row-major order.
template <class Use>
void each_point(const Dims& points, Use use) {
  if (is_empty(points)) return;
  Dims at(points.size(), 0);
  while (use(at)) {
    std::size_t d = at.size();
    while (d > 0 && ++at[d - 1] == points[d - 1]) at[--d] = 0;
    if (d == 0) return;
  }
}

void copy_element(Tensor& to, std::int64_t at, const void* from) {
  auto* const place = static_cast<std::byte*>(to.data()) + at * size_of(to.dtype());
  if (to.dtype() == Dtype::string) {
    *reinterpret_cast<std::string*>(place) = *static_cast<const std::string*>(from);
  } else {
    std::memcpy(place, from, static_cast<std::size_t>(size_of(to.dtype())));
  }
}

// The updates of the drawn elements, in order: update `i` goes to element `slots[i]`.
struct Steps {
  std::vector<std::int64_t> slots;
  std::vector<const std::byte*> updates;
  struct Span {
    std::size_t begin, end;
  };
  // By place: the first few points, and the last one.
  std::vector<std::vector<Span>> shown;
};

class ScatterSketch {
 public:
  explicit ScatterSketch(const ScatterOp& op) : op_(op) {
    check_form(op_, std::holds_alternative<InPlace>(op_.base));
    scene_.error = index_error(op_);
    promote_rank_zero(op_);
    repeat_scalar(op_);
    if (std::holds_alternative<InPlace>(op_.base)) op_.base = ConstTensorRef(op_.out);
    scene_.op = shown_name(op_.name.op);
    scene_.summary = summary_of(op_.fold, op_.out.dtype);
    const bool from_zeros = std::holds_alternative<Zeros>(op_.base);
    scene_.addressed.name = from_zeros ? "zeros" : shown_name(op_.name.input);
    scene_.addressed.type = type_text(op_.out.dtype, op_.out.shape);
    scene_.stream.name = shown_name(op_.name.updates);
    // An op without points has a number in place of updates of any shape.
    const bool is_none = op_.scalar && is_empty(op_.where.points);
    scene_.stream.type = is_none      ? std::string(to_string(op_.out.dtype))
                         : op_.scalar ? std::string("a number")
                                      : type_text(op_.updates.dtype, op_.updates.shape);
  }

  Scene draw() {
    Sketch sketch(scene_, op_.where, op_.out.shape);
    sketch.link();
    take_base();
    if (scene_.error) sketch.link_places();
    else take_steps(sketch);
    finish(sketch);
    return std::move(scene_);
  }

 private:
  [[nodiscard]] const std::byte* update_at(const Dims& point, const Dims& in_row) const {
    Dims position = point;
    position.append(in_row);
    return element_at(op_.updates, position);
  }

  // The values before.
  void take_base() {
    const Window& window = scene_.addressed.window;
    const auto* const base = std::get_if<ConstTensorRef>(&op_.base);
    if (base == nullptr) {
      base_ = Tensor::zeros(op_.out.dtype, {window.cells()});
      return;
    }
    base_ = Tensor(op_.out.dtype, {window.cells()});
    std::int64_t slot = 0;
    each_cell(window, [&](std::int64_t slice, std::int64_t row, std::int64_t column) {
      copy_element(base_, slot++, element_at(*base, window.position(slice, row, column)));
    });
  }

  // Reads all points, or only the drawn ones if they are too many.
  void take_steps(Sketch& sketch) {
    const std::int64_t all = count_of(op_.where.points);
    bool complete = all <= most_steps;
    if (complete) each_point(op_.where.points, [&](const Dims& point) { return complete = take_point(sketch, point); });
    if (complete) return;
    steps_ = {};
    scene_.places.clear();
    sketch.forget_places();
    for (const Link& link : scene_.links) take_point(sketch, link.point);
    scene_.notes.push_back(cat("The results are those of the drawn updates alone; there are ", grouped(all), " index positions."));
  }

  bool take_point(Sketch& sketch, const Dims& point) {
    const PointTarget reach = reach_of(op_.where, op_.out.shape, point);
    if (reach.state != PointTarget::inside) return true;
    const std::size_t begin = steps_.slots.size();
    sketch.each_slot(reach.at, [&](std::int64_t slot, const Dims& in_row) {
      steps_.slots.push_back(slot);
      steps_.updates.push_back(update_at(point, in_row));
    });
    const Steps::Span span{begin, steps_.slots.size()};
    if (span.begin == span.end) return true;
    const auto place = static_cast<std::size_t>(sketch.place_at(reach.at, sketch.order_of(point)));
    if (steps_.shown.size() <= place) {
      steps_.shown.resize(place + 1);
      scene_.places[place].slots.assign(steps_.slots.begin() + static_cast<std::ptrdiff_t>(begin), steps_.slots.end());
    }
    std::vector<Steps::Span>& shown = steps_.shown[place];
    if (shown.size() > first_operands) shown.back() = span;
    else shown.push_back(span);
    return static_cast<std::int64_t>(steps_.slots.size()) <= most_steps;
  }

  // An op with one index for each update of a drawn element has the same fold, so its results are those of the whole op.
  Tensor results() {
    const auto count = static_cast<std::int64_t>(steps_.slots.size());
    Tensor updates(op_.updates.dtype, {op_.scalar ? 0 : count});
    for (std::int64_t i = 0; i < updates.size(); ++i) copy_element(updates, i, steps_.updates[static_cast<std::size_t>(i)]);
    ScatterOp op;
    op.name = op_.name;
    op.where.points = {count};
    op.where.axes.push_back({Axis::column, 0});
    op.where.columns.emplace_back(ConstTensorRef(steps_.slots.data(), Dtype::int64, {count}));
    op.out.dtype = op_.out.dtype;
    op.out.shape = op.out.strides = Dims{base_.size()};
    op.out.strides = {1};
    op.base = ConstTensorRef(base_);
    if (op_.scalar) op.scalar = op_.scalar;
    else op.updates = updates;
    op.scale = op_.scale;
    op.fold = op_.fold;
    return compute(std::move(op), {.threads = 1});
  }

  [[nodiscard]] std::string text_of(const Tensor& tensor, std::int64_t slot, std::size_t most) const {
    return element_text(tensor.dtype(), static_cast<const std::byte*>(tensor.data()) + slot * size_of(tensor.dtype()), most);
  }
  // The values of a row, or one.
  template <class TextOf>
  static std::string row_text(std::size_t count, TextOf text_of) {
    if (count == 1) return text_of(std::size_t{0});
    std::string text = "[";
    for (std::size_t i = 0; i < std::min(count, operand_elements); ++i) append(text, cat(i == 0 ? "" : ", ", text_of(i)));
    return cat(text, count > operand_elements ? ", \xE2\x80\xA6]" : "]");
  }

  [[nodiscard]] std::string update_text(const Steps::Span& span) const {
    std::string text = row_text(span.end - span.begin, [&](std::size_t i) {
      return element_text(op_.updates.dtype, steps_.updates[span.begin + i], operand_width);
    });
    if (!op_.scale) return text;
    const std::string scale = element_text(op_.scale->dtype, op_.scale->bytes, operand_width);
    return cat("(", operand(scale, true), " \xC3\x97 ", operand(text, false), ")");
  }

  void describe_place(std::size_t number, const Tensor& after) {
    Place& place = scene_.places[number];
    const auto at = [&](const Tensor& tensor) {
      return row_text(place.slots.size(), [&](std::size_t i) { return text_of(tensor, place.slots[i], operand_width); });
    };
    Operands operands{at(base_), {}, place.points, at(after)};
    for (const Steps::Span& span : steps_.shown[number]) operands.updates.push_back(update_text(span));
    place.formula = formula_of(op_.fold, op_.out.dtype, operands);
  }

  void finish(Sketch& sketch) {
    const bool replaces = op_.fold.step == Reduction::assign && op_.fold.finish == FoldFinish::keep;
    for (Link& link : scene_.links) {
      if (scene_.error || link.state != Link::applied) continue;
      link.place = sketch.find_place(link.target);
      if (link.place < 0) continue;
      const bool lost = replaces && scene_.places[static_cast<std::size_t>(link.place)].last != sketch.order_of(link.point);
      if (lost) link.state = Link::overwritten;
    }
    sketch.each_stream_cell([&](std::int64_t slice, std::int64_t row, std::int64_t column) {
      const auto [point, in_row] = sketch.split(scene_.stream.window.position(slice, row, column));
      const Link& link = sketch.link_at(point);
      scene_.stream.cells.push_back(
          {element_text(op_.updates.dtype, update_at(point, in_row), cell_width), {}, link.place, sketch.link_number(point)});
    });
    const Tensor after = steps_.slots.empty() ? base_.clone() : results();
    for (std::int64_t slot = 0; slot < base_.size(); ++slot)
      scene_.addressed.cells.push_back({text_of(after, slot, cell_width), {}, -1, -1});
    sketch.mark_places();
    for (std::size_t number = 0; number < scene_.places.size() && !scene_.error; ++number) {
      for (const std::int64_t slot : scene_.places[number].slots)
        scene_.addressed.cells[static_cast<std::size_t>(slot)].before = text_of(base_, slot, cell_width);
      describe_place(number, after);
    }
  }

  ScatterOp op_;
  Scene scene_;
  Steps steps_;
  Tensor base_;
};

}  // namespace

Scene scene_of(const ScatterOp& op) { return ScatterSketch(op).draw(); }

}  // namespace strew::internal
