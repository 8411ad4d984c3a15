// How far is Strew from a plain loop, and which way to run is fastest? Each case runs in turns as the loop one would write by hand,
// with its indices checked first, and as a call; `ratio` is the call's time over the loop's: below 1 Strew is faster. `auto` is the
// strategy that Strew chooses by itself, the other names force one. The last figure of a name is the number of threads.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "strew/strew.h"
#include "timing.h"

namespace {

using namespace strew;
using bench::seconds;

enum class Work { add, copy };
enum class Spread {
  uniform,
  power,  // few rows have many updates
  hot,    // half of the updates go to row 0
};

struct Workload {
  const char* name;
  Work work;
  std::int64_t rows;     // of the target
  std::int64_t width;    // floats in a row
  std::int64_t updates;  // rows of updates
  Spread spread = Spread::uniform;
};

constexpr Workload workloads[] = {
    {"add_1d_2^10", Work::add, 1 << 10, 1, 1 << 20},
    {"add_1d_2^16", Work::add, 1 << 16, 1, 1 << 20},
    {"add_1d_2^22", Work::add, 1 << 22, 1, 1 << 20},
    {"add_4", Work::add, 1 << 20, 4, 1 << 22},
    {"add_16", Work::add, 1 << 19, 16, 1 << 22},
    {"add_32", Work::add, 1 << 18, 32, 1 << 21},
    {"add_64", Work::add, 1 << 17, 64, 1 << 20},
    {"add_128", Work::add, 1 << 16, 128, 1 << 19},
    {"add_256", Work::add, 1 << 16, 256, 1 << 18},
    {"add_2048", Work::add, 1 << 13, 2048, 1 << 15},
    {"add_few_rows", Work::add, 64, 128, 1 << 19},
    {"add_sparse", Work::add, 1 << 20, 64, 1 << 17},
    {"graph_batch", Work::add, 135361, 256, 477263, Spread::power},      // GraphSAGE on Reddit
    {"elements_as_rows", Work::add, 556416, 80, 481385},                 // a point cloud's features
    {"hot_row", Work::add, 107500, 128, 485600, Spread::hot},            // gradients of an embedding, a sixteenth of them
    {"copy_64", Work::copy, 1 << 17, 64, 1 << 20},                       // eight writers to each row
    {"copy_16", Work::copy, 1 << 19, 16, 1 << 22},
    {"copy_256", Work::copy, 1 << 16, 256, 1 << 16},
};

struct Data {
  std::vector<float> out;
  std::vector<std::int64_t> index;
  std::vector<float> updates;

  explicit Data(const Workload& load)
      : out(static_cast<std::size_t>(load.rows * load.width)),
        index(static_cast<std::size_t>(load.updates)),
        updates(static_cast<std::size_t>(load.updates * load.width), 0.5f) {
    std::mt19937_64 random(1);
    std::uniform_int_distribution<std::int64_t> any(0, load.rows - 1);
    std::uniform_real_distribution<double> part(0, 1);
    std::generate(index.begin(), index.end(), [&] {
      if (load.spread == Spread::hot && part(random) < 0.5) return std::int64_t{0};
      if (load.spread != Spread::power) return any(random);
      return static_cast<std::int64_t>(static_cast<double>(load.rows) * std::pow(part(random), 3)) * 7919 % load.rows;
    });
  }
};

// All indices first, as Strew does in place, then the updates.
void plain_loop(const Workload& load, Data& data) {
  std::int64_t worst = 0;
  for (const std::int64_t i : data.index)
    worst |= static_cast<std::int64_t>(static_cast<std::uint64_t>(i) >= static_cast<std::uint64_t>(load.rows));
  if (worst != 0) throw std::out_of_range("index");
  float* const out = data.out.data();
  const float* update = data.updates.data();
  const std::int64_t width = load.width;
  if (width == 1) {
    for (const std::int64_t i : data.index) out[i] += *update++;
    return;
  }
  for (const std::int64_t i : data.index) {
    float* const row = out + i * width;
    if (load.work == Work::copy) {
      std::memcpy(row, update, static_cast<std::size_t>(width) * sizeof(float));
    } else {
      for (std::int64_t j = 0; j < width; ++j) row[j] += update[j];
    }
    update += width;
  }
}

ScatterOp describe(const Workload& load, Data& data) {
  const bool one_dimension = load.width == 1;
  const Dims out_shape = one_dimension ? Dims{load.rows} : Dims{load.rows, load.width};
  const Dims updates_shape = one_dimension ? Dims{load.updates} : Dims{load.updates, load.width};
  const TensorRef out = tensor(data.out, out_shape);
  const auto index = tensor(data.index);
  const auto updates = tensor(data.updates, updates_shape);
  return load.work == Work::copy ? pytorch::describe::index_copy(out, out, 0, index, updates)
                                 : pytorch::describe::index_add(out, out, 0, index, updates);
}

// Cases of one workload follow each other and share its data.
Data& data_of(const Workload& load) {
  static const Workload* current = nullptr;
  static std::unique_ptr<Data> data;
  if (current != &load) {
    data.reset();
    data = std::make_unique<Data>(load);
    current = &load;
  }
  return *data;
}

// The two alternate within the measurement, so that a busy machine slows both. The counters are the least times per row of updates,
// the ones that nobody disturbed; the reported time is the call's.
void compare(benchmark::State& state, const Workload& load, const RunOptions& options) {
  Data& data = data_of(load);
  const ScatterOp op = describe(load, data);
  try {
    run(op, options);
  } catch (const Error& error) {
    state.SkipWithError(error.what());
    return;
  }
  double least_loop = INFINITY, least_call = INFINITY;
  for ([[maybe_unused]] auto _ : state) {
    least_loop = std::min(least_loop, seconds([&] { plain_loop(load, data); }));
    benchmark::ClobberMemory();
    const double call = seconds([&] { run(op, options); });
    benchmark::ClobberMemory();
    least_call = std::min(least_call, call);
    state.SetIterationTime(call);
  }
  const auto updates = static_cast<double>(load.updates);
  state.counters["loop_ns"] = least_loop / updates * 1e9;
  state.counters["ns"] = least_call / updates * 1e9;
  state.counters["ratio"] = least_call / least_loop;
}

}  // namespace

int main(int argc, char** argv) {
  for (const Workload& load : workloads) {
    for (const char* strategy : {"auto", "last", "rows", "owners", "split", "serial"}) {
      for (const std::int64_t threads : {1, 2}) {
        const bool by_itself = std::strcmp(strategy, "auto") == 0;
        if (!by_itself && (load.width == 1 || (load.work == Work::add && std::strcmp(strategy, "last") == 0))) continue;
        const std::string name = std::string(load.name) + "/" + strategy + "/" + std::to_string(threads);
        const RunOptions options{.threads = threads, .strategy = by_itself ? "" : strategy};
        benchmark::RegisterBenchmark(name.c_str(), [&load, options](benchmark::State& state) { compare(state, load, options); })
            ->UseManualTime()
            ->Unit(benchmark::kMillisecond);
      }
    }
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
