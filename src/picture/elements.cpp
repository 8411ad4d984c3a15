// Formats elements. Floats keep as many digits as fit; integers that are cut keep both ends.
#include "picture/elements.h"

#include <algorithm>
#include <cmath>

#include "base/checked.h"
#include "base/text.h"
#include "kernels/types.h"
#include "picture/legible.h"

namespace strew::internal {
namespace {

constexpr std::string_view ellipsis = "\xE2\x80\xA6";
constexpr std::int64_t shown_in_full = 100, edge = 3;  // largest number of elements that is shown in full; elements at each end of an axis

std::string real_text(auto number, std::size_t most) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
  std::string text = cat(number);
  for (int digits = 9; text.size() > most && digits > 1; --digits) {
    char rounded[32];
    text.assign(rounded, write_rounded(rounded, rounded + sizeof rounded, static_cast<double>(number), digits));
  }
  return text;
}

std::string integer_text(auto number, std::size_t most) {
  std::string digits = cat(number);
  if (digits.size() <= most) return digits;
  const std::size_t kept = most - 1, end = kept / 2;
  return cat(std::string_view(digits).substr(0, kept - end), ellipsis, std::string_view(digits).substr(digits.size() - end));
}

template <class T>
std::string text_of(T value, std::size_t most) {
  if constexpr (std::same_as<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (Integer<T>) {
    return integer_text(value, most);
  } else if constexpr (HalfLike<T>) {
    return real_text(to_float(value), most);
  } else if constexpr (ComplexLike<T>) {
    const std::string real = real_text(value.real(), most), imaginary = real_text(value.imag(), most);
    return cat(real, imaginary.starts_with('-') ? "" : "+", imaginary, "j");
  } else {
    return real_text(value, most);
  }
}

std::string edges_text(const View& view, Dims& position, bool whole);

// Elements or parts [begin, end) along the next axis.
void append_part(std::string& text, const View& view, Dims& position, bool whole, std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i < end; ++i) {
    if (text.back() != '[') append(text, ", ");
    position.push_back(i);
    append(text, edges_text(view, position, whole));
    position.pop_back();
  }
}

std::string edges_text(const View& view, Dims& position, bool whole) {
  const std::size_t axis = position.size();
  if (axis == view.rank()) return element_text(view.dtype, element_at(view, position), 24);
  const std::int64_t size = view.shape[axis];
  std::string text = "[";
  if (whole || size <= 2 * edge) {
    append_part(text, view, position, whole, 0, size);
  } else {
    append_part(text, view, position, whole, 0, edge);
    append(text, ", ...");
    append_part(text, view, position, whole, size - edge, size);
  }
  append(text, "]");
  return text;
}

// With too many axes to show both ends of each, the first elements along the last ones.
std::string first_text(const View& view) {
  Dims position(view.rank() > 2 ? view.rank() - 2 : 0, 0);
  const std::string opening(position.size(), '['), inner = edges_text(view, position, false);
  return cat(opening, inner, ", ...", std::string(opening.size(), ']'));
}

}  // namespace

const std::byte* element_at(const View& view, Sizes position) {
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < position.size(); ++d) offset = wrapping_add(offset, wrapping_mul(position[d], view.strides[d]));
  return static_cast<const std::byte*>(view.data) + offset * size_of(view.dtype);
}

std::string element_text(Dtype dtype, const void* element, std::size_t most) {
  if (dtype == Dtype::string) return cat('"', legible(*static_cast<const std::string*>(element), most), '"');
  std::string text;
  visit_dtype(Numbers{}, dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    text = text_of(load<T>(static_cast<const std::byte*>(element)), most);
  });
  return text;
}

std::string view_text(const View& view) {
  std::int64_t count = 1, shown = 1;
  for (const std::int64_t size : view.shape) {
    count = saturating_mul(count, std::max<std::int64_t>(size, 1));
    shown = saturating_mul(shown, std::clamp<std::int64_t>(size, 1, 2 * edge));
  }
  Dims position;
  if (count > shown_in_full && is_empty(view.shape)) return cat("[] of shape ", bracketed(view.shape));
  if (count > shown_in_full && shown > 10 * shown_in_full) return first_text(view);
  return edges_text(view, position, count <= shown_in_full);
}

}  // namespace strew::internal
