// Fills a scene: which elements are drawn, and where the drawn points lead. Shared by scatters and gathers.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/checked.h"
#include "base/text.h"
#include "core/core.h"
#include "picture/legible.h"
#include "picture/reach.h"
#include "picture/scene.h"
#include "strew/run.h"

namespace strew::internal {

// How much is drawn of the stream, and of the addressed tensor.
inline constexpr std::size_t stream_slices = 3, stream_rows = 6, stream_columns = 6, stream_vector = 12, stream_lines = 10;
inline constexpr std::size_t addressed_slices = 3, addressed_rows = 8, addressed_columns = 8, addressed_vector = 14;
inline constexpr int most_moved = 3;  // bad indices that a note explains
inline constexpr std::size_t cell_width = 8, name_width = 40;  // in characters

inline std::int64_t count_of(Sizes shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count = saturating_mul(count, size);
  return is_empty(shape) ? 0 : count;
}

inline std::string type_text(Dtype dtype, Sizes shape) { return cat(to_string(dtype), " ", bracketed(shape)); }

inline std::string shown_name(const char* name) { return legible(name == nullptr ? "" : name, name_width); }

// The sentence of the error that `work` throws because of an index. Other errors are thrown.
template <class Work>
std::optional<std::string> index_error_of(const Work& work) {
  try {
    work();
    return {};
  } catch (const Error& error) {
    if (error.code() != ErrorCode::index) throw;
    return error.what();
  }
}
// Of a run.
template <class Op>
std::optional<std::string> index_error(const Op& op) {
  return index_error_of([&] { static_cast<void>(explain(op)); });
}

class Sketch {
 public:
  // `shape` is that of the addressed tensor. In the stream panel, the axes of a vector of rows are in the order of the addressed tensor, as
  // most frameworks have them.
  Sketch(Scene& scene, const Addressing& where, Sizes shape) : scene_(scene), where_(where), shape_(shape) {
    scene.index_name = shown_name(where.words.argument);
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
    // Elements that lead into a matrix have a line each.
    scene.point_per_line = drawn.size() == 1 && where.row.empty() && shape.size() >= 2 && count_of(shape) != shape.back();
    if (scene.point_per_line) drawn.push_back(1);
    scene.stream.window =
        Window(drawn, stream_slices, scene.point_per_line ? stream_lines : stream_rows, drawn.size() < 2 ? stream_vector : stream_columns);
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
        PointTarget reach = reach_of(where_, shape_, point);
        made.state = reach.state == PointTarget::outside    ? Link::outside
                     : reach.state == PointTarget::left_out ? Link::left_out
                                                            : Link::applied;
        made.target = std::move(reach.at);
        note_moved(made, reach.clamped);
      }
      Link& link = scene_.links[at->second];
      if (link.state != Link::applied) return;
      if (!add(window, target_of(link.target, in_row))) link.state = Link::not_drawn;
    });
    window.fill();
    if (moved_ > most_moved) scene_.notes.push_back(cat("and so for ", moved_ - most_moved, " more"));
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
    for (std::size_t d = 0; d < scene_.axes.size(); ++d) {
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

  // What becomes of a bad index that is not an error, for the first few.
  void note_moved(const Link& link, bool clamped) {
    if (!clamped && link.state != Link::left_out) return;
    if (++moved_ > most_moved) return;
    std::string text;
    for (std::size_t d = 0; d < link.target.size(); ++d) {
      if (where_.axes[d].from == Axis::column) append(text, cat(text.empty() ? "" : ", ", link.target[d]));
    }
    const std::string to = where_.columns.size() > 1 ? cat("[", text, "]") : text;
    scene_.notes.push_back(cat("index ", link.index, clamped ? cat(" is clamped to ", to) : std::string(" is skipped")));
  }

  void note_cut(const Panel& panel) {
    const std::int64_t all = count_of(panel.window.shape), drawn = panel.window.cells();
    if (drawn < all)
      scene_.notes.push_back(cat(panel.name, ": ", grouped(drawn), " of ", grouped(all),
                                 drawn == 1 ? " elements is drawn, " : " elements are drawn, ", grouped(all - drawn),
                                 all - drawn == 1 ? " is left out." : " are left out."));
  }

  Scene& scene_;
  const Addressing& where_;
  Sizes shape_;
  std::map<Coordinates1, std::size_t> links_, places_;
  int moved_ = 0;
};

}  // namespace strew::internal
