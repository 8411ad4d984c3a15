// Error texts as a table: a call that works, what is changed about it, and the whole text that it must then fail with.
#pragma once

#include <string>
#include <vector>

#include "harness/case.h"

namespace strew::harness {

using Arguments_ = std::vector<CaseArgument>;

// A call that works: "dialect.name" and its arguments.
struct Call {
  std::string op;
  Arguments_ args;
};

// One check: the arguments that replace those of the call, or come in addition, and the error. "{op}" stands for the
// operator's name in messages.
struct Row {
  Arguments_ change;
  ErrorCode code;
  std::string text;
};

// Tensors of small integers of any dtype; zeros if no values are given. Strings are empty.
[[nodiscard]] TensorSpec t(Dtype dtype, Dims shape, const std::vector<std::int64_t>& values = {});
[[nodiscard]] inline TensorSpec f32(Dims shape) { return t(Dtype::float32, std::move(shape)); }
[[nodiscard]] inline TensorSpec i64(Dims shape, const std::vector<std::int64_t>& values = {}) {
  return t(Dtype::int64, std::move(shape), values);
}
[[nodiscard]] inline Number n(std::int64_t value) { return value; }
[[nodiscard]] inline std::string w(const char* word) { return word; }

// The call works as it is; with each row's change it fails with the row's code and text, in every form that the operator
// has, run and explained, and the outputs keep their bytes. `name` is the operator's name in messages, with "_" added in place if
// `underscore`.
void expect_rows(const Call& call, const std::string& name, bool underscore, const std::vector<Row>& rows);

}  // namespace strew::harness
