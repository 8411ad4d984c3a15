// Elements of generated tensors, and the views through which a case sees them.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "harness/draft.h"
#include "harness/elements.h"

namespace strew::harness {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double special_real(Dtype dtype, Choices& choices) {
  const bool is_half = dtype == Dtype::float16, is_bfloat = dtype == Dtype::bfloat16;
  const bool is_single = dtype == Dtype::float32 || dtype == Dtype::complex64 || is_bfloat;
  const double largest = is_half ? 65504.0 : is_bfloat ? 0x1.fep127 : is_single ? 0x1.fffffep127 : std::numeric_limits<double>::max();
  const double smallest = is_half ? 0x1p-24 : is_bfloat ? 0x1p-133 : is_single ? 0x1p-149 : 0x0.0000000000001p-1022;
  const double normal = is_half ? 0x1p-14 : is_single ? 0x1p-126 : 0x1p-1022;
  const double list[] = {std::nan(""), infinity, -infinity,         -0.0, 0.0,    largest,   -largest, smallest,
                         -smallest,    normal,   normal - smallest, 1.0,  2048.0, 16777216.0};
  return choices.pick(list);
}

double plain_real(Choices& choices) {
  // Sixteenths and thirds: some sums round, some do not.
  const double x = static_cast<double>(choices.between(-40, 40));
  return choices.chance(30) ? x / 3 : x / 4;
}

void store_random_real(Dtype dtype, std::byte* at, Choices& choices) {
  store_real(dtype, at, choices.chance(20) ? special_real(dtype, choices) : plain_real(choices));
}

std::uint64_t random_integer(Dtype dtype, Choices& choices) {
  if (dtype == Dtype::bool_) return choices.below(2);
  if (choices.chance(75)) return static_cast<std::uint64_t>(choices.between(-9, 9));
  const int bits = static_cast<int>(size_of(dtype)) * 8;
  const std::uint64_t top = std::uint64_t{1} << (bits - 1);
  const std::uint64_t list[] = {top, top - 1, ~std::uint64_t{0}, 0, top + 1, choices.bits(64)};
  return choices.pick(list);
}

constexpr std::array<const char*, 6> texts = {"a", "", "bc", "\xc3\xbcn\xc3\xaf", "a text that is too long for the small buffer", "x"};

void fill(Buffer& buffer, Choices& choices) {
  for (std::int64_t i = 0; i < buffer.size(); ++i) {
    if (buffer.dtype == Dtype::string) {
      buffer.strings[static_cast<std::size_t>(i)] = choices.pick(texts);
      continue;
    }
    std::byte* const at = buffer.bytes.data() + i * size_of(buffer.dtype);
    switch (dtype_info(buffer.dtype).kind) {
      case DtypeKind::floating: store_random_real(buffer.dtype, at, choices); break;
      case DtypeKind::complex:
        store_random_real(buffer.dtype, at, choices);
        store_random_real(buffer.dtype, at + size_of(buffer.dtype) / 2, choices);
        break;
      default: store_integer(buffer.dtype, at, random_integer(buffer.dtype, choices));
    }
  }
}

// Values that must be refused, or that turn into good ones when a careless program narrows them.
std::uint64_t bad_index(std::int64_t extent, Choices& choices) {
  const std::int64_t list[] = {extent,
                               extent + 1,
                               std::int64_t{1} << 31,
                               (std::int64_t{1} << 32) + choices.between(0, 3),
                               INT64_MAX,
                               -1,
                               -extent,
                               -extent - 1,
                               INT32_MIN,
                               INT64_MIN,
                               INT32_MAX,
                               0};
  return static_cast<std::uint64_t>(choices.pick(list));
}

std::uint64_t good_index(const Draft& draft, std::int64_t extent, Choices& choices) {
  const std::int64_t at = extent == 0 ? choices.between(0, 1) : choices.between(0, extent - 1);
  const bool negative = draft.wraps && dtype_info(draft.index_dtype).kind == DtypeKind::signed_integer && choices.chance(25);
  return static_cast<std::uint64_t>(negative ? at - extent : at);
}

// Strides over a buffer with gaps, some of them backwards, the dimensions in any order of size.
TensorSpec strided(const Dims& shape, Choices& choices, bool may_repeat) {
  TensorSpec tensor{shape, {}, Dims(shape.size(), 0), 0, {}};
  SmallVector<std::size_t, 8> order;
  for (std::size_t d = 0; d < shape.size(); ++d) order.push_back(d);
  for (std::size_t d = order.size(); d > 1; --d) std::swap(order[d - 1], order[choices.below(d)]);
  std::int64_t step = choices.between(1, 2), low = 0;
  for (const std::size_t d : order) {
    const std::int64_t size = std::max<std::int64_t>(shape[d], 1);
    if (may_repeat && choices.chance(20)) continue;
    const bool backwards = choices.chance(30);
    (*tensor.strides)[d] = backwards ? -step : step;
    if (backwards) low += (size - 1) * step;
    step = step * size + choices.between(0, 1);
  }
  tensor.offset = low + choices.between(0, 2);
  return tensor;
}

// One past the last element that the view reaches.
std::int64_t reach(const TensorSpec& tensor) {
  std::int64_t end = 0;
  each_place(tensor, [&](std::int64_t place) { end = std::max(end, place + 1); });
  return end;
}

void fill_index(const Draft& draft, TensorSpec& tensor, Choices& choices) {
  // What the view leaves out is out of range too, so that reading it does not go unseen.
  for (std::int64_t i = 0; i < tensor.data.size(); ++i)
    store_integer(tensor.data.dtype, tensor.data.bytes.data() + i * size_of(tensor.data.dtype), 0x7f7f7f7f);
  const std::int64_t count = element_count(tensor.shape);
  const std::int64_t bad = draft.bad_indices && count > 0 ? choices.between(0, count - 1) : -1;
  std::int64_t next = 0;
  each_place(tensor, [&](std::int64_t place) {
    const std::int64_t extent = draft.extent(next);
    const bool is_bad = draft.bad_indices && (next == bad || choices.chance(10));
    store_integer(tensor.data.dtype, tensor.data.bytes.data() + place * size_of(tensor.data.dtype),
                  is_bad ? bad_index(extent, choices) : good_index(draft, extent, choices));
    ++next;
  });
}

}  // namespace

TensorSpec make_tensor(const Draft& draft, Role role, Choices& choices, bool may_repeat) {
  const Dims& shape = role == Role::data ? draft.data : role == Role::index ? draft.index : draft.updates;
  const Dtype dtype = role == Role::data ? draft.data_dtype : role == Role::index ? draft.index_dtype : draft.updates_dtype;
  const bool dense_view = !choices.chance(35);
  TensorSpec tensor = dense_view ? TensorSpec{shape, {}, {}, 0, {}} : strided(shape, choices, may_repeat);
  tensor.data = zeros(dtype, dense_view ? element_count(shape) : reach(tensor) + choices.between(0, 2));
  if (role == Role::index && is_integer(dtype)) {
    fill_index(draft, tensor, choices);
  } else {
    fill(tensor.data, choices);
  }
  // The offset of a view without elements points nowhere.
  if (!dense_view && element_count(shape) == 0) tensor.offset = 0;
  return tensor;
}

Number make_number(Choices& choices) {
  const Number list[] = {std::int64_t{1},
                         1.0,
                         std::int64_t{2},
                         0.5,
                         std::int64_t{-1},
                         -2.75,
                         true,
                         false,
                         std::int64_t{300},
                         std::int64_t{0},
                         70000.0,
                         1e40,
                         std::nan(""),
                         infinity,
                         -0.0,
                         std::int64_t{1} << 40,
                         std::int64_t{16777217},
                         std::complex<double>(1, 0),
                         std::complex<double>(0.5, -2),
                         1.0 / 3,
                         std::int64_t{-129},
                         65520.0,
                         1e-46,
                         INT64_MIN,
                         INT64_MAX,
                         std::uint64_t{0x8000'0000'0000'0005},
                         UINT64_MAX,
                         9.7};
  return choices.pick(list);
}

}  // namespace strew::harness
