// What does a call cost before its first data byte? Eight elements in place, so that nearly all of it is describing, checking and
// removing rank. The budget is 200 ns and no heap allocation up to rank 8.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <new>
#include <numeric>
#include <vector>

#include "strew/strew.h"

namespace {

std::int64_t allocations = 0;

}  // namespace

// Counts what Strew takes from the heap. The aligned and array forms end here too.
void* operator new(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, std::align_val_t align) {
  ++allocations;
  const auto unit = static_cast<std::size_t>(align);
  if (void* const memory = std::aligned_alloc(unit, (size + unit - 1) / unit * unit)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace {

using namespace strew;

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
  static ScatterOp describe(const Arguments& a) { return tensorflow::describe::tensor_scatter_nd_update(a.out, a.out, a.indices, a.updates); }
  static void call(const Arguments& a) { tensorflow::tensor_scatter_nd_update_into(a.out, a.out, a.indices, a.updates); }
};

Arguments rank_1() { return {{updates_count}, {updates_count}, {updates_count}}; }
Arguments rank_8() { return {{2, 1, 2, 1, 2, 1, 1, 1}, {2, 1, 2, 1, 2, 1, 1, 1}, {2, 1, 2, 1, 2, 1, 1, 1}}; }
Arguments depth_2() { return {{4, 4}, {updates_count, 2}, {updates_count}}; }
Arguments depth_1() { return {{updates_count}, {updates_count, 1}, {updates_count}}; }

template <class Work>
void measure(benchmark::State& state, Work work) {
  work();
  const std::int64_t before = allocations;
  for ([[maybe_unused]] auto _ : state) work();
  state.counters["heap"] = benchmark::Counter(static_cast<double>(allocations - before), benchmark::Counter::kAvgIterations);
}

template <class Operator>
void describe_only(benchmark::State& state, Arguments (*make)()) {
  const Arguments arguments = make();
  measure(state, [&] { benchmark::DoNotOptimize(Operator::describe(arguments)); });
}
template <class Operator>
void check_only(benchmark::State& state, Arguments (*make)()) {
  const Arguments arguments = make();
  const ScatterOp op = Operator::describe(arguments);
  measure(state, [&] { check(op); });
}
template <class Operator>
void whole_call(benchmark::State& state, Arguments (*make)()) {
  const Arguments arguments = make();
  measure(state, [&] { Operator::call(arguments); });
}

BENCHMARK_CAPTURE(whole_call<PytorchScatterAdd>, rank_1, &rank_1)->Name("call/pytorch.scatter_add_/rank_1");
BENCHMARK_CAPTURE(whole_call<PytorchScatterAdd>, rank_8, &rank_8)->Name("call/pytorch.scatter_add_/rank_8");
BENCHMARK_CAPTURE(whole_call<OnnxScatterNd>, depth_2, &depth_2)->Name("call/onnx.scatter_nd/depth_2");
BENCHMARK_CAPTURE(whole_call<TensorflowUpdate>, depth_1, &depth_1)->Name("call/tensorflow.update/depth_1");

BENCHMARK_CAPTURE(describe_only<PytorchScatterAdd>, rank_1, &rank_1)->Name("describe/pytorch.scatter_add_/rank_1");
BENCHMARK_CAPTURE(describe_only<PytorchScatterAdd>, rank_8, &rank_8)->Name("describe/pytorch.scatter_add_/rank_8");
BENCHMARK_CAPTURE(describe_only<OnnxScatterNd>, depth_2, &depth_2)->Name("describe/onnx.scatter_nd/depth_2");
BENCHMARK_CAPTURE(describe_only<TensorflowUpdate>, depth_1, &depth_1)->Name("describe/tensorflow.update/depth_1");

BENCHMARK_CAPTURE(check_only<PytorchScatterAdd>, rank_1, &rank_1)->Name("check/pytorch.scatter_add_/rank_1");
BENCHMARK_CAPTURE(check_only<PytorchScatterAdd>, rank_8, &rank_8)->Name("check/pytorch.scatter_add_/rank_8");
BENCHMARK_CAPTURE(check_only<OnnxScatterNd>, depth_2, &depth_2)->Name("check/onnx.scatter_nd/depth_2");
BENCHMARK_CAPTURE(check_only<TensorflowUpdate>, depth_1, &depth_1)->Name("check/tensorflow.update/depth_1");

}  // namespace

BENCHMARK_MAIN();
