// Finds and describes the first bad index. Runs only if there is one.
#include <algorithm>

#include "base/checked.h"
#include "base/text.h"
#include "core/core.h"
#include "strategies/blocks.h"

namespace strew::internal {
namespace {

std::string index_text(std::int64_t value, Dtype dtype) {
  return dtype == Dtype::uint64 ? cat(static_cast<std::uint64_t>(value)) : cat(value);
}

struct Placeholder {
  std::string_view key;
  std::string value;
};

// A sentence of the caller's, of any length, with its placeholders replaced.
std::string filled(std::string_view sentence, std::initializer_list<Placeholder> placeholders) {
  std::string text;
  while (!sentence.empty()) {
    const std::size_t brace = sentence.find('{');
    append(text, sentence.substr(0, brace));
    if (brace == std::string_view::npos) break;
    sentence.remove_prefix(brace);
    const auto found =
        std::find_if(placeholders.begin(), placeholders.end(), [&](const auto& one) { return sentence.starts_with(one.key); });
    append(text, found == placeholders.end() ? sentence.substr(0, 1) : std::string_view(found->value));
    sentence.remove_prefix(found == placeholders.end() ? 1 : found->key.size());
  }
  return text;
}

template <class Position>
const std::byte* index_at(const ConstTensorRef& column, const Position& point) {
  return static_cast<const std::byte*>(column.data) + dot(point, column.strides) * size_of(column.dtype);
}

struct Found {
  Dims point;
  std::size_t column = 0;
  std::int64_t value = 0;
  std::int64_t count = 0;
};

// The axis of the addressed tensor that takes its coordinate from a column.
std::size_t axis_of(const Addressing& where, std::size_t column) {
  std::size_t axis = 0;
  while (where.axes[axis].from != Axis::column || where.axes[axis].at != column) ++axis;
  return axis;
}

// Adds the bad indices of one column. Indices repeated by a stride of 0 are read once and counted with their repeats, so that the time is
// bounded by the memory of the indices.
void find_bad(const Addressing& where, std::size_t c, std::int64_t extent, Found& found) {
  const ConstTensorRef& column = where.columns[c];
  Dims own = where.points;
  std::int64_t repeats = 1;
  for (std::size_t d = 0; d < own.size(); ++d) {
    if (own[d] == 0 || column.strides[d] != 0) continue;
    repeats = saturating_mul(repeats, own[d]);
    own[d] = 1;
  }
  own.push_back(1);  // so that each_run visits every dimension
  bool is_first = true;
  each_run(own, [&](const Coordinates& point) {
    const OneIndex one = read_index(column.dtype, where.negative, index_at(column, point), extent);
    if (!one.bad) return true;
    const bool is_earlier =
        found.count == 0 || std::lexicographical_compare(point.begin(), point.end(), found.point.begin(), found.point.end());
    if (is_first && is_earlier) {
      found.point = Dims(point.begin(), point.end());
      found.column = c;
      found.value = one.value;
    }
    is_first = false;
    found.count = saturating_add(found.count, repeats);
    return true;
  });
}

// The first bad point, its first bad column, and how many indices are bad.
Found find_bad(const Addressing& where, const Dims& shape) {
  Found found;
  for (std::size_t c = 0; c < where.columns.size(); ++c) find_bad(where, c, shape[axis_of(where, c)], found);
  return found;
}

// The indices of all columns of the point. The bad one is not read again: another thread may have changed it.
Dims tuple_of(const Addressing& where, const Found& found) {
  Dims values;
  for (const ConstTensorRef& column : where.columns)
    values.push_back(read_index(column.dtype, where.negative, index_at(column, found.point), 0).value);
  values[found.column] = found.value;
  return values;
}

}  // namespace

void throw_changed(const char* op, const Addressing& where) {
  throw Error(ErrorCode::changed,
              cat(op, ": ", where.words.argument, " changed while the call ran, the output may hold a part of the updates"));
}

void throw_bad_index(const char* op, const Addressing& where, const Dims& shape) {
  const Found found = find_bad(where, shape);
  if (found.count == 0) throw_changed(op, where);  // it changed after it was found bad
  throw bad_index_error(op, where, shape, {found.point, tuple_of(where, found), found.column, found.count});
}

Error bad_index_error(const char* op, const Addressing& where, const Dims& shape, const BadPoint& found) {
  const std::int64_t bad = found.tuple[found.column];
  const std::size_t axis = axis_of(where, found.column);
  const std::int64_t size = shape[axis];
  const bool wraps = where.negative == Negative::wrap && dtype_info(where.columns[found.column].dtype).kind == DtypeKind::signed_integer;
  const std::string value = index_text(bad, where.columns[found.column].dtype);
  const std::string low = cat(wraps ? -size : 0), high = cat(size - 1);
  Dims position = found.point;
  if (where.tuples) position.push_back(static_cast<std::int64_t>(found.column));

  std::string text = cat(op, ": ",
                         filled(cat(where.words.sentence), {{"{value}", value},
                                                            {"{axis}", cat(axis)},
                                                            {"{size}", cat(size)},
                                                            {"{low}", low},
                                                            {"{high}", high},
                                                            {"{point}", found.point.empty() ? "" : bracketed(found.point, ",")},
                                                            {"{tuple}", bracketed(found.tuple)},
                                                            {"{shape}", bracketed(shape, ",")}}));
  text += cat(" (", where.words.argument, position.empty() ? "" : bracketed(position), " = ", value, " for axis ", axis, " of size ", size);
  text += size == 0 ? ", no index is valid" : cat(", valid: ", low, "..", high);
  text += found.count > 1 ? cat("; ", found.count - 1, " more)") : ")";
  return {text, {bad, position, static_cast<int>(axis), size, found.count}};
}

}  // namespace strew::internal
