// Chooses what is drawn of an op, and computes the results of the drawn elements by an op of their own, with the same fold.
#include "picture/scene.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/checked.h"
#include "base/text.h"
#include "core/core.h"
#include "picture/elements.h"
#include "picture/formula.h"
#include "picture/legible.h"
#include "picture/reach.h"
#include "strew/run.h"

namespace strew::internal {
namespace {

constexpr std::size_t stream_slices = 3, stream_rows = 6, stream_columns = 6, stream_vector = 12;
constexpr std::size_t addressed_slices = 3, addressed_rows = 8, addressed_columns = 8, addressed_vector = 14;
constexpr std::int64_t most_steps = 1 << 20;     // points that are read, and updates of drawn elements, for exact results
constexpr std::size_t cell_width = 8, operand_width = 12, name_width = 40;
constexpr std::size_t first_operands = 4;        // shown of a place, beside the last one
constexpr std::size_t operand_elements = 3;      // shown of a row

std::int64_t count_of(Sizes shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count = saturating_mul(count, size);
  return is_empty(shape) ? 0 : count;
}

std::string type_text(Dtype dtype, Sizes shape) { return cat(to_string(dtype), " ", bracketed(shape)); }

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

// The sentence of the error that a run throws because of an index. Other errors are thrown.
template <class Op>
std::optional<std::string> index_error(const Op& op) {
  try {
    static_cast<void>(explain(op));
    return {};
  } catch (const Error& error) {
    if (error.code() != ErrorCode::index) throw;
    return error.what();
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

class Sketch {
 public:
  // `shape` is that of the addressed tensor. In the stream panel, the axes of a vector of rows are in the order of the addressed tensor, as
  // most frameworks have them.
  Sketch(Scene& scene, const Addressing& where, Sizes shape) : scene_(scene), where_(where), shape_(shape) {
    scene.index_name = legible(where.words.argument == nullptr ? "" : where.words.argument, name_width);
    scene.point_rank = where.points.size();
    scene.row_rank = where.row.size();
    scene.last_axis_is_indexed = !where.axes.empty() && where.axes.back().from == Axis::column;
    const bool in_order = where.points.size() == 1 && where.columns.size() == 1;
    if (in_order) {
      for (const Axis axis : where.axes) {
        if (axis.from != Axis::point) scene.axes.push_back(axis.from == Axis::column ? 0 : -1 - axis.at);
      }
    } else {
      for (std::size_t d = 0; d < where.points.size(); ++d) scene.axes.push_back(static_cast<int>(d));
      for (std::size_t d = 0; d < where.row.size(); ++d) scene.axes.push_back(-1 - static_cast<int>(d));
    }
    Dims drawn;
    for (const int axis : scene.axes) drawn.push_back(axis >= 0 ? where.points[static_cast<std::size_t>(axis)] : where.row[row_of(axis)]);
    scene.stream.window = Window(drawn, stream_slices, stream_rows, drawn.size() < 2 ? stream_vector : stream_columns);
    scene.stream.window.fill();
    scene.addressed.window = Window(Dims(shape), addressed_slices, addressed_rows, shape.size() < 2 ? addressed_vector : addressed_columns);
  }

  // Makes a link for each drawn point, chooses the drawn part of the addressed tensor so that they lead there, and notes what is left out.
  void link() {
    Window& window = scene_.addressed.window;
    each_stream_cell([&](std::int64_t slice, std::int64_t row, std::int64_t column) {
      const auto [point, in_row] = split(scene_.stream.window.position(slice, row, column));
      const auto [at, is_new] = links_.try_emplace(Coordinates1(point.begin(), point.end()), scene_.links.size());
      if (is_new) {
        Link& made = scene_.links.emplace_back();
        made.point = point;
        made.index = index_text(where_, point);
        Reach reach = reach_of(where_, shape_, point);
        made.state = reach.state == Reach::outside ? Link::outside : reach.state == Reach::left_out ? Link::left_out : Link::applied;
        made.target = std::move(reach.at);
      }
      Link& link = scene_.links[at->second];
      if (link.state != Link::applied) return;
      if (!add(window, target_of(link.target, in_row))) link.state = Link::not_drawn;
    });
    window.fill();
    note_cut(scene_.stream);
    note_cut(scene_.addressed);
    const auto hidden = std::count_if(scene_.links.begin(), scene_.links.end(), [](const Link& x) { return x.state == Link::not_drawn; });
    if (hidden > 0) scene_.notes.push_back(cat("The arrows of ", hidden, hidden == 1 ? " update are" : " updates are", " left out."));
  }

  // The places of the drawn points alone, for arrows without formulas.
  void link_places() {
    for (Link& link : scene_.links) {
      if (link.state != Link::applied) continue;
      link.place = place_at(link.target, order_of(link.point));
      Place& place = scene_.places[static_cast<std::size_t>(link.place)];
      if (place.slots.empty()) each_slot(link.target, [&](std::int64_t slot, const Dims&) { place.slots.push_back(slot); });
    }
  }
  void mark_places() {
    for (std::size_t number = 0; number < scene_.places.size(); ++number) {
      for (const std::int64_t slot : scene_.places[number].slots)
        scene_.addressed.cells[static_cast<std::size_t>(slot)].place = static_cast<std::int64_t>(number);
    }
  }

  // The position of a stream element: its point, and its position in the row.
  [[nodiscard]] std::pair<Dims, Dims> split(const Dims& position) const {
    std::pair<Dims, Dims> parts{Dims(where_.points.size(), 0), Dims(where_.row.size(), 0)};
    for (std::size_t d = 0; d < position.size(); ++d) {
      const int axis = scene_.axes[d];
      if (axis >= 0) parts.first[static_cast<std::size_t>(axis)] = position[d];
      else parts.second[row_of(axis)] = position[d];
    }
    return parts;
  }
  [[nodiscard]] const Link& link_at(const Dims& point) const { return scene_.links[links_.at(Coordinates1(point.begin(), point.end()))]; }
  [[nodiscard]] std::int64_t link_number(const Dims& point) const {
    return static_cast<std::int64_t>(links_.at(Coordinates1(point.begin(), point.end())));
  }

  // The element that an element of the row of a point leads to.
  [[nodiscard]] Dims target_of(const Dims& target, const Dims& in_row) const {
    Dims at = target;
    for (std::size_t d = 0; d < at.size(); ++d) {
      if (where_.axes[d].from == Axis::row) at[d] = in_row[where_.axes[d].at];
    }
    return at;
  }

  // The number of the place of a target, made if it is new; `order` is the point's number.
  std::int64_t place_at(const Dims& target, std::int64_t order) {
    const auto [at, is_new] = places_.try_emplace(key_of(target), scene_.places.size());
    if (is_new) {
      std::string text;
      for (std::size_t d = 0; d < target.size(); ++d)
        append(text, cat(d == 0 ? "" : ", ", where_.axes[d].from == Axis::row ? std::string(":") : cat(target[d])));
      scene_.places.emplace_back();
      scene_.places.back().coordinates = cat("[", text, "]");
      scene_.places.back().first = order;
    }
    Place& place = scene_.places[at->second];
    ++place.points;
    place.last = order;
    return static_cast<std::int64_t>(at->second);
  }

  // -1 if there is none.
  [[nodiscard]] std::int64_t find_place(const Dims& target) const {
    const auto at = places_.find(key_of(target));
    return at == places_.end() ? -1 : static_cast<std::int64_t>(at->second);
  }
  void forget_places() { places_.clear(); }

  [[nodiscard]] std::int64_t order_of(const Dims& point) const {
    std::int64_t order = 0;
    for (std::size_t d = 0; d < point.size(); ++d) order = wrapping_add(wrapping_mul(order, where_.points[d]), point[d]);
    return order;
  }

  template <class Use>
  void each_stream_cell(Use use) const {
    const Window& window = scene_.stream.window;
    each_cell(window, use);
  }
  template <class Use>
  static void each_cell(const Window& window, Use use) {
    for (std::int64_t slice = 0; slice < window.slices.size(); ++slice) {
      for (std::int64_t row = 0; row < window.rows.size(); ++row) {
        for (std::int64_t column = 0; column < window.columns.size(); ++column) use(slice, row, column);
      }
    }
  }

  // Calls use(slot, position in the row) for every drawn element that a point with this target leads to.
  template <class Use>
  void each_slot(const Dims& target, Use use) const {
    const Window& window = scene_.addressed.window;
    const std::size_t leading = window.slice_axes(), rank = shape_.size();
    const auto fits = [&](std::size_t d, std::int64_t at) {
      const Axis axis = where_.axes[d];
      return axis.from == Axis::row ? at < where_.row[axis.at] : at == target[d];
    };
    for (std::int64_t slice = 0; slice < window.slices.size(); ++slice) {
      const Coordinates1& in_slice = window.slices.list()[static_cast<std::size_t>(slice)];
      bool inside = true;
      for (std::size_t d = 0; d < leading; ++d) inside = inside && fits(d, in_slice[d]);
      for (std::int64_t row = 0; inside && row < window.rows.size(); ++row) {
        if (rank >= 2 && !fits(rank - 2, window.rows.list()[static_cast<std::size_t>(row)])) continue;
        for (std::int64_t column = 0; column < window.columns.size(); ++column) {
          if (rank >= 1 && !fits(rank - 1, window.columns.list()[static_cast<std::size_t>(column)])) continue;
          const Dims at = window.position(slice, row, column);
          Dims in_row(where_.row.size(), 0);
          for (std::size_t d = 0; d < rank; ++d) {
            if (where_.axes[d].from == Axis::row) in_row[where_.axes[d].at] = at[d];
          }
          use((slice * window.rows.size() + row) * window.columns.size() + column, in_row);
        }
      }
    }
  }

 private:
  // The coordinates that are the same for a whole row.
  [[nodiscard]] Coordinates1 key_of(const Dims& target) const {
    Coordinates1 key;
    for (std::size_t d = 0; d < target.size(); ++d) {
      if (where_.axes[d].from != Axis::row) key.push_back(target[d]);
    }
    return key;
  }
  static std::size_t row_of(int axis) { return static_cast<std::size_t>(-1 - axis); }

  static bool add(Window& window, const Dims& at) {
    const std::size_t leading = window.slice_axes();
    if (!window.slices.add(Coordinates1(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(leading)))) return false;
    if (!window.rows.add(at.size() < 2 ? 0 : at[at.size() - 2])) return false;
    return window.columns.add(at.empty() ? 0 : at.back());
  }

  void note_cut(const Panel& panel) {
    const std::int64_t all = count_of(panel.window.shape), drawn = panel.window.cells();
    if (drawn < all)
      scene_.notes.push_back(
          cat(panel.name, ": ", grouped(drawn), " of ", grouped(all), " elements are drawn, ", grouped(all - drawn), " are left out."));
  }

  Scene& scene_;
  const Addressing& where_;
  Sizes shape_;
  std::map<Coordinates1, std::size_t> links_, places_;
};

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
    scene_.op = legible(op_.name.op == nullptr ? "" : op_.name.op, name_width);
    scene_.summary = summary_of(op_.fold, op_.out.dtype);
    const bool from_zeros = std::holds_alternative<Zeros>(op_.base);
    scene_.addressed.name = from_zeros ? "zeros" : legible(op_.name.input == nullptr ? "" : op_.name.input, name_width);
    scene_.addressed.type = type_text(op_.out.dtype, op_.out.shape);
    scene_.stream.name = legible(op_.name.updates == nullptr ? "" : op_.name.updates, name_width);
    scene_.stream.type = op_.scalar ? std::string("a number") : type_text(op_.updates.dtype, op_.updates.shape);
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
    Sketch::each_cell(window, [&](std::int64_t slice, std::int64_t row, std::int64_t column) {
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
    const Reach reach = reach_of(op_.where, op_.out.shape, point);
    if (reach.state != Reach::inside) return true;
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
    const std::string text = row_text(span.end - span.begin, [&](std::size_t i) {
      return element_text(op_.updates.dtype, steps_.updates[span.begin + i], operand_width);
    });
    return op_.scale ? cat("(", element_text(op_.scale->dtype, op_.scale->bytes, operand_width), " \xC3\x97 ", text, ")") : text;
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

Scene scene_of(const GatherOp& described) {
  GatherOp op = described;
  check_form(op, false);
  Scene scene;
  scene.gathers = true;
  scene.error = index_error(op);
  promote_rank_zero(op.from, op.where);
  scene.op = legible(op.name.op == nullptr ? "" : op.name.op, name_width);
  scene.summary = "Each element of the result is read where its index points.";
  if (op.where.out_of_range == OutOfRange::skip) append(scene.summary, " An index out of range reads zero.");
  scene.addressed.name = legible(op.name.input == nullptr ? "" : op.name.input, name_width);
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
  Sketch::each_cell(window, [&](std::int64_t slice, std::int64_t row, std::int64_t column) {
    scene.addressed.cells.push_back(
        {element_text(op.from.dtype, element_at(op.from, window.position(slice, row, column)), cell_width), {}, -1, -1});
  });
  sketch.mark_places();
  return scene;
}

}  // namespace strew::internal
