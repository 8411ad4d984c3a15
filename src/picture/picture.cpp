// Draws a scene: two panels, an arrow for each point from one to the other, the formulas below.
#include "strew/picture.h"

#include <algorithm>

#include "base/text.h"
#include "core/differentiable.h"
#include "core/memory_errors.h"
#include "picture/grid.h"
#include "picture/legible.h"

namespace strew::internal {
namespace {

constexpr double margin = 16, cell_height = 42, strip = 17, plain_height = 30, letter = 7.9, small_letter = 6.7, say_letter = 6.4;
constexpr double between_panels = 74, title_height = 22, line_height = 18;
constexpr std::size_t most_formulas = 8, longest_line = 110, colours = 5, no_colour = 5, bad_colour = 6;
constexpr std::string_view arrow_sign = "\xE2\x86\x92";

// Splits a text into lines of at most `width` characters, at spaces where there are some.
std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (character_count(text) > width) {
    std::size_t end = 0, space = 0;
    for (std::size_t count = 0; count < width; ++count) {
      if (text[end] == ' ') space = end;
      ++end;
      while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
    }
    const std::size_t cut = space > 0 ? space : end;
    lines.emplace_back(text.substr(0, cut));
    text.remove_prefix(space > 0 ? cut + 1 : cut);
  }
  lines.emplace_back(text);
  return lines;
}

class Drawing {
 public:
  explicit Drawing(const Scene& scene) : scene_(scene) {
    choose_colours();
    in_rows_ = is_row_arrow();
  }

  std::string draw() {
    const Panel &from = scene_.gathers ? scene_.addressed : scene_.stream, &to = scene_.gathers ? scene_.stream : scene_.addressed;
    const Beyond beyond = beyond_of_links();
    const bool gathers = scene_.gathers;
    // Labels of the second panel are on its far side, away from the arrows.
    const Grid::Labels near{}, far{!in_rows_, in_rows_};
    Grid stream(scene_.stream.window, cell_of(scene_.stream), gutter_of(scene_.stream), {}, gathers ? far : near);
    Grid addressed(scene_.addressed.window, cell_of(scene_.addressed), gutter_of(scene_.addressed), beyond, gathers ? near : far);
    Grid &first = scene_.gathers ? addressed : stream, &second = scene_.gathers ? stream : addressed;
    const double names = std::max(name_width(from), name_width(to));

    const std::size_t line = std::max<std::size_t>(64, static_cast<std::size_t>(panels_width(first, second, names) / say_letter));
    double y = margin + 16;
    svg_.text(margin, y, "name", Svg::Anchor::start, scene_.op);
    for (const std::string& text : wrapped(scene_.summary, line)) svg_.text(margin, y += line_height, "say", Svg::Anchor::start, text);
    y += 12;

    if (in_rows_) {
      first.move(margin, y + title_height);
      second.move(margin + std::max(first.width(), name_width(from)) + between_panels, y + title_height);
      y += title_height + std::max(first.height(), second.height());
    } else {
      first.move(margin, y + title_height);
      second.move(margin, first.y() + first.height() + between_panels);
      y = second.y() + second.height() + title_height;
      const double shift = (first.width() - second.width()) / 2;  // one above the middle of the other
      if (shift > 0) second.move(margin + shift, second.y());
      else first.move(margin - shift, first.y());
    }
    // Between panels that lie one above the other there are only arrows.
    draw_title(first.x(), first.y() - 6, from);
    draw_title(second.x(), in_rows_ ? second.y() - 6 : second.y() + second.height() + 14, to);
    draw_panel(stream, scene_.stream);
    draw_panel(addressed, scene_.addressed);
    draw_arrows(stream, addressed);

    y += 26;
    if (scene_.error) {
      for (const std::string& text : wrapped(legible(*scene_.error, 1000), line * 5 / 6)) {
        svg_.text(margin, y, "say bad", Svg::Anchor::start, text);
        y += line_height;
      }
    }
    y = draw_formulas(y);
    for (const std::string& note : scene_.notes) {
      for (const std::string& text : wrapped(note, line)) {
        svg_.text(margin, y, "say", Svg::Anchor::start, text);
        y += line_height;
      }
    }
    const double width = std::max({panels_width(first, second, names), static_cast<double>(text_width_), 64 * say_letter}) + 2 * margin;
    return svg_.document(width, y - line_height + 8 + margin, title(), description());
  }

 private:
  // Duplicates get colours first, because they are what one looks for.
  void choose_colours() {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < scene_.places.size(); ++i) order.push_back(i);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return slot_of(a) < slot_of(b); });
    colours_.assign(order.size(), no_colour);
    const bool all = order.size() <= colours && !scene_.error;
    std::size_t next = 0;
    for (const std::size_t place : order) {
      if (all || (scene_.places[place].points > 1 && !scene_.error)) colours_[place] = next++ % colours;
    }
    order_ = std::move(order);
  }
  [[nodiscard]] std::int64_t slot_of(std::size_t place) const {
    return scene_.places[place].slots.empty() ? 0 : scene_.places[place].slots.front();
  }
  [[nodiscard]] std::size_t colour_of(std::int64_t place) const {
    return place < 0 ? no_colour : colours_[static_cast<std::size_t>(place)];
  }

  // Whether arrows go from left to right, because points are rows of their panel, or elements that stay in their row.
  [[nodiscard]] bool is_row_arrow() const {
    const Window &stream = scene_.stream.window, &addressed = scene_.addressed.window;
    if (stream.row_count() == 1 && stream.slices.size() <= 1 && scene_.row_rank == 0) return false;
    if (scene_.row_rank > 0) return last_point_axis() + 1 != static_cast<std::ptrdiff_t>(scene_.axes.size()) || scene_.axes.size() < 2;
    return addressed.shape.size() < 2 || scene_.last_axis_is_indexed;
  }
  // Where the indices of the stream panel are written.
  enum class Labels : std::uint8_t { none, in_cells, beside_rows, above_columns, in_slice_names };
  [[nodiscard]] Labels labels_of(const Panel& panel) const {
    if (&panel != &scene_.stream || scene_.links.empty() || scene_.links.front().index.empty()) return Labels::none;
    if (scene_.row_rank == 0) return Labels::in_cells;
    const auto behind = static_cast<std::ptrdiff_t>(scene_.axes.size()) - last_point_axis();
    if (behind == 1) return Labels::above_columns;
    return behind == 2 ? Labels::beside_rows : Labels::in_slice_names;
  }
  // Number of the axis of the stream panel that shows the last dimension of the points; -1 if there are none.
  [[nodiscard]] std::ptrdiff_t last_point_axis() const {
    std::ptrdiff_t last = -1;
    for (std::size_t d = 0; d < scene_.axes.size(); ++d) {
      if (scene_.axes[d] >= 0) last = static_cast<std::ptrdiff_t>(d);
    }
    return last;
  }

  [[nodiscard]] bool shows_index(const Panel& panel) const { return labels_of(panel) == Labels::in_cells; }

  [[nodiscard]] Box cell_of(const Panel& panel) const {
    double width = 34;
    bool has_strips = shows_index(panel);
    for (const Cell& cell : panel.cells) {
      width = std::max({width, static_cast<double>(display_width(cell.text)) * letter + 14,
                        static_cast<double>(display_width(cell.before)) * small_letter + 12});
      has_strips = has_strips || !cell.before.empty();
      if (shows_index(panel) && cell.point >= 0)
        width = std::max(width, static_cast<double>(display_width(link(cell.point).index)) * small_letter + 12);
    }
    return {0, 0, width, has_strips ? cell_height : plain_height};
  }
  [[nodiscard]] const Link& link(std::int64_t number) const { return scene_.links[static_cast<std::size_t>(number)]; }

  [[nodiscard]] double gutter_of(const Panel& panel) const {
    double letters = 0;
    if (panel.window.shape.size() >= 2) {
      for (const std::int64_t row : panel.window.rows.list()) letters = std::max(letters, static_cast<double>(cat(row).size()));
    }
    if (labels_of(panel) == Labels::beside_rows) {
      for (const Link& each : scene_.links) letters = std::max(letters, static_cast<double>(display_width(each.index)) + 2);
    }
    return letters == 0 ? 0 : letters * small_letter + 12;
  }

  [[nodiscard]] std::string panel_title(const Panel& panel) const {
    if (&panel == &scene_.addressed) return scene_.gathers || scene_.error ? panel.name : cat(panel.name, " ", arrow_sign, " result");
    const std::string_view where[] = {"", " below", scene_.gathers ? " at the right" : " at the left", scene_.gathers ? " below" : " above",
                                      " above"};
    const Labels labels = labels_of(panel);
    return labels == Labels::none ? panel.name : cat(panel.name, ", ", scene_.index_name, where[static_cast<std::size_t>(labels)]);
  }
  [[nodiscard]] double name_width(const Panel& panel) const {
    return static_cast<double>(display_width(panel_title(panel))) * 1.05 * letter +
           static_cast<double>(display_width(panel.type)) * say_letter + 12;
  }
  [[nodiscard]] double panels_width(const Grid& first, const Grid& second, double names) const {
    if (!in_rows_) return std::max({first.width(), second.width(), names});
    return second.x() > 0 ? second.x() - margin + std::max(second.width(), names) : first.width() + between_panels + second.width();
  }

  void draw_title(double x, double base, const Panel& panel) {
    const std::string name = panel_title(panel);
    svg_.text(x, base, "result", Svg::Anchor::start, name);
    svg_.text(x + static_cast<double>(display_width(name)) * letter + 10, base, "label", Svg::Anchor::start, panel.type);
  }

  void draw_panel(const Grid& grid, const Panel& panel) {
    const Window& window = panel.window;
    if (window.cells() == 0) {
      svg_.text(grid.x(), grid.y() + 14, "label", Svg::Anchor::start, "no elements");
      return;
    }
    const Labels labels = labels_of(panel);
    for (std::int64_t slice = 0; slice < window.slices.size(); ++slice) {
      if (window.slice_axes() > 0) grid.draw_slice_name(svg_, slice, slice_name(panel, slice));
      grid.draw_row_labels(svg_, slice, window.shape.size() >= 2 && labels != Labels::beside_rows);
      grid.draw_column_labels(svg_, slice, labels != Labels::above_columns && !window.shape.empty());
      for (std::int64_t row = 0; row < window.rows.size(); ++row) {
        for (std::int64_t column = 0; column < window.columns.size(); ++column)
          draw_cell(grid.cell(slice, row, column), panel, panel.cell(slice, row, column));
        const Cell& first = panel.cell(slice, row, 0);
        if (labels == Labels::beside_rows) grid.draw_row_label(svg_, slice, row, classes_of(first), link(first.point).index);
      }
      for (std::int64_t column = 0; labels == Labels::above_columns && column < window.columns.size(); ++column) {
        const Cell& first = panel.cell(slice, 0, column);
        grid.draw_column_label(svg_, slice, column, classes_of(first), link(first.point).index);
      }
    }
  }

  [[nodiscard]] std::string slice_name(const Panel& panel, std::int64_t slice) const {
    std::string name = "[";
    for (const std::int64_t at : panel.window.slices.list()[static_cast<std::size_t>(slice)]) append(name, cat(at, ", "));
    append(name, ":, :]");
    const Cell& first = panel.cell(slice, 0, 0);
    return labels_of(panel) == Labels::in_slice_names ? cat(name, "  ", scene_.index_name, " ", link(first.point).index) : name;
  }

  [[nodiscard]] std::string_view classes_of(const Cell& cell) const {
    return link(cell.point).state == Link::outside ? "small bad" : "small";
  }

  void draw_cell(const Box& box, const Panel& panel, const Cell& cell) {
    const bool touched = cell.place >= 0;
    const Link* const own = cell.point >= 0 ? &link(cell.point) : nullptr;
    const bool lost = own != nullptr && (own->state == Link::overwritten || own->state == Link::left_out);
    const std::size_t colour = colour_of(cell.place);
    svg_.box(box.x, box.y, box.width, box.height, touched ? cat("f", colour, " p", colour, lost ? " faint" : "") : "cell");
    const double middle = box.x + box.width / 2;
    const std::string_view faint = lost ? "value faint" : "value";
    if (shows_index(panel)) {
      svg_.text(middle, box.y + 18, faint, Svg::Anchor::middle, cell.text);
      svg_.path(cat("M", px(box.x), " ", px(box.bottom() - strip), "h", px(box.width)), "line");
      const std::string_view classes = own != nullptr && own->state == Link::outside ? "small bad" : lost ? "small faint" : "small";
      svg_.text(middle, box.bottom() - 5, classes, Svg::Anchor::middle, own == nullptr ? std::string_view() : std::string_view(own->index));
    } else if (!cell.before.empty()) {
      svg_.text(middle, box.y + 13, "old", Svg::Anchor::middle, cell.before);
      svg_.path(cat("M", px(box.x), " ", px(box.y + strip), "h", px(box.width)), "line");
      svg_.text(middle, box.bottom() - 8, "value result", Svg::Anchor::middle, cell.text);
    } else {
      svg_.text(middle, box.y + box.height / 2 + 4.5, faint, Svg::Anchor::middle, cell.text);
    }
  }

  // The number of a coordinate among the drawn ones; -1 or their count if it is out of range.
  static std::int64_t number_of(const Shown<std::int64_t>& shown, std::int64_t coordinate, std::int64_t size) {
    if (coordinate < 0) return -1;
    if (coordinate >= size) return shown.size();
    return std::max<std::int64_t>(0, shown.find(coordinate));
  }
  struct Numbers {
    std::int64_t slice, row, column;
  };
  [[nodiscard]] Numbers target_of(const Link& from) const {
    const Window& window = scene_.addressed.window;
    const Dims& at = from.target;
    const std::size_t leading = window.slice_axes();
    Numbers numbers{0, 0, 0};
    bool beyond = false;
    for (std::size_t d = 0; d < leading; ++d) beyond = beyond || at[d] < 0 || at[d] >= window.shape[d];
    const Coordinates1 in_slice(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(leading));
    numbers.slice = beyond ? window.slices.size() - 1 : std::max<std::int64_t>(0, window.slices.find(in_slice));
    numbers.row = at.size() < 2 ? 0 : number_of(window.rows, at[at.size() - 2], window.row_count());
    if (beyond) numbers.row = window.rows.size();
    numbers.column = at.empty() ? 0 : number_of(window.columns, at.back(), window.column_count());
    return numbers;
  }
  [[nodiscard]] Beyond beyond_of_links() const {
    Beyond beyond;
    const Window& window = scene_.addressed.window;
    if (window.cells() == 0) return beyond;
    for (const Link& each : scene_.links) {
      if (each.state != Link::outside) continue;
      const Numbers at = target_of(each);
      beyond.left = beyond.left || at.column < 0;
      beyond.right = beyond.right || at.column >= window.columns.size();
      beyond.above = beyond.above || at.row < 0;
      beyond.below = beyond.below || at.row >= window.rows.size();
    }
    return beyond;
  }

  // The drawn cells of a point in the stream panel, as one box; those in the first slice that has some.
  [[nodiscard]] Box source_of(const Grid& grid, std::int64_t number) const {
    return around(grid, scene_.stream, [&](const Cell& cell) { return cell.point == number; });
  }
  [[nodiscard]] Box place_box(const Grid& grid, std::int64_t number) const {
    return around(grid, scene_.addressed, [&](const Cell& cell) { return cell.place == number; });
  }
  template <class Is>
  static Box around(const Grid& grid, const Panel& panel, Is is) {
    const Window& window = panel.window;
    Box all;
    for (std::int64_t slice = 0; slice < window.slices.size() && all.width == 0; ++slice) {
      for (std::int64_t row = 0; row < window.rows.size(); ++row) {
        for (std::int64_t column = 0; column < window.columns.size(); ++column) {
          if (!is(panel.cell(slice, row, column))) continue;
          const Box box = grid.cell(slice, row, column);
          if (all.width == 0) all = box;
          const double right = std::max(all.right(), box.right()), bottom = std::max(all.bottom(), box.bottom());
          all = {std::min(all.x, box.x), std::min(all.y, box.y), 0, 0};
          all.width = right - all.x;
          all.height = bottom - all.y;
        }
      }
    }
    return all;
  }

  void draw_arrows(const Grid& stream, const Grid& addressed) {
    if (scene_.stream.cells.empty() || scene_.addressed.window.cells() == 0) return;
    std::vector<std::int64_t> met(scene_.places.size(), 0);
    for (std::size_t i = 0; i < scene_.links.size(); ++i) {
      const Link& each = scene_.links[i];
      const Box source = source_of(stream, static_cast<std::int64_t>(i));
      if (source.width == 0) continue;
      if (each.state == Link::outside) {
        const Numbers at = target_of(each);
        const Box ghost = addressed.cell(at.slice, at.row, at.column);
        svg_.box(ghost.x, ghost.y, ghost.width, ghost.height, "ghost");
        svg_.text(ghost.x + ghost.width / 2, ghost.y + ghost.height / 2 + 5, "bad", Svg::Anchor::middle, "\xE2\x9C\x95");
        connect(source, ghost, bad_colour, "", {spread_of(static_cast<std::int64_t>(i)), 0.5});
      } else if (each.place >= 0) {
        const auto place = static_cast<std::size_t>(each.place);
        const Box target = place_box(addressed, each.place);
        if (target.width == 0) continue;
        // Arrows that meet are spread, in order.
        const auto of = static_cast<double>(std::clamp<std::int64_t>(scene_.places[place].points, 1, 7));
        const double along = (static_cast<double>(met[place]++ % 7) + 1) / (of + 1);
        const double own = spread_of(static_cast<std::int64_t>(i));
        connect(source, target, colours_[place], each.state == Link::overwritten ? " lost faint" : "", {own, of > 1 ? along : own});
      }
    }
  }

  // Where arrows touch a box, as a fraction of its edge.
  struct Along {
    double stream, addressed;
  };
  // Arrows of elements in one line of a grid run beside each other.
  [[nodiscard]] double spread_of(std::int64_t number) const {
    const Window& window = scene_.stream.window;
    if (scene_.row_rank > 0 || window.rows.size() < 2) return 0.5;
    const auto at = std::find_if(scene_.stream.cells.begin(), scene_.stream.cells.end(), [&](const Cell& x) { return x.point == number; });
    const auto cell = at - scene_.stream.cells.begin();
    const std::int64_t columns = window.columns.size(), rows = window.rows.size();
    return in_rows_ ? static_cast<double>(cell % columns + 1) / static_cast<double>(columns + 1)
                    : static_cast<double>(cell / columns % rows + 1) / static_cast<double>(rows + 1);
  }

  // An arrow from the edge of one box to that of another.
  void connect(const Box& stream, const Box& addressed, std::size_t colour, std::string_view classes, Along along) {
    const Box &from = scene_.gathers ? addressed : stream, &to = scene_.gathers ? stream : addressed;
    const double leave = scene_.gathers ? along.addressed : along.stream, arrive = scene_.gathers ? along.stream : along.addressed;
    std::string curve, head;
    if (in_rows_) {
      const double x1 = from.right(), y1 = from.y + from.height * leave, x2 = to.x - 7, y2 = to.y + to.height * arrive;
      const double bend = std::max(24.0, (x2 - x1) * 0.45);
      curve = cat("M", px(x1), " ", px(y1), "C", px(x1 + bend), " ", px(y1), " ", px(x2 - bend), " ", px(y2), " ", px(x2), " ", px(y2));
      head = cat("M", px(x2 + 7), " ", px(y2), "l-8 -4v8z");
    } else {
      const double x1 = from.x + from.width * leave, y1 = from.bottom(), x2 = to.x + to.width * arrive, y2 = to.y - 7;
      const double bend = std::max(24.0, (y2 - y1) * 0.45);
      curve = cat("M", px(x1), " ", px(y1), "C", px(x1), " ", px(y1 + bend), " ", px(x2), " ", px(y2 - bend), " ", px(x2), " ", px(y2));
      head = cat("M", px(x2), " ", px(y2 + 7), "l-4 -8h8z");
    }
    svg_.path(curve, cat("arrow p", colour, classes));
    svg_.path(head, cat("h", colour, classes));
  }

  // Places that are explained: those where several updates meet first, if there are too many.
  [[nodiscard]] std::vector<std::size_t> explained() const {
    std::vector<std::size_t> shown;
    for (const bool several : {true, false}) {
      for (const std::size_t place : order_) {
        if ((scene_.places[place].points > 1) == several && shown.size() < most_formulas) shown.push_back(place);
      }
    }
    std::sort(shown.begin(), shown.end(), [&](std::size_t a, std::size_t b) { return slot_of(a) < slot_of(b); });
    return shown;
  }

  double draw_formulas(double y) {
    if (scene_.gathers || scene_.places.empty() || scene_.error) return y;
    const std::vector<std::size_t> shown = explained();
    std::size_t widest = 0;
    for (const std::size_t place : shown) widest = std::max(widest, scene_.places[place].coordinates.size());
    for (const std::size_t number : shown) {
      const Place& place = scene_.places[number];
      const std::size_t colour = colours_[number];
      svg_.box(margin, y - 10, 11, 11, cat("f", colour, " p", colour));
      const double x = margin + 20 + static_cast<double>(widest) * letter + 10;
      svg_.text(margin + 20, y, "", Svg::Anchor::start, place.coordinates);
      const std::string formula = legible(place.formula, longest_line);
      svg_.text(x, y, "", Svg::Anchor::start, formula);
      text_width_ = std::max(text_width_, x - margin + static_cast<double>(display_width(formula)) * letter);
      y += line_height + 2;
    }
    if (shown.size() < scene_.places.size()) {
      const std::size_t more = scene_.places.size() - shown.size();
      svg_.text(margin, y, "say", Svg::Anchor::start, cat("and ", more, more == 1 ? " more place" : " more places"));
      y += line_height;
    }
    return y + 4;
  }

  [[nodiscard]] std::string title() const {
    return cat(scene_.op, ": ", scene_.gathers ? "reads " : "writes into ", scene_.addressed.name, ", ", scene_.addressed.type);
  }
  [[nodiscard]] std::string description() const {
    std::string text = scene_.summary;
    if (scene_.error) append(text, cat(" Error: ", legible(*scene_.error, 1000), "."));
    if (!scene_.gathers && !scene_.error) {
      for (const std::size_t place : explained())
        append(text, cat(" ", scene_.places[place].coordinates, ": ", scene_.places[place].formula, "."));
    }
    for (const std::string& note : scene_.notes) append(text, cat(" ", note));
    return text;
  }

  const Scene& scene_;
  Svg svg_;
  bool in_rows_ = false;
  std::vector<std::size_t> colours_, order_;
  double text_width_ = 0;
};

template <class Op>
std::string draw(const Op& op) {
  return naming_memory_errors(op.name, "the picture", "", [&] {
    const Scene scene = scene_of(op);
    return Drawing(scene).draw();
  });
}

}  // namespace
}  // namespace strew::internal

namespace strew::inline v0 {

std::string picture(const ScatterOp& op) { return internal::draw(op); }
std::string picture(const GatherOp& op) { return internal::draw(op); }

std::string picture_of_gradient(const ScatterOp& op, const ConstTensorRef& cotangent) {
  return internal::naming_memory_errors(op.name, "the picture", "", [&] {
    const internal::Scene scene = internal::gradient_scene_of(op, cotangent);
    return internal::Drawing(scene).draw();
  });
}

std::string picture_of_gradient(const GatherOp& op, const ConstTensorRef& cotangent) {
  internal::require_differentiable(op, "the cotangent", cotangent, op.out);
  ScatterOp sum;  // what was read several times gets the sum
  sum.name = OpNames(op.name.op, op.name.input, "cotangent", op.name.overlap);
  sum.where = op.where;
  sum.out.dtype = op.from.dtype;
  sum.out.shape = op.from.shape;
  sum.out.strides = dense_strides(op.from.shape);
  sum.base = Zeros{};
  sum.updates = cotangent;
  sum.fold.step = Reduction::add;
  sum.fold.round = FoldRound::at_finish;
  return picture(sum);
}

}  // namespace strew::inline v0
