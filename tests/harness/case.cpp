// Views, copies and comparison of the arrays in a case.
#include "harness/case.h"

#include <cmath>
#include <cstring>

#include "base/text.h"
#include "harness/elements.h"

namespace strew::harness {
using namespace internal;

std::int64_t Buffer::size() const {
  return static_cast<std::int64_t>(dtype == Dtype::string ? strings.size() : bytes.size() / static_cast<std::size_t>(size_of(dtype)));
}

std::string_view Case::dialect() const { return system == "onnxruntime" || system == "onnx_reference" ? std::string_view("onnx") : system; }

Buffer zeros(Dtype dtype, std::int64_t count) {
  Buffer buffer{dtype, {}, {}};
  const auto size = static_cast<std::size_t>(count);
  if (dtype == Dtype::string) {
    buffer.strings.resize(size);
  } else {
    buffer.bytes.resize(size * static_cast<std::size_t>(size_of(dtype)));
  }
  return buffer;
}

Dims strides_of(const TensorSpec& tensor) { return tensor.strides ? *tensor.strides : dense_strides(tensor.shape); }

void copy_element(Buffer& to, std::int64_t to_i, const Buffer& from, std::int64_t i) {
  if (to.dtype == Dtype::string) {
    to.strings.at(static_cast<std::size_t>(to_i)) = from.strings.at(static_cast<std::size_t>(i));
    return;
  }
  const std::int64_t size = size_of(to.dtype);
  std::memcpy(to.bytes.data() + to_i * size, from.bytes.data() + i * size, static_cast<std::size_t>(size));
}

Values dense(const TensorSpec& tensor, const Buffer& buffer) {
  Values values{tensor.shape, zeros(buffer.dtype, element_count(tensor.shape))};
  std::int64_t next = 0;
  each_place(tensor, [&](std::int64_t place) { copy_element(values.data, next++, buffer, place); });
  return values;
}

Case without_views(const Case& c) {
  Case plain = c;
  for (CaseArgument& argument : plain.args) {
    each_tensor(argument, [&](const std::string&, TensorSpec& tensor) {
      const Buffer* buffer = &tensor.data;
      for (const CaseArgument& owner : c.args) {
        if (!tensor.shares.empty() && owner.name == tensor.shares) buffer = &std::get<TensorSpec>(owner.value).data;
      }
      Values values = dense(tensor, *buffer);
      tensor = TensorSpec{std::move(values.shape), std::move(values.data), {}, 0, {}};
    });
  }
  return plain;
}

bool same_bits(const Buffer& a, const Buffer& b) { return a.dtype == b.dtype && a.bytes == b.bytes && a.strings == b.strings; }

bool same_bits(const Values& a, const Values& b) { return a.shape == b.shape && same_bits(a.data, b.data); }

bool same(const Values& a, const Values& b) {
  if (same_bits(a, b)) return true;
  if (a.data.dtype != b.data.dtype || !(a.shape == b.shape) || a.data.dtype == Dtype::string) return false;
  // Complex numbers are compared part by part.
  const auto parts = static_cast<std::size_t>(parts_of(a.data.dtype));
  const std::size_t size = static_cast<std::size_t>(size_of(a.data.dtype)) / parts;
  for (std::size_t at = 0; at < a.data.bytes.size(); at += size) {
    const std::byte *x = a.data.bytes.data() + at, *y = b.data.bytes.data() + at;
    if (std::memcmp(x, y, size) != 0 && !(is_nan(a.data.dtype, x) && is_nan(a.data.dtype, y))) return false;
  }
  return true;
}

std::string text(const Values& values, std::size_t limit) {
  std::string line = cat(to_string(values.data.dtype), bracketed(values.shape), " [");
  const auto count = static_cast<std::size_t>(values.data.size());
  for (std::size_t i = 0; i < count && i < limit; ++i)
    line += cat(i == 0 ? "" : " ", element_text(values.data, static_cast<std::int64_t>(i)));
  return line + (count > limit ? cat(" .. ", count, " in all]") : "]");
}

}  // namespace strew::harness
