// Runs the rows of an error table.
#include "errors/rows.h"

#include <gtest/gtest.h>

#include "harness/elements.h"
#include "harness/runner.h"

namespace strew::harness {
namespace {

Case with(const Call& call, const Arguments_& change) {
  Case c;
  c.id = call.op;
  c.system = call.op.substr(0, call.op.find('.'));
  c.op = call.op.substr(call.op.find('.') + 1);
  c.args = call.args;
  for (const CaseArgument& argument : change) {
    bool replaced = false;
    for (CaseArgument& own : c.args) {
      if (own.name != argument.name) continue;
      own.value = argument.value;
      replaced = true;
    }
    if (!replaced) c.args.push_back(argument);
  }
  return c;
}

std::string named(std::string text, const std::string& name) {
  for (std::size_t at = text.find("{op}"); at != std::string::npos; at = text.find("{op}", at + name.size())) text.replace(at, 4, name);
  return text;
}

void expect_error(const Case& c, Form form, const Row& row, const std::string& name) {
  for (const bool explained : {false, true}) {
    if (explained && row.code == ErrorCode::memory) continue;  // explaining needs none
    const Answer answer = run_case(c, {.form = form, .explained = explained});
    EXPECT_EQ(answer.damage, "") << row.text;
    ASSERT_TRUE(answer.code) << "no error, but expected: " << row.text << (explained ? " (explained)" : "");
    EXPECT_EQ(strew::to_string(*answer.code), strew::to_string(row.code)) << answer.message;
    EXPECT_EQ(answer.message, named(row.text, name));
  }
}

}  // namespace

TensorSpec t(Dtype dtype, Dims shape, const std::vector<std::int64_t>& values) {
  TensorSpec tensor{std::move(shape), {}, {}, 0, {}};
  tensor.data = zeros(dtype, element_count(tensor.shape));
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::byte* const at = tensor.data.bytes.data() + static_cast<std::int64_t>(i) * size_of(dtype);
    if (is_integer(dtype) || dtype == Dtype::bool_) {
      store_integer(dtype, at, static_cast<std::uint64_t>(values[i]));
    } else {
      store_real(dtype, at, static_cast<double>(values[i]));
    }
  }
  return tensor;
}

void expect_rows(const Call& call, const std::string& name, bool underscore, const std::vector<Row>& rows) {
  const Answer valid = run_case(with(call, {}));
  ASSERT_TRUE(valid.result) << call.op << " must work unchanged: " << valid.message;
  for (const Row& row : rows) {
    const Case c = with(call, row.change);
    expect_error(c, Form::functional, row, name);
    expect_error(c, Form::into, row, name);
    if (underscore) expect_error(c, Form::in_place, row, name + "_");
  }
}

}  // namespace strew::harness
