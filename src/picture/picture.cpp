// Draws a scene: two panels, an arrow for each point from one to the other, the formulas below.
#include "strew/picture.h"

#include <algorithm>

#include "base/text.h"
#include "core/differentiable.h"
#include "core/memory_errors.h"
#include "picture/grid.h"
#include "picture/lanes.h"
#include "picture/legible.h"

namespace strew::internal {
namespace {

constexpr double margin = 16, cell_height = 42, strip = 17, plain_height = 30, letter = 7.9, small_letter = 6.7, say_letter = 6.4,
                 name_letter = 9.4;
constexpr double between_panels = 74, title_height = 22, line_height = 18;
constexpr std::size_t most_formulas = 8, shortest_line = 50, longest_sentence = 64, longest_line = 110, colours = 5, no_colour = 5,
                      bad_colour = 6;
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
  explicit Drawing(const Scene& scene)
      : scene_(scene),
        in_rows_(is_row_arrow()),
        stream_lanes_(scene.stream.window, in_rows_, !scene.gathers),
        addressed_lanes_(scene.addressed.window, in_rows_, scene.gathers) {
    choose_colours();
    choose_routes();
  }

  std::string draw() {
    const Panel &from = scene_.gathers ? scene_.addressed : scene_.stream, &to = scene_.gathers ? scene_.stream : scene_.addressed;
    const Beyond beyond = beyond_of_links();
    const bool gathers = scene_.gathers;
    // Labels of the second panel are on its far side, away from the arrows.
    const PanelGrid::Labels near{}, far{!in_rows_, in_rows_};
    PanelGrid stream = grid_of(scene_.stream, stream_lanes_, {}, gathers ? far : near);
    PanelGrid addressed = grid_of(scene_.addressed, addressed_lanes_, beyond, gathers ? near : far);
    PanelGrid &first = scene_.gathers ? addressed : stream, &second = scene_.gathers ? stream : addressed;
    const double first_width = std::max(first.width(), name_width(from)), second_width = std::max(second.width(), name_width(to));
    const double panels = in_rows_ ? first_width + between_panels + second_width : std::max(first_width, second_width);
    const std::size_t line = std::clamp(static_cast<std::size_t>(panels / say_letter), shortest_line, longest_sentence);
    double y = margin + 16;
    svg_.text(margin, y, "name", Svg::Anchor::start, scene_.op);
    for (const std::string& text : wrapped(scene_.summary, line)) svg_.text(margin, y += line_height, "say", Svg::Anchor::start, text);
    y += 12;

    if (in_rows_) {
      first.move(margin, y + title_height);
      second.move(margin + first_width + between_panels, y + title_height);
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
    const double name = static_cast<double>(display_width(scene_.op)) * name_letter;
    const double width = std::max({panels, text_width_, name, static_cast<double>(shortest_line) * say_letter}) + 2 * margin;
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
    if (stream.slice_axes() > 0 || addressed.slice_axes() > 0 || scene_.point_per_line) return true;  // slices lie one above the other
    if (stream.row_count() == 1 && stream.slices.size() <= 1 && scene_.row_rank == 0) return false;
    if (scene_.row_rank > 0) return last_point_axis() + 1 != static_cast<std::ptrdiff_t>(scene_.axes.size()) || scene_.axes.size() < 2;
    return addressed.shape.size() < 2 || scene_.last_axis_is_indexed;
  }
  // Where the indices of the stream panel are written.
  enum class Labels : std::uint8_t { none, in_cells, beside_rows, above_columns, in_slice_names };
  [[nodiscard]] Labels labels_of(const Panel& panel) const {
    if (&panel != &scene_.stream || scene_.links.empty() || scene_.links.front().index.empty()) return Labels::none;
    if (scene_.row_rank == 0) return scene_.point_per_line ? Labels::beside_rows : Labels::in_cells;
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
    for (const PanelCell& cell : panel.cells) {
      width = std::max({width, static_cast<double>(display_width(cell.text)) * letter + 14,
                        static_cast<double>(display_width(cell.before)) * small_letter + 12});
      has_strips = has_strips || !cell.before.empty();
      if (shows_index(panel) && cell.point >= 0)
        width = std::max(width, static_cast<double>(display_width(link(cell.point).index)) * small_letter + 12);
    }
    return {0, 0, width, has_strips ? cell_height : plain_height};
  }
  [[nodiscard]] const Link& link(std::int64_t number) const { return scene_.links[static_cast<std::size_t>(number)]; }

  [[nodiscard]] PanelGrid grid_of(const Panel& panel, const ArrowLanes& lanes, Beyond beyond, PanelGrid::Labels labels) const {
    double name = 0;
    for (std::int64_t slice = 0; panel.window.slice_axes() > 0 && slice < panel.window.slices.size() && panel.window.cells() > 0; ++slice)
      name = std::max(name, static_cast<double>(display_width(slice_name(panel, slice))) * small_letter);
    return {panel.window,
            cell_of(panel),
            gutter_of(panel),
            name,
            beyond,
            labels,
            in_rows_ ? PanelGrid::Gaps{lanes.gaps(), {}} : PanelGrid::Gaps{{}, lanes.gaps()}};
  }

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

  void draw_title(double x, double base, const Panel& panel) {
    const std::string name = panel_title(panel);
    svg_.text(x, base, "result", Svg::Anchor::start, name);
    svg_.text(x + static_cast<double>(display_width(name)) * letter + 10, base, "label", Svg::Anchor::start, panel.type);
  }

  void draw_panel(const PanelGrid& grid, const Panel& panel) {
    const Window& window = panel.window;
    if (window.cells() == 0) {
      svg_.text(grid.x(), grid.y() + 14, "label", Svg::Anchor::start, "no elements");
      return;
    }
    const Labels labels = labels_of(panel);
    for (std::int64_t slice = 0; slice < window.slices.size(); ++slice) {
      if (window.slice_axes() > 0) grid.draw_slice_name(svg_, slice, slice_name(panel, slice));
      grid.draw_row_labels(svg_, slice, window.shape.size() >= 2 && labels != Labels::beside_rows);
      const bool one_column = &panel == &scene_.stream && scene_.point_per_line;
      grid.draw_column_labels(svg_, slice, labels != Labels::above_columns && !window.shape.empty() && !one_column);
      for (std::int64_t row = 0; row < window.rows.size(); ++row) {
        for (std::int64_t column = 0; column < window.columns.size(); ++column)
          draw_cell(grid.cell(slice, row, column), panel, panel.cell(slice, row, column));
        const PanelCell& first = panel.cell(slice, row, 0);
        if (labels == Labels::beside_rows) grid.draw_row_label(svg_, slice, row, classes_of(first), link(first.point).index);
      }
      for (std::int64_t column = 0; labels == Labels::above_columns && column < window.columns.size(); ++column) {
        const PanelCell& first = panel.cell(slice, 0, column);
        grid.draw_column_label(svg_, slice, column, classes_of(first), link(first.point).index);
      }
    }
  }

  [[nodiscard]] std::string slice_name(const Panel& panel, std::int64_t slice) const {
    std::string name = "[";
    for (const std::int64_t at : panel.window.slices.list()[static_cast<std::size_t>(slice)]) append(name, cat(at, ", "));
    append(name, ":, :]");
    const PanelCell& first = panel.cell(slice, 0, 0);
    return labels_of(panel) == Labels::in_slice_names ? cat(name, "  ", scene_.index_name, " ", link(first.point).index) : name;
  }

  [[nodiscard]] std::string_view classes_of(const PanelCell& cell) const {
    return link(cell.point).state == Link::outside ? "small bad" : "small";
  }

  void draw_cell(const Box& box, const Panel& panel, const PanelCell& cell) {
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

  // The drawn cells for which is(cell); those in the first slice that has some.
  template <class Is>
  static CellRange extent_of(const Panel& panel, Is is) {
    const Window& window = panel.window;
    CellRange all;
    each_cell(window, [&](std::int64_t slice, std::int64_t row, std::int64_t column) {
      if ((!all.empty() && slice != all.slice) || !is(panel.cell(slice, row, column))) return;
      if (all.empty()) all = {slice, row, row, column, column};
      all = {slice, std::min(all.top, row), std::max(all.bottom, row), std::min(all.left, column), std::max(all.right, column)};
    });
    return all;
  }
  static Box box_of(const PanelGrid& grid, const CellRange& cells) {
    const Box first = grid.cell(cells.slice, cells.top, cells.left), last = grid.cell(cells.slice, cells.bottom, cells.right);
    return {first.x, first.y, last.right() - first.x, last.bottom() - first.y};
  }

  // The ends of each link's arrow, empty if it has none, and the lanes that they take.
  void choose_routes() {
    routes_.resize(scene_.links.size());
    if (scene_.stream.cells.empty() || scene_.addressed.window.cells() == 0) return;
    for (std::size_t i = 0; i < routes_.size(); ++i) {
      const Link& each = scene_.links[i];
      Route& route = routes_[i];
      if (each.state == Link::outside) {
        const Numbers at = target_of(each);
        route.addressed = {at.slice, at.row, at.row, at.column, at.column};
        addressed_lanes_.add_beyond(route.addressed);
      } else if (each.place >= 0) {
        route.addressed = extent_of(scene_.addressed, [&](const PanelCell& cell) { return cell.place == each.place; });
      }
      if (!route.addressed.empty())
        route.stream = extent_of(scene_.stream, [&](const PanelCell& cell) { return cell.point == static_cast<std::int64_t>(i); });
    }
    for (const Route& route : routes_) {
      if (route.stream.empty()) continue;
      stream_lanes_.add(route.stream);
      addressed_lanes_.add(route.addressed);
    }
  }

  void draw_arrows(const PanelGrid& stream, const PanelGrid& addressed) {
    std::vector<std::int64_t> met(scene_.places.size(), 0);
    for (std::size_t i = 0; i < routes_.size(); ++i) {
      const Link& each = scene_.links[i];
      const Route& route = routes_[i];
      if (route.stream.empty()) continue;
      const End source{box_of(stream, route.stream), spread_of(route.stream), stream_lanes_.offset(route.stream)};
      End target{box_of(addressed, route.addressed), 0.5, addressed_lanes_.offset(route.addressed)};
      if (each.state == Link::outside) {
        const Box& ghost = target.box;
        svg_.box(ghost.x, ghost.y, ghost.width, ghost.height, "ghost");
        svg_.text(ghost.x + ghost.width / 2, ghost.y + ghost.height / 2 + 5, "bad", Svg::Anchor::middle, "\xE2\x9C\x95");
        connect(stream, addressed, source, target, bad_colour, "");
        continue;
      }
      // Arrows that meet are spread, in order.
      const auto place = static_cast<std::size_t>(each.place);
      const auto of = static_cast<double>(std::clamp<std::int64_t>(scene_.places[place].points, 1, 7));
      const double along = (static_cast<double>(met[place]++ % 7) + 1) / (of + 1);
      target.along = of > 1 ? along : source.along;
      connect(stream, addressed, source, target, colours_[place], each.state == Link::overwritten ? " lost faint" : "");
    }
  }

  // Where an arrow touches a box, as a fraction of its edge; and the distance of its lane, 0 if it takes none.
  struct End {
    Box box;
    double along, lane;
  };
  // Arrows of elements in one line of a grid run beside each other.
  [[nodiscard]] double spread_of(const CellRange& source) const {
    const Window& window = scene_.stream.window;
    if (scene_.row_rank > 0 || window.rows.size() < 2 || scene_.point_per_line) return 0.5;
    const std::int64_t columns = window.columns.size(), rows = window.rows.size();
    return in_rows_ ? static_cast<double>(source.left + 1) / static_cast<double>(columns + 1)
                    : static_cast<double>(source.top + 1) / static_cast<double>(rows + 1);
  }

  // A point by its distance along the arrows' direction, and across it.
  [[nodiscard]] std::string at(double along, double across) const {
    return in_rows_ ? cat(px(along), " ", px(across)) : cat(px(across), " ", px(along));
  }
  // An arrow between the edges of two boxes. In a panel it runs straight ahead, in a lane if other cells are in its way.
  void connect(const PanelGrid& stream, const PanelGrid& addressed, const End& source, const End& target, std::size_t colour,
               std::string_view classes) {
    constexpr double corner = 4, head = 7;
    const bool gathers = scene_.gathers;
    const End &from = gathers ? target : source, &to = gathers ? source : target;
    const PanelGrid &first = gathers ? addressed : stream, &second = gathers ? stream : addressed;
    const double edge = in_rows_ ? first.x() + first.width() : first.y() + first.height();
    const double other_edge = in_rows_ ? second.x() : second.y();
    // Along and across the arrow's direction.
    const auto start_of = [&](const Box& box) { return in_rows_ ? box.x : box.y; };
    const auto end_of = [&](const Box& box) { return in_rows_ ? box.right() : box.bottom(); };
    const auto middle_of = [&](const Box& box) { return (start_of(box) + end_of(box)) / 2; };
    const auto side_of = [&](const Box& box) { return in_rows_ ? box.bottom() : box.right(); };
    const auto touch_of = [&](const End& end) {
      return in_rows_ ? end.box.y + end.box.height * end.along : end.box.x + end.box.width * end.along;
    };

    const double leaves = from.lane > 0 ? side_of(from.box) + from.lane : touch_of(from);
    const double arrives = to.lane > 0 ? side_of(to.box) + to.lane : touch_of(to);
    std::string curve;
    if (from.lane > 0) {
      const double middle = middle_of(from.box);
      curve = cat("M", at(middle, side_of(from.box)), "L", at(middle, leaves - corner), "Q", at(middle, leaves), " ",
                  at(middle + corner, leaves));
    } else {
      curve = cat("M", at(end_of(from.box), leaves));
    }
    if (from.lane > 0 || end_of(from.box) < edge) append(curve, cat("L", at(edge, leaves)));
    const double until = to.lane > 0 ? other_edge : std::min(other_edge, start_of(to.box) - head);
    const double bend = std::max(24.0, (until - edge) * 0.45);
    append(curve, cat("C", at(edge + bend, leaves), " ", at(until - bend, arrives), " ", at(until, arrives)));
    const std::string head_classes = cat("h", colour, classes);
    if (to.lane > 0) {
      const double middle = middle_of(to.box), side = side_of(to.box);
      append(curve, cat("L", at(middle - corner, arrives), "Q", at(middle, arrives), " ", at(middle, arrives - corner)));
      svg_.path(curve, cat("arrow p", colour, classes));
      svg_.path(cat("M", at(middle, side), "L", at(middle - 3.5, side + 6), "L", at(middle + 3.5, side + 6), "z"), head_classes);
    } else {
      const double tip = start_of(to.box);
      if (until < tip - head) append(curve, cat("L", at(tip - head, arrives)));
      svg_.path(curve, cat("arrow p", colour, classes));
      svg_.path(cat("M", at(tip, arrives), "L", at(tip - head - 1, arrives - 4), "L", at(tip - head - 1, arrives + 4), "z"), head_classes);
    }
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

  struct Route {
    CellRange stream, addressed;
  };

  const Scene& scene_;
  Svg svg_;
  bool in_rows_;
  ArrowLanes stream_lanes_, addressed_lanes_;
  std::vector<Route> routes_;  // by link
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
