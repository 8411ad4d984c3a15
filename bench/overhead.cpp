// What does a call cost before its first data byte? Eight elements in place: `call` is all of it, `data` the pass over the indices and
// the strategy alone, and `before` what is left, taken in turns: on average, and as `least` in the best turns, which others who use the
// machine disturb little. The budget of `before` is 200 ns and no heap allocation up to rank 8.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "allocations.h"
#include "core/core.h"
#include "strew/strew.h"

namespace {

using namespace strew;
using namespace strew::internal;

constexpr int updates_count = 8;

// The memory of an operator's three tensors, and views of it.
struct Arguments {
  std::vector<float> out_values;
  std::vector<std::int64_t> index_values;
  std::vector<float> update_values;
  TensorRef out;
  ConstTensorRef indices;
  ConstTensorRef updates;

  Arguments(const Dims& out_shape, const Dims& index_shape, const Dims& updates_shape)
      : out_values(static_cast<std::size_t>(element_count(out_shape))),
        index_values(static_cast<std::size_t>(element_count(index_shape))),
        update_values(static_cast<std::size_t>(element_count(updates_shape)), 1.0f),
        out(out_values.data(), Dtype::float32, out_shape),
        indices(index_values.data(), Dtype::int64, index_shape),
        updates(update_values.data(), Dtype::float32, updates_shape) {}
};

struct PytorchScatterAdd {
  static ScatterOp describe(const Arguments& a) { return pytorch::describe::scatter_add(a.out, a.out, 0, a.indices, a.updates); }
  static void call(const Arguments& a) { pytorch::scatter_add_(a.out, 0, a.indices, a.updates); }
};
struct OnnxScatterNd {
  static ScatterOp describe(const Arguments& a) { return onnx::describe::scatter_nd(a.out, a.out, a.indices, a.updates); }
  static void call(const Arguments& a) { onnx::scatter_nd_into(a.out, a.out, a.indices, a.updates); }
};
struct TensorflowUpdate {
  static ScatterOp describe(const Arguments& a) {
    return tensorflow::describe::tensor_scatter_nd_update(a.out, a.out, a.indices, a.updates);
  }
  static void call(const Arguments& a) { tensorflow::tensor_scatter_nd_update_into(a.out, a.out, a.indices, a.updates); }
};

Arguments rank_1() { return {{updates_count}, {updates_count}, {updates_count}}; }
Arguments rank_8() { return {{2, 1, 2, 1, 2, 1, 1, 1}, {2, 1, 2, 1, 2, 1, 1, 1}, {2, 1, 2, 1, 2, 1, 1, 1}}; }
Arguments depth_2() { return {{4, 4}, {updates_count, 2}, {updates_count}}; }
Arguments depth_1() { return {{updates_count}, {updates_count, 1}, {updates_count}}; }

template <class Work>
void measure(benchmark::State& state, Work work) {
  work();
  const std::int64_t before = heap_allocations();
  for ([[maybe_unused]] auto _ : state) work();
  state.counters["heap"] = benchmark::Counter(static_cast<double>(heap_allocations() - before), benchmark::Counter::kAvgIterations);
}

template <class Work>
double seconds(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 200; ++i) work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / 200;
}

// Registers the whole call and its parts.
template <class Operator>
void register_operator(const std::string& name, Arguments (*make)()) {
  benchmark::RegisterBenchmark(("call/" + name).c_str(), [make](benchmark::State& state) {
    const Arguments arguments = make();
    measure(state, [&] { Operator::call(arguments); });
  });
  benchmark::RegisterBenchmark(
      ("before/" + name).c_str(),
      [make](benchmark::State& state) {
        const Arguments arguments = make();
        const ScatterOp op = Operator::describe(arguments);
        const Job job = make_job(op, op.out, {{}});
        const Strategy& strategy = choose(op.name, job, {});
        double least_call = 1, least_data = 1;
        for ([[maybe_unused]] auto _ : state) {
          const double call = seconds([&] { Operator::call(arguments); });
          const double data = seconds([&] { benchmark::DoNotOptimize(indices_in_range(job) && strategy.run(job) == Outcome::done); });
          least_call = std::min(least_call, call);
          least_data = std::min(least_data, data);
          state.SetIterationTime(call - data);
        }
        state.counters["least"] = 1e9 * (least_call - least_data);
      })
      ->UseManualTime()
      ->Iterations(2000);
  benchmark::RegisterBenchmark(("describe/" + name).c_str(), [make](benchmark::State& state) {
    const Arguments arguments = make();
    measure(state, [&] { benchmark::DoNotOptimize(Operator::describe(arguments)); });
  });
  benchmark::RegisterBenchmark(("check/" + name).c_str(), [make](benchmark::State& state) {
    const Arguments arguments = make();
    const ScatterOp op = Operator::describe(arguments);
    measure(state, [&] { validate(op); });
  });
}

}  // namespace

int main(int argc, char** argv) {
  register_operator<PytorchScatterAdd>("pytorch.scatter_add_/rank_1", &rank_1);
  register_operator<PytorchScatterAdd>("pytorch.scatter_add_/rank_8", &rank_8);
  register_operator<OnnxScatterNd>("onnx.scatter_nd/depth_2", &depth_2);
  register_operator<TensorflowUpdate>("tensorflow.update/depth_1", &depth_1);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
