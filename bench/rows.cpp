// How far is Strew from a plain loop? Each case runs first as the loop one would write by hand, with its indices checked, then as a
// call; `ratio` is the call's time over the loop's: below 1 Strew is faster.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "strew/strew.h"

namespace {

using namespace strew;

enum class Work { add, copy };

struct Shape {
  std::int64_t rows;     // of the target
  std::int64_t width;    // floats in a row
  std::int64_t updates;  // rows of updates
};

struct Data {
  std::vector<float> out;
  std::vector<std::int64_t> index;
  std::vector<float> updates;

  explicit Data(const Shape& shape)
      : out(static_cast<std::size_t>(shape.rows * shape.width)),
        index(static_cast<std::size_t>(shape.updates)),
        updates(static_cast<std::size_t>(shape.updates * shape.width), 0.5f) {
    std::mt19937_64 random(1);
    std::uniform_int_distribution<std::int64_t> any(0, shape.rows - 1);
    std::generate(index.begin(), index.end(), [&] { return any(random); });
  }
};

// All indices first, as Strew does in place, then the updates.
void plain_loop(Work work, const Shape& shape, Data& data) {
  std::int64_t worst = 0;
  for (const std::int64_t i : data.index)
    worst |= static_cast<std::int64_t>(static_cast<std::uint64_t>(i) >= static_cast<std::uint64_t>(shape.rows));
  if (worst != 0) throw std::out_of_range("index");
  float* const out = data.out.data();
  const float* update = data.updates.data();
  const std::int64_t width = shape.width;
  if (width == 1) {
    for (const std::int64_t i : data.index) out[i] += *update++;
    return;
  }
  for (const std::int64_t i : data.index) {
    float* const row = out + i * width;
    if (work == Work::copy) {
      std::memcpy(row, update, static_cast<std::size_t>(width) * sizeof(float));
    } else {
      for (std::int64_t j = 0; j < width; ++j) row[j] += update[j];
    }
    update += width;
  }
}

void strew_call(Work work, const Shape& shape, Data& data) {
  const bool one_dimension = shape.width == 1;
  const Dims out_shape = one_dimension ? Dims{shape.rows} : Dims{shape.rows, shape.width};
  const Dims updates_shape = one_dimension ? Dims{shape.updates} : Dims{shape.updates, shape.width};
  const TensorRef out = tensor(data.out, out_shape);
  const auto index = tensor(data.index);
  const auto updates = tensor(data.updates, updates_shape);
  if (work == Work::copy) {
    pytorch::index_copy_(out, 0, index, updates);
  } else {
    pytorch::index_add_(out, 0, index, updates);
  }
}

double seconds(auto run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The two alternate within the measurement, so that a busy machine slows both. The reported time is the call's.
void compare(benchmark::State& state, Work work, const Shape& shape) {
  Data data(shape);
  std::vector<double> ratios;
  double loop_total = 0, call_total = 0;
  strew_call(work, shape, data);
  for ([[maybe_unused]] auto _ : state) {
    const double loop = seconds([&] { plain_loop(work, shape, data); });
    benchmark::ClobberMemory();
    const double call = seconds([&] { strew_call(work, shape, data); });
    benchmark::ClobberMemory();
    state.SetIterationTime(call);
    loop_total += loop;
    call_total += call;
    ratios.push_back(call / loop);
  }
  std::nth_element(ratios.begin(), ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2), ratios.end());
  const auto rounds = static_cast<double>(state.iterations());
  const auto moved = static_cast<double>(shape.updates * shape.width);
  state.counters["loop_ns_per_float"] = loop_total / rounds / moved * 1e9;
  state.counters["strew_ns_per_float"] = call_total / rounds / moved * 1e9;
  state.counters["ratio"] = ratios[ratios.size() / 2];
}

void register_case(const std::string& name, Work work, const Shape& shape) {
  benchmark::RegisterBenchmark(name.c_str(), [work, shape](benchmark::State& state) { compare(state, work, shape); })
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

}  // namespace

int main(int argc, char** argv) {
  for (int log = 10; log <= 24; log += 2) {
    register_case("add_1d/target_2^" + std::to_string(log), Work::add, {std::int64_t{1} << log, 1, std::int64_t{1} << 20});
  }
  for (const std::int64_t width : {4, 16, 64, 256}) {
    const Shape shape{(std::int64_t{1} << 24) / width, width, (std::int64_t{1} << 22) / width};
    register_case("add_rows/width_" + std::to_string(width), Work::add, shape);
    register_case("copy_rows/width_" + std::to_string(width), Work::copy, shape);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
