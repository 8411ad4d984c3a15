// Drafts for NumPy's operators: what stands in a[...], and indices and values that are broadcast.
#include <algorithm>
#include <array>

#include "harness/draft.h"
#include "harness/elements.h"

namespace strew::harness {
namespace {

// The same sizes, some of them 1 and some leading ones left out: what broadcasts to the shape.
Dims broadcastable(Dims shape, Choices& choices) {
  while (!shape.empty() && choices.chance(15)) shape = Dims(shape.begin() + 1, shape.end());
  for (std::int64_t& size : shape) {
    if (choices.chance(15)) size = 1;
  }
  return shape;
}

Dims with_leading_one(const Dims& shape) {
  Dims more{1};
  more.append(shape);
  return more;
}

numpy::Slice random_slice(std::int64_t size, Choices& choices) {
  const auto end = [&]() -> std::optional<std::int64_t> {
    static constexpr std::int64_t far[] = {INT64_MIN, INT64_MAX, 1000, -1000};
    if (choices.chance(40)) return std::nullopt;
    return choices.chance(8) ? choices.pick(far) : choices.between(-size - 1, size + 1);
  };
  static constexpr std::int64_t steps[] = {1, 2, -1, -2, 3, INT64_MAX, INT64_MIN, -7};
  numpy::Slice slice{end(), end(), {}};
  if (choices.chance(50)) slice.step = choices.pick(steps);
  return slice;
}

// As many as the slice takes, counted one by one.
std::int64_t length_of(const numpy::Slice& slice, std::int64_t size) {
  const std::int64_t step = slice.step.value_or(1);
  const auto wrapped = [&](std::int64_t end) { return end < 0 ? end + size : end; };
  const std::int64_t start = slice.start ? wrapped(*slice.start) : step > 0 ? 0 : size - 1;
  const std::int64_t stop = slice.stop ? wrapped(*slice.stop) : step > 0 ? size : -1;
  std::int64_t at = step > 0 ? std::max<std::int64_t>(start, 0) : std::min(start, size - 1);
  std::int64_t count = 0;
  for (; at >= 0 && at < size && (step > 0 ? at < stop : at > stop); ++count) {
    if (step > size || step < -size) return 1;
    at += step;
  }
  return count;
}

TensorSpec make_mask(const KeyDraft& part, Choices& choices) {
  TensorSpec mask{part.shape, zeros(Dtype::bool_, element_count(part.shape)), {}, 0, {}};
  const auto count = static_cast<std::size_t>(mask.data.size());
  if (choices.chance(30)) {  // column-major
    mask.strides = Dims(part.shape.size(), 1);
    for (std::size_t d = 1; d < part.shape.size(); ++d) (*mask.strides)[d] = (*mask.strides)[d - 1] * part.shape[d - 1];
  }
  for (std::size_t i = 0; i < count && i < static_cast<std::size_t>(part.trues); ++i) {
    std::size_t at = choices.below(count);
    while (mask.data.bytes[at] != std::byte{0}) at = (at + 1) % count;
    mask.data.bytes[at] = std::byte{1};
  }
  return mask;
}

KeyDraft basic_part(const Dims& data, std::size_t axis, Choices& choices) {
  KeyDraft part;
  part.axis = axis;
  part.kind = choices.chance(35) && data[axis] > 0 ? KeyDraft::integer : KeyDraft::slice;
  if (part.kind == KeyDraft::slice) part.slice_of = random_slice(data[axis], choices);
  return part;
}

KeyDraft advanced_part(const Draft& d, std::size_t axis, const Dims& points, Choices& choices) {
  KeyDraft part;
  part.axis = axis;
  const std::size_t most = std::min<std::size_t>(d.data.size() - axis, 2);
  const Dims covered(d.data.begin() + axis, d.data.begin() + axis + choices.below(most + 1));
  const std::int64_t trues = points.empty() ? 1 : points.back();
  if (choices.chance(25) && element_count(covered) >= trues) {
    part.kind = KeyDraft::mask;
    part.shape = covered;
    part.trues = choices.chance(85) ? trues : 1;
    return part;
  }
  part.kind = KeyDraft::array;
  part.shape = broadcastable(points, choices);
  part.dtype = choices.chance(60) ? Dtype::int64 : static_cast<Dtype>(choices.between(1, 8));
  return part;
}

void draft_parts(Draft& d, Choices& choices) {
  const Dims points = choices.chance(80) ? small_shape(choices, 1 + choices.below(2), 8, true) : Dims{};
  const int advanced = choices.chance(75) ? 60 : 0;
  bool has_ellipsis = false;
  std::size_t axis = 0;
  while (choices.chance(axis < d.data.size() ? 88 : 15)) {
    if (choices.chance(8)) {
      d.key.push_back({.kind = KeyDraft::new_axis, .axis = axis});
    } else if (!has_ellipsis && choices.chance(10)) {
      const std::int64_t stands_for = choices.between(0, static_cast<std::int64_t>(d.data.size() - axis));
      d.key.push_back({.kind = KeyDraft::ellipsis, .axis = axis, .trues = stands_for});
      axis += static_cast<std::size_t>(stands_for);
      has_ellipsis = true;
    } else if (axis < d.data.size()) {
      d.key.push_back(choices.chance(advanced) ? advanced_part(d, axis, points, choices) : basic_part(d.data, axis, choices));
      axis += d.key.back().kind == KeyDraft::mask ? d.key.back().shape.size() : 1;
    }
  }
  // After an ellipsis every axis is named, or it would stand for more of them.
  for (; has_ellipsis && axis < d.data.size(); ++axis) d.key.push_back(basic_part(d.data, axis, choices));
}

// The shape of a[...]. Where advanced indices stand apart the points come first.
Dims indexed_shape(const Draft& d) {
  Dims points, before, after;
  bool seen = false, apart = false, first = false, any = false;
  for (const KeyDraft& part : d.key) any = any || part.kind == KeyDraft::array || part.kind == KeyDraft::mask;
  std::size_t axis = 0;
  const auto add = [&](std::int64_t size) {
    apart = true;
    (seen ? after : before).push_back(size);
  };
  const auto advance = [&](const Dims& shape) {
    first = first || (seen && apart);
    seen = true;
    apart = false;
    while (points.size() < shape.size()) points = with_leading_one(points);
    for (std::size_t i = 0; i < shape.size(); ++i) {
      std::int64_t& size = points[points.size() - shape.size() + i];
      if (size == 1) size = shape[i];
    }
  };
  for (const KeyDraft& part : d.key) {
    switch (part.kind) {
      case KeyDraft::integer:
        if (any) advance({});
        ++axis;
        break;
      case KeyDraft::slice: add(length_of(part.slice_of, d.data[axis++])); break;
      case KeyDraft::new_axis: add(1); break;
      case KeyDraft::ellipsis:
        apart = true;
        for (std::int64_t i = 0; i < part.trues; ++i) add(d.data[axis++]);
        break;
      case KeyDraft::array:
        advance(part.shape.empty() && !any ? Dims{} : part.shape);
        ++axis;
        break;
      case KeyDraft::mask:
        advance({part.trues});
        axis += part.shape.size();
        break;
    }
  }
  while (axis < d.data.size()) add(d.data[axis++]);
  Dims shape = first ? points : before;
  shape.append(first ? before : points);
  shape.append(after);
  return shape;
}

}  // namespace

void draft_key(Draft& d, Choices& choices) {
  static constexpr std::size_t ranks[] = {1, 2, 2, 3, 1, 3, 4, 0};
  d.data = small_shape(choices, choices.pick(ranks), 36, true);
  draft_parts(d, choices);
  d.updates = broadcastable(indexed_shape(d), choices);
  if (choices.chance(45)) d.updates_dtype = choices.pick(dtypes).dtype;
}

void draft_columns(Draft& d, Choices& choices) {
  static constexpr std::size_t ranks[] = {1, 2, 2, 3, 1, 3, 4, 9};
  const std::size_t rank = choices.pick(ranks), depth = 1 + choices.below(std::min<std::size_t>(rank, 3));
  d.data = small_shape(choices, rank, d.size == Size::small ? 36 : 8, true);
  if (d.size == Size::wide) d.data[choices.below(rank)] = choices.between(9, 70);
  const Dims points = d.size == Size::many ? Dims{choices.between(40, 300)} : small_shape(choices, choices.below(3), 8, true);
  for (std::size_t axis = 0; axis < depth; ++axis) {
    KeyDraft part{.kind = KeyDraft::array, .axis = axis, .shape = points};
    if (points.empty() && choices.chance(30)) part.kind = KeyDraft::integer;
    part.dtype = choices.chance(60) ? Dtype::int64 : static_cast<Dtype>(choices.between(1, 8));
    d.key.push_back(part);
  }
  d.updates = points;
  for (std::size_t axis = depth; axis < rank; ++axis) d.updates.push_back(d.data[axis]);
}

void draft_put(Draft& d, Choices& choices) {
  static constexpr std::size_t ranks[] = {1, 2, 2, 3, 4};
  d.data = small_shape(choices, choices.pick(ranks), 36, true);
  if (choices.chance(45)) d.updates_dtype = choices.pick(dtypes).dtype;
  if (choices.chance(20)) {  // axis=None
    d.data = Dims{element_count(d.data)};
    d.index = Dims{choices.between(0, 5)};
    d.updates = broadcastable(d.index, choices);
    return;
  }
  d.axis = choices.between(0, static_cast<std::int64_t>(d.data.size()) - 1);
  d.fixed["axis"] = choices.chance(30) ? d.axis - static_cast<std::int64_t>(d.data.size()) : d.axis;
  d.index = d.updates = d.data;
  for (std::size_t a = 0; a < d.data.size(); ++a) {
    if (static_cast<std::int64_t>(a) == d.axis) d.index[a] = choices.chance(5) ? 0 : choices.between(1, 5);
    else if (choices.chance(25)) d.index[a] = 1;
    else if (d.data[a] == 1 && choices.chance(50)) d.index[a] = choices.between(0, 3);
    d.updates[a] = d.index[a] == 1 && static_cast<std::int64_t>(a) != d.axis ? d.data[a] : d.index[a];
  }
  d.updates = broadcastable(d.updates, choices);
  if (choices.chance(10)) d.updates = with_leading_one(d.updates);
}

void spoil_key(Draft& d, Choices& choices) {
  const auto random_part = [&]() -> KeyDraft* { return d.key.empty() ? nullptr : &d.key[choices.below(d.key.size())]; };
  KeyDraft* const part = random_part();
  KeyDraft extra;
  extra.kind = static_cast<KeyDraft::Kind>(choices.below(6));
  extra.shape = small_shape(choices, choices.below(3), 6, true);
  extra.trues = choices.between(0, 2);
  switch (choices.below(5)) {
    case 0: d.key.push_back(extra); break;
    case 1: d.key.insert(d.key.begin(), extra); break;
    case 2:
      if (part != nullptr) part->dtype = choices.pick(dtypes).dtype;
      break;
    case 3:
      if (part != nullptr && !part->shape.empty()) part->shape[choices.below(part->shape.size())] += 1;
      break;
    default:
      if (part != nullptr) part->slice_of.step = 0;
  }
}

KeySpec make_key(const Draft& draft, Choices& choices) {
  KeySpec key;
  Draft d = draft;
  d.family = Family::slices;  // every index of a tensor addresses one axis
  for (const KeyDraft& part : draft.key) {
    const std::int64_t extent = part.axis < d.data.size() ? d.data[part.axis] : 1;
    switch (part.kind) {
      case KeyDraft::integer:
        key.push_back(draft.bad_indices && choices.chance(30)
                          ? choices.pick(std::array{extent, -extent - 1, INT64_MIN, INT64_MAX})
                          : choices.between(draft.wraps ? -extent : 0, std::max<std::int64_t>(extent - 1, 0)));
        break;
      case KeyDraft::slice: key.push_back(part.slice_of); break;
      case KeyDraft::new_axis: key.push_back(numpy::NewAxis{}); break;
      case KeyDraft::ellipsis: key.push_back(numpy::Ellipsis{}); break;
      case KeyDraft::array:
        d.axis = static_cast<std::int64_t>(part.axis);
        d.index = part.shape;
        d.index_dtype = part.dtype;
        key.push_back(make_tensor(d, Role::index, choices, true));
        break;
      case KeyDraft::mask: key.push_back(make_mask(part, choices)); break;
    }
  }
  return key;
}

}  // namespace strew::harness
