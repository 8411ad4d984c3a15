// Is Strew faster than the loop it replaces? The scatters of real programs as a plain loop, as an OpenMP loop, and as a call or a plan on
// one thread and on two, in turns. Times are ns an update, the median of the rounds; ratios above 1 say that Strew is ahead.
//   bench_programs [NAME [ROUNDS]]: all programs, or those whose name contains NAME
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "program.h"
#include "timing.h"

namespace {

using namespace programs;
using strew::bench::median;
using strew::bench::seconds;

enum Variant : std::uint8_t { loop, openmp, one_thread, two_threads };
constexpr std::size_t variants = 4;

// What explain() calls the strategy, and the one that it delegates to.
std::string strategy_of(const Program& program, const std::optional<strew::Plan>& plan, const strew::RunOptions& options) {
  const std::string text = plan ? plan->describe() : strew::explain(program.op, options);
  std::string names;
  for (const char* const label : {"  strategy: ", "  then: ", "  layout: "}) {
    const std::size_t at = text.find(label);
    if (at == std::string::npos) continue;
    const std::size_t begin = at + std::strlen(label);
    names += (names.empty() ? "" : ", ") + text.substr(begin, text.find(' ', begin) - begin);
  }
  return names;
}

// Every variant must produce the bytes of the plain loop.
void require_same_answer(const std::string& name, const Program& program, const std::array<std::function<void()>, variants>& run) {
  const std::span<std::byte> out = program.output();
  const std::vector<std::byte> before(out.begin(), out.end());
  std::vector<std::byte> expected;
  for (const std::function<void()>& variant : run) {
    std::copy(before.begin(), before.end(), out.begin());
    variant();
    if (expected.empty()) expected.assign(out.begin(), out.end());
    if (std::equal(out.begin(), out.end(), expected.begin())) continue;
    std::fprintf(stderr, "%s: the variants differ\n", name.c_str());
    std::exit(1);
  }
}

void measure(const std::string& name, const Program& program, int rounds) {
  const strew::RunOptions alone{.threads = 1}, both{.threads = 2};
  std::optional<strew::Plan> plan_alone, plan_both;
  if (program.planned) {
    plan_alone = strew::plan(program.op, alone);
    plan_both = strew::plan(program.op, both);
  }
  const auto call = [&](const std::optional<strew::Plan>& plan, const strew::RunOptions& options) {
    return plan ? std::function<void()>([&] { plan->apply(program.op.updates, program.op.out, options); })
                : std::function<void()>([&] { strew::run(program.op, options); });
  };
  const std::array<std::function<void()>, variants> run{program.loop, program.openmp, call(plan_alone, alone), call(plan_both, both)};
  require_same_answer(name, program, run);

  // Short calls are measured many at a time.
  const int repeats = static_cast<int>(std::clamp<std::int64_t>((1 << 18) / program.updates, 1, 1000));
  std::array<std::vector<double>, variants> times;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t variant = 0; variant < variants; ++variant) {
      times[variant].push_back(seconds([&] {
        for (int i = 0; i < repeats; ++i) {
          if (program.advance) program.advance();
          run[variant]();
        }
      }));
    }
  }
  const double each = 1e9 / static_cast<double>(program.updates) / repeats;
  std::array<double, variants> ns;
  for (std::size_t variant = 0; variant < variants; ++variant) ns[variant] = median(times[variant]) * each;
  std::printf("| %-32s | %8lld | %6.2f | %6.2f | %6.2f | %6.2f | %5.2f | %5.2f | %-18s | %-18s |\n", name.c_str(),
              static_cast<long long>(program.updates), ns[loop], ns[openmp], ns[one_thread], ns[two_threads], ns[loop] / ns[one_thread],
              ns[loop] / ns[two_threads], strategy_of(program, plan_alone, alone).c_str(), strategy_of(program, plan_both, both).c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Make> all;
  add_particles(all);
  add_assembly(all);
  add_histogram(all);
  add_voxels(all);
  add_cache_write(all);
  const char* const wanted = argc > 1 ? argv[1] : "";
  const int rounds = argc > 2 ? std::max(1, std::atoi(argv[2])) : 15;
  std::printf(
      "| program                          |  updates |   loop | OpenMP |     1t |     2t | loop/1t | loop/2t | strategy, 1t | strategy, 2t "
      "|\n");
  std::printf("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- | --- |\n");
  for (const Make& make : all) {
    if (make.name.find(wanted) != std::string::npos) measure(make.name, make.program(), rounds);
  }
}
