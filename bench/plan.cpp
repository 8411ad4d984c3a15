// What does a plan buy? Building one, applying it, and the call without it take turns in one process; `break_even` is the number of
// applies after which the plan has paid.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "strew/strew.h"
#include "timing.h"

namespace {

using namespace strew;
using bench::median;
using bench::seconds;

struct Question {
  const char* name;
  std::int64_t rows;     // of the target
  std::int64_t width;    // floats in a row
  std::int64_t updates;  // rows of updates
  bool assigns;
};

void measure(const Question& question, std::int64_t threads, int rounds) {
  Tensor out = Tensor::zeros(Dtype::float32, {question.rows, question.width});
  Tensor updates = Tensor::zeros(Dtype::float32, {question.updates, question.width});
  std::vector<std::int64_t> index(static_cast<std::size_t>(question.updates));
  std::mt19937_64 random(1);
  std::generate(index.begin(), index.end(),
                [&] { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(question.rows)); });
  for (float& value : updates.values<float>()) value = static_cast<float>(random() % 1000) / 7;

  const RunOptions options{.threads = threads};
  const TensorRef target = out;
  const ConstTensorRef source = std::as_const(updates);
  const ScatterOp op = question.assigns ? pytorch::describe::index_copy(target, target, 0, tensor(index), source)
                                        : pytorch::describe::index_add(target, target, 0, tensor(index), source);
  std::vector<double> builds, applies, calls;
  std::optional<Plan> made;
  for (int round = 0; round < rounds; ++round) {
    made.reset();
    builds.push_back(seconds([&] { made.emplace(plan(op, options)); }));
    made->apply(source, target, options);  // the first touches memory that later ones find
    for (int turn = 0; turn < 2; ++turn) {
      applies.push_back(seconds([&] { made->apply(source, target, options); }));
      calls.push_back(seconds([&] { run(op, options); }));
    }
  }
  const double each = 1e9 / static_cast<double>(question.updates);
  const double build = median(builds) * each, apply = median(applies) * each, call = median(calls) * each;
  std::printf("%-16s %2lld threads   build %7.2f   apply %7.2f   call %7.2f ns an update   ratio %5.2f   break_even %5.1f   %lld bytes\n",
              question.name, static_cast<long long>(threads), build, apply, call, call / apply, build / (call - apply),
              static_cast<long long>(made->nbytes()));
  std::fflush(stdout);
}

}  // namespace

// bench_plan [NAME [ROUNDS]]: all questions, or those whose name begins so.
int main(int argc, char** argv) {
  constexpr Question questions[] = {
      {"add/2^16", 1 << 16, 1, 1 << 24, false},        {"add/2^20", 1 << 20, 1, 1 << 24, false},
      {"add/2^22", 1 << 22, 1, 1 << 24, false},        {"add/2^24", 1 << 24, 1, 1 << 24, false},
      {"add/2^26", 1 << 26, 1, 1 << 24, false},        {"assign/2^22", 1 << 22, 1, 1 << 24, true},
      {"assign/2^24", 1 << 24, 1, 1 << 24, true},      {"rows_4/2^20", 1 << 20, 4, 1 << 22, false},
      {"rows_16/2^19", 1 << 19, 16, 1 << 22, false},   {"rows_64/2^17", 1 << 17, 64, 1 << 20, false},
      {"rows_256/2^16", 1 << 16, 256, 1 << 18, false}, {"assign_64/2^17", 1 << 17, 64, 1 << 20, true},
  };
  const std::string_view wanted = argc > 1 ? argv[1] : "";
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 3;
  for (const Question& question : questions) {
    if (!std::string_view(question.name).starts_with(wanted)) continue;
    for (const std::int64_t threads : {1, 2}) measure(question, threads, rounds);
  }
}
