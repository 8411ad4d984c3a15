// What a picture shows of an op, without any geometry: the drawn elements as text, the links between them, and the formulas.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "picture/window.h"
#include "strew/op.h"

namespace strew::internal {

// One drawn element.
struct PanelCell {
  std::string text;           // the value; in the addressed tensor of a scatter, the value after the op
  std::string before;         // of a touched element in a scatter's output: the value before
  std::int64_t place = -1;    // number of its place; -1 if no point leads there
  std::int64_t point = -1;    // number of its link; -1 in the addressed tensor
};

// A tensor: its drawn elements, slice by slice and row by row.
struct Panel {
  std::string name, type;
  Window window;
  std::vector<PanelCell> cells;

  [[nodiscard]] const PanelCell& cell(std::int64_t slice, std::int64_t row, std::int64_t column) const {
    return cells[static_cast<std::size_t>((slice * window.rows.size() + row) * window.columns.size() + column)];
  }
};

// A drawn point.
struct Link {
  enum State : std::uint8_t { applied, overwritten, left_out, outside, not_drawn } state = applied;
  std::string index;        // as stored
  Dims point;
  Dims target;              // see PointTarget::at
  std::int64_t place = -1;  // if applied or overwritten
};

// Where at least one point leads.
struct Place {
  std::string coordinates;
  std::string formula;           // empty in a gather
  std::int64_t points = 0;       // that lead there
  std::int64_t first = 0, last = 0;  // numbers of its first and last point in row-major order
  std::vector<std::int64_t> slots;   // its drawn elements, as numbers of cells
};

struct Scene {
  std::string op, summary;
  std::string index_name;
  bool gathers = false;
  Panel stream, addressed;
  // The dimension of the points, or of the row, that each axis of the stream panel shows: negative numbers are dimensions of the row. An
  // axis of size 1 behind them has no entry.
  std::vector<int> axes;
  std::size_t point_rank = 0, row_rank = 0;
  bool point_per_line = false;  // the stream panel is a column, because the points lead into a matrix
  bool last_axis_is_indexed = false;  // an index column supplies the coordinate on the last axis of the addressed tensor
  std::vector<Link> links;
  std::vector<Place> places;
  std::vector<std::string> notes;
  std::optional<std::string> error;  // the sentence of a bad index; then nothing was computed
};

[[nodiscard]] Scene scene_of(const ScatterOp& op);
[[nodiscard]] Scene scene_of(const GatherOp& op);
// Which update gets which part of the cotangent of the output.
[[nodiscard]] Scene gradient_scene_of(const ScatterOp& op, const ConstTensorRef& cotangent);

}  // namespace strew::internal
