// Shapes and attributes that fit an operator, and ways to spoil them.
#include "harness/draft.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace strew::harness {
namespace {

bool is_directml(const Draft& d) { return d.form.op->dialect == "directml"; }
bool is_gather(const Draft& d) { return d.form.op->name.starts_with("gather"); }
bool may_be_empty(const Draft& d) { return !is_directml(d); }

std::size_t pick_rank(Choices& choices, std::size_t least) {
  static constexpr std::size_t ranks[] = {1, 2, 2, 3, 1, 2, 3, 4, 5, 0, 9};
  return std::max(least, choices.pick(ranks));
}

// The shape of the data, within a budget of elements.
Dims data_shape(const Draft& d, Choices& choices, std::size_t least_rank, std::int64_t budget) {
  const std::size_t rank = pick_rank(choices, least_rank);
  if (d.size == Size::small) return small_shape(choices, rank, budget, may_be_empty(d));
  Dims shape = small_shape(choices, std::min<std::size_t>(rank, 3), 4, may_be_empty(d));
  if (d.size == Size::wide && !shape.empty()) shape[choices.below(shape.size())] = choices.between(9, 70);
  return shape;
}

// How many indices stand in a line.
std::int64_t index_length(const Draft& d, Choices& choices) {
  return d.size == Size::many ? choices.between(40, 300) : choices.between(1, 5);
}

Dims joined(const Dims& a, const Dims& b) {
  Dims all = a;
  all.append(b);
  return all;
}
Dims tail(const Dims& dims, std::size_t from) { return {dims.begin() + std::min(from, dims.size()), dims.end()}; }

void pad(Dims& shape, std::int64_t count) { shape = joined(Dims(static_cast<std::size_t>(count), 1), shape); }

// Leading ones, and the counts that say how many sizes are real. Below feature level 3_0 a shape has four.
void pad_directml(Draft& d, Choices& choices) {
  d.padding = choices.chance(40) ? choices.between(1, 2) : 0;
  const std::int64_t index_padding = choices.chance(40) ? choices.between(1, 2) : 0;
  if (d.padding > 0 || choices.chance(20)) d.fixed["input_dimension_count"] = static_cast<std::int64_t>(d.data.size());
  if (index_padding > 0 || choices.chance(20)) d.fixed["indices_dimension_count"] = static_cast<std::int64_t>(d.index.size());
  pad(d.data, d.padding);
  pad(d.index, index_padding);
  if (choices.chance(30)) pad(d.updates, choices.between(1, 2));
  if (d.updates.empty()) pad(d.updates, 1);
}

void draft_tuples(Draft& d, Choices& choices) {
  d.data = data_shape(d, choices, is_directml(d) ? 1 : 0, 30);
  const std::size_t rank = d.data.size();
  if ((d.has("batch_dims") || d.has("batch_dimension_count")) && rank > 1 && choices.chance(30))
    d.batch = choices.between(1, static_cast<std::int64_t>(rank) - 1);
  const auto batch = static_cast<std::size_t>(d.batch);
  std::int64_t depth =
      choices.between(std::min<std::int64_t>(1, static_cast<std::int64_t>(rank - batch)), static_cast<std::int64_t>(rank - batch));
  if (choices.chance(6) && !is_directml(d)) depth = 0;
  Dims points = small_shape(choices, choices.below(3) + (choices.chance(85) && batch == 0 ? 1 : 0), 12, may_be_empty(d));
  if (d.size == Size::many) points = Dims{index_length(d, choices)};
  const Dims leading(d.data.begin(), d.data.begin() + batch);
  d.index = joined(joined(leading, points), Dims{depth});
  d.updates = joined(joined(leading, points), tail(d.data, batch + static_cast<std::size_t>(depth)));
  if (d.has("batch_dims")) d.fixed["batch_dims"] = d.batch;
  if (d.has("batch_dimension_count")) d.fixed["batch_dimension_count"] = d.batch;
  if (is_directml(d)) pad_directml(d, choices);
}

void pick_axis(Draft& d, Choices& choices) {
  const auto rank = static_cast<std::int64_t>(d.data.size());
  d.axis = rank == 0 ? 0 : choices.between(0, rank - 1);
  const bool from_end = !is_directml(d) && choices.chance(30);
  const std::int64_t value = from_end ? d.axis - std::max<std::int64_t>(rank, 1) : d.axis;
  d.fixed[d.has("dim") ? "dim" : "axis"] = value;
}

void draft_along_axis(Draft& d, Choices& choices) {
  const bool rank_zero = d.form.op->dialect == "pytorch";
  d.data = data_shape(d, choices, rank_zero ? 0 : 1, 36);
  pick_axis(d, choices);
  const bool prefix = d.form.op->dialect == "pytorch" || (d.has("broadcast") && choices.chance(50));
  const bool broadcasts = d.has("broadcast") && !prefix;
  if (d.has("broadcast")) d.fixed["broadcast"] = broadcasts;
  d.index = d.data;
  for (std::size_t a = 0; a < d.index.size(); ++a) {
    if (static_cast<std::int64_t>(a) == d.axis) d.index[a] = choices.chance(5) && may_be_empty(d) ? 0 : index_length(d, choices);
    else if (broadcasts) d.index[a] = choices.chance(30) ? 1 : d.data[a];
    else if (!is_directml(d) && choices.chance(30)) d.index[a] = choices.between(0, d.data[a]);
  }
  if (rank_zero && d.data.size() <= 1 && choices.chance(30)) {
    d.index = choices.chance(50) ? Dims{} : Dims{choices.between(1, d.data.empty() ? 4 : 3)};
  }
  d.updates = d.index;
  for (std::size_t a = 0; a < d.updates.size(); ++a) {
    if (prefix && choices.chance(25)) d.updates[a] += choices.between(1, 2);
    if (broadcasts) d.updates[a] = choices.chance(25) ? 1 : static_cast<std::int64_t>(a) == d.axis ? d.index[a] : d.data[a];
  }
  if (rank_zero && d.updates.size() == 1 && d.updates[0] == 1 && choices.chance(30)) d.updates = Dims{};
}

void draft_slices(Draft& d, Choices& choices) {
  const bool is_paddle = d.form.op->dialect == "paddle";
  d.data = data_shape(d, choices, is_paddle ? 1 : 0, 30);
  d.axis = 0;
  if (d.has("dim") || d.has("axis")) pick_axis(d, choices);
  const std::int64_t count = choices.chance(8) ? 0 : index_length(d, choices);
  d.index = Dims{count};
  d.updates = d.data;
  const auto axis = static_cast<std::size_t>(d.axis);
  if (d.data.empty()) {
    d.index = choices.chance(50) ? Dims{} : Dims{1};
    d.updates = Dims{};
    return;
  }
  d.updates[axis] = count + (is_paddle && choices.chance(20) ? choices.between(1, 2) : 0);
  if (d.form.op->name == "scatter") {
    if (choices.chance(25)) d.index.push_back(1);
    if (choices.chance(12)) {
      d.index = Dims{};
      d.updates = tail(d.data, 1);
    }
  } else if (!is_paddle && count == 1 && choices.chance(30)) {
    d.index = Dims{};
  }
}

Dtype pick_dtype(Choices& choices, DtypeSet allowed) {
  SmallVector<Dtype, 16> list;
  for (const DtypeInfo& row : dtypes) {
    if (allowed.has(row.dtype)) list.push_back(row.dtype);
  }
  return list.empty() ? Dtype::float32 : choices.pick(list);
}

constexpr std::string_view policies[] = {"DEFAULT", "ERROR", "IGNORE", "IGNORE", ""};
constexpr std::string_view torch_scatter_words[] = {"add", "multiply"};
constexpr std::string_view torch_reduce_words[] = {"sum", "prod", "mean", "amax", "amin", "max", "min"};
constexpr std::string_view paddle_words[] = {"assign", "add", "mul", "multiply", "mean", "amin", "amax"};
constexpr std::string_view onnx_words[] = {"none", "add", "mul", "max", "min"};
constexpr std::string_view levels[] = {"3_0", "3_0", "4_1", "5_0", "6_4", "2_1", "1_0", "2_0",
                                       "3_1", "4_0", "5_1", "5_2", "6_0", "6_1", "6_2", "6_3"};
constexpr std::string_view ranges[] = {"error", "clamp"};
// Words of one place that are wrong in another, and some that are wrong everywhere.
constexpr std::string_view wrong_words[] = {"bogus", "SUM",   "max",  "mean", "add ", "multiply", "mul",     "none",  "sum",
                                            "amax",  "error", "skip", "3.0",  "7_0",  "",         "DEFAULT", "ignore"};

std::span<const std::string_view> words_for(const Draft& d, std::string_view parameter) {
  if (parameter == "bad_indices_policy") return policies;
  if (parameter == "feature_level") return levels;
  if (parameter == "out_of_range") return ranges;
  if (parameter == "reduction") return onnx_words;
  if (d.form.op->dialect == "paddle") return paddle_words;
  return d.form.op->name == "scatter" ? std::span<const std::string_view>(torch_scatter_words) : torch_reduce_words;
}

void pick_words(Draft& d, Choices& choices) {
  for (const Parameter& parameter : d.form.op->parameters) {
    if (parameter.type != Parameter::word) continue;
    if (parameter.fallback && choices.chance(40)) continue;
    d.words[std::string(parameter.name)] = choices.pick(words_for(d, parameter.name));
  }
}

// Mostly an opset that knows the word.
void pick_opset(Draft& d, Choices& choices) {
  static constexpr std::int64_t opsets[] = {18, 21, 16, 17, 13, 12, 11};
  if (!d.has("opset") || choices.chance(50)) return;
  const auto word = d.words.find("reduction");
  const bool plain = word == d.words.end() || word->second == "none";
  d.fixed["opset"] = opsets[choices.below(plain ? 7 : 4)];
}

void change_shape(Dims& shape, Choices& choices) {
  switch (choices.below(5)) {
    case 0:
      if (!shape.empty()) shape[choices.below(shape.size())] += 1;
      break;
    case 1:
      if (!shape.empty()) {
        std::int64_t& size = shape[choices.below(shape.size())];
        size = std::max<std::int64_t>(0, size - 1);
      }
      break;
    case 2: shape.push_back(choices.between(0, 2)); break;
    case 3:
      if (!shape.empty()) shape.pop_back();
      break;
    default:
      if (!shape.empty()) shape[choices.below(shape.size())] = 0;
  }
}

void change_dtype(Draft& d, Choices& choices) {
  switch (choices.below(3)) {
    case 0: d.data_dtype = pick_dtype(choices, all_dtypes); break;
    case 1: d.updates_dtype = pick_dtype(choices, all_dtypes); break;
    default: d.index_dtype = pick_dtype(choices, all_dtypes);
  }
}

void change_integer(Draft& d, Choices& choices) {
  const auto rank = static_cast<std::int64_t>(d.data.size());
  const std::int64_t odd[] = {rank, -rank - 1, -1, -100000, std::int64_t{1} << 31, INT64_MIN, INT64_MAX, 0, 1, 8, 17};
  SmallVector<std::string_view, 8> names;
  for (const Parameter& parameter : d.form.op->parameters) {
    if (parameter.type == Parameter::integer) names.push_back(parameter.name);
  }
  if (!names.empty()) d.fixed[std::string(choices.pick(names))] = choices.pick(odd);
}

void change_word(Draft& d, Choices& choices) {
  for (const Parameter& parameter : d.form.op->parameters) {
    if (parameter.type != Parameter::word || !choices.chance(60)) continue;
    const std::string_view word = choices.pick(wrong_words);
    // Where no word at all is meant by an empty one, it is not wrong.
    if (!word.empty() || parameter.fallback != "") d.words[std::string(parameter.name)] = word;
  }
}

}  // namespace

Family family_of(const Operator& op) {
  if (op.parameters[1].type == Parameter::columns) return Family::columns;
  if (op.writes_first_argument()) return op.parameters[1].type == Parameter::index_key ? Family::key : Family::put;
  if (op.name.find("_nd") != std::string_view::npos) return Family::tuples;
  const bool names_slices = op.name.starts_with("index_") || (op.dialect == "paddle" && op.name == "scatter");
  return names_slices ? Family::slices : Family::along_axis;
}

bool Draft::has(std::string_view parameter) const {
  const auto& list = form.op->parameters;
  return std::any_of(list.begin(), list.end(), [&](const Parameter& p) { return p.name == parameter; });
}

std::int64_t Draft::extent(std::int64_t place) const {
  std::size_t at = static_cast<std::size_t>(axis);
  if (family == Family::tuples) {
    const std::int64_t depth = index.empty() ? 1 : std::max<std::int64_t>(index.back(), 1);
    at = static_cast<std::size_t>(padding + batch + place % depth);
  }
  return at < data.size() ? data[at] : 1;
}

Dims small_shape(Choices& choices, std::size_t rank, std::int64_t budget, bool may_be_empty) {
  Dims shape;
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t size = choices.between(1, std::clamp<std::int64_t>(budget, 1, rank > 5 ? 2 : 5));
    shape.push_back(may_be_empty && choices.chance(2) ? 0 : size);
    budget /= std::max<std::int64_t>(size, 1);
  }
  return shape;
}

Draft valid_draft(const OperatorForm& form, Choices& choices, Size size) {
  Draft d;
  d.form = form;
  d.size = size;
  d.family = family_of(*form.op);
  d.wraps = form.op->dialect == "paddle" || form.op->dialect == "onnx" || form.op->dialect == "directml" || form.op->dialect == "numpy";
  d.data_dtype = d.updates_dtype = pick_dtype(choices, form.op->dtypes);
  d.index_dtype = choices.chance(60) && form.op->index_dtypes.has(Dtype::int64) ? Dtype::int64 : pick_dtype(choices, form.op->index_dtypes);
  switch (d.family) {
    case Family::tuples: draft_tuples(d, choices); break;
    case Family::along_axis: draft_along_axis(d, choices); break;
    case Family::slices: draft_slices(d, choices); break;
    case Family::key: draft_key(d, choices); break;
    case Family::put: draft_put(d, choices); break;
    case Family::columns: draft_columns(d, choices); break;
  }
  pick_words(d, choices);
  pick_opset(d, choices);
  if (is_directml(d) && !is_gather(d) && d.family == Family::tuples && choices.chance(10)) d.words["feature_level"] = "2_1";
  return d;
}

void spoil(Draft& draft, Choices& choices) {
  switch (choices.below(9)) {
    case 0:
    case 1:
    case 2: draft.bad_indices = true; break;
    case 3:
      if (draft.family == Family::key || draft.family == Family::columns) spoil_key(draft, choices);
      else change_shape(draft.index, choices);
      break;
    case 4: change_shape(draft.updates, choices); break;
    case 5: change_shape(draft.data, choices); break;
    case 6: change_dtype(draft, choices); break;
    case 7: change_integer(draft, choices); break;
    default: change_word(draft, choices);
  }
}

}  // namespace strew::harness
