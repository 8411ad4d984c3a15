// libFuzzer: bytes choose an operator and a case; every way to run it must give the same answer and touch nothing else.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "harness/case_json.h"
#include "harness/executor.h"
#include "harness/generator.h"
#include "harness/runner.h"
#include "strategies/strategy.h"

namespace strew::harness {
namespace {

[[noreturn]] void fail(const Case& c, const char* what, const Answer& answer) {
  std::fprintf(stderr, "%s: %s\n%s\n", what, answer.damage.c_str(), print_case(c, &answer).c_str());
  std::abort();
}

bool agree(const Answer& a, const Answer& b) {
  if (a.result && b.result) return same_bits(*a.result, *b.result);
  return a.code && b.code && *a.code == *b.code && a.message == b.message;
}

void fuzz(std::span<const std::uint8_t> bytes) {
  static const std::vector<OperatorForm> forms = operator_forms();
  static ThreadExecutor threads(2);
  ByteChoices choices(bytes);
  const OperatorForm form = choices.pick(forms);
  const Case c = generate_case(form, choices);
  const Answer serial = run_case(c, {.options = {.executor = nullptr, .strategy = "serial", .block_points = 0}});
  if (!serial.damage.empty()) fail(c, "damage", serial);
  for (const Strategy* strategy : strategies()) {
    for (const std::int64_t block : {1, 3, 512}) {
      const Answer other =
          run_case(c, {.options = {.executor = block == 3 ? threads.get() : nullptr, .strategy = strategy->name, .block_points = block},
                       .shift = block == 3 ? 1u : 0u});
      const bool declined = other.code == ErrorCode::argument && other.message.find(": strategy \"") != std::string::npos;
      if (!other.damage.empty() || !(declined || agree(serial, other))) fail(c, "another answer", other);
    }
  }
  const Answer into = run_case(without_views(c), {.form = Form::into}), functional = run_case(without_views(c), {.form = Form::functional});
  if (!into.damage.empty() || !agree(into, functional)) fail(c, "into and functional differ", into);
  // What is printed reads back as the same case.
  const Case again = parse_case(print_case(c));
  const Answer reread = run_case(again, {.options = {.executor = nullptr, .strategy = "serial", .block_points = 0}});
  if (!agree(serial, reread) && serial.code != ErrorCode::overlap) fail(c, "not the case that was printed", reread);
}

}  // namespace
}  // namespace strew::harness

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  strew::harness::fuzz({data, size});
  return 0;
}
