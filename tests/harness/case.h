// One test case: an operator, its arguments as bits, and what must come of it.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "strew/dialects/numpy.h"
#include "strew/op.h"

namespace strew::harness {

// Elements side by side: bytes for numbers, texts for strings.
struct Buffer {
  Dtype dtype = Dtype::float32;
  std::vector<std::byte> bytes;
  std::vector<std::string> strings;

  [[nodiscard]] std::int64_t size() const;
};

// A dense row-major tensor.
struct Values {
  Dims shape;
  Buffer data;
};

// A tensor argument: a view of a buffer of its own, or of the buffer of the argument that `shares` names.
struct TensorSpec {
  Dims shape;
  Buffer data;                  // the whole buffer; only its dtype counts when it is shared
  std::optional<Dims> strides;  // in elements; none: dense
  std::int64_t offset = 0;      // of element [0, ..., 0], in elements
  std::string shares;
};

// What stands in a[...]; its tensors have buffers of their own, named "indices[2]" for the third part of `indices`.
using KeyPart = std::variant<std::int64_t, numpy::Slice, numpy::Ellipsis, numpy::NewAxis, TensorSpec>;
using KeySpec = std::vector<KeyPart>;

struct CaseArgument {
  std::string name;
  std::variant<TensorSpec, Number, std::string, Dims, KeySpec> value;
};

// Calls use(name of its buffer, tensor) for every tensor of an argument.
template <class Argument, class Use>
void each_tensor(Argument& argument, Use use) {
  if (auto* const tensor = std::get_if<TensorSpec>(&argument.value)) use(argument.name, *tensor);
  auto* const key = std::get_if<KeySpec>(&argument.value);
  for (std::size_t i = 0; key != nullptr && i < key->size(); ++i) {
    if (auto* const tensor = std::get_if<TensorSpec>(&(*key)[i])) use(argument.name + "[" + std::to_string(i) + "]", *tensor);
  }
}

struct Case {
  std::string id;
  std::string system;
  std::string op;
  std::vector<CaseArgument> args;
  // What a golden file recorded. A generated case has neither.
  std::optional<Values> result;
  std::optional<std::string> error;
  bool unspecified = false;
  bool unsupported = false;
  bool disputed = false;
  std::string overruled;

  // The registry's name of the system: both ONNX systems speak one dialect.
  [[nodiscard]] std::string_view dialect() const;
};

// What a run gave. `damage` says what the run did that no run may do, whatever its answer; empty if nothing.
struct Answer {
  std::optional<Values> result;
  std::optional<ErrorCode> code;
  std::string message;
  std::optional<BadIndex> bad_index;
  std::string damage;
};

// The strides of a view, dense ones if it has none of its own.
[[nodiscard]] Dims strides_of(const TensorSpec& tensor);

// Calls use(place in the buffer) for every element of the view in row-major order.
template <class Use>
void each_place(const TensorSpec& tensor, Use use) {
  const Dims strides = strides_of(tensor);
  for (const std::int64_t size : tensor.shape) {
    if (size == 0) return;
  }
  Dims at(tensor.shape.size(), 0);
  while (true) {
    std::int64_t place = tensor.offset;
    for (std::size_t d = 0; d < at.size(); ++d) place += at[d] * strides[d];
    use(place);
    std::size_t d = at.size();
    while (d > 0 && ++at[d - 1] == tensor.shape[d - 1]) at[--d] = 0;
    if (d == 0) return;
  }
}

// The elements of a view, read from the buffer it lies in.
[[nodiscard]] Values dense(const TensorSpec& tensor, const Buffer& buffer);

// The same case without views: every argument dense and in memory of its own.
[[nodiscard]] Case without_views(const Case& c);

// Element `i` of `from` becomes element `to_i` of `to`; the dtypes are the same.
void copy_element(Buffer& to, std::int64_t to_i, const Buffer& from, std::int64_t i);

// A buffer of `count` zeros or empty strings.
[[nodiscard]] Buffer zeros(Dtype dtype, std::int64_t count);

// The elements of any range of C++ values, for tests written by hand.
template <Element T>
[[nodiscard]] Buffer buffer_of(const std::vector<T>& values) {
  Buffer buffer = zeros(dtype_of<T>, static_cast<std::int64_t>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if constexpr (std::is_same_v<T, std::string>) {
      buffer.strings[i] = values[i];
    } else {
      const T value = values[i];
      std::memcpy(buffer.bytes.data() + i * sizeof(T), &value, sizeof value);
    }
  }
  return buffer;
}

// Bits are equal, but any NaN equals any NaN.
[[nodiscard]] bool same(const Values& a, const Values& b);
// Bits are equal, NaN included.
[[nodiscard]] bool same_bits(const Values& a, const Values& b);
[[nodiscard]] bool same_bits(const Buffer& a, const Buffer& b);

// "float32[2, 2] [1 2 3 ..]", on one line.
[[nodiscard]] std::string text(const Values& values, std::size_t limit = 24);

}  // namespace strew::harness
