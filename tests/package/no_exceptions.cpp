// A program without exceptions that gets errors as values: through the library alone, and through frames of its own that an exception
// leaves. Built with -fno-exceptions -fno-rtti and optimised, so that dialect functions are inlined into those frames.
#include <strew/strew.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#ifdef __cpp_exceptions
#error "this is the program without exceptions"
#endif

namespace {

long live = 0;  // allocations

std::vector<float> mass{1, 2, 3, 4};
std::vector<std::int64_t> good{2, 0}, bad{2, 9};
const std::vector<float> grain{10, 20};

bool is_bad_index(const strew::Error& error) {
  return error.code() == strew::ErrorCode::index && error.bad_index()->value == 9 &&
         std::strstr(error.what(), "index 9 is out of bounds") != nullptr;
}
strew::Expected<strew::ScatterOp> described(const std::vector<std::int64_t>& index) {
  return strew::try_call([&] {
    return strew::pytorch::describe::scatter_add(strew::tensor(mass), strew::tensor(mass), 0, strew::tensor(index), strew::tensor(grain));
  });
}

// Nothing of the program lies between the error and the library's own catch.
bool ops_return_errors() {
  return strew::try_run(described(good).value()) && mass[2] == 13 && is_bad_index(strew::try_run(described(bad).value()).error()) &&
         is_bad_index(strew::try_compute(described(bad).value()).error()) &&
         is_bad_index(strew::try_plan(described(bad).value()).error()) &&
         strew::try_compute(described(good).value())->values<float>()[2] == 23 && strew::try_plan(described(good).value())->nbytes() > 0;
}

// A lambda and what it inlines lie between.
bool calls_return_errors() {
  const auto shape = strew::try_call([] { return strew::tensor(mass, {3u, 2}); });
  const auto dtype = strew::try_call([] {
    return strew::onnx::describe::scatter_elements(strew::tensor(mass), strew::tensor(mass), strew::tensor(good), strew::tensor(good));
  });
  const auto word = strew::try_call([] { strew::pytorch::scatter_(strew::tensor(mass), 0, strew::tensor(good), 1.5, "divide"); });
  const auto index =
      strew::try_call([] { strew::pytorch::scatter_add_(strew::tensor(mass), 0, strew::tensor(bad), strew::tensor(grain)); });
  const auto computed =
      strew::try_call([] { return strew::pytorch::scatter_add(strew::tensor(mass), 0, strew::tensor(good), strew::tensor(grain)); });
  return shape.error().code() == strew::ErrorCode::shape && dtype.error().code() == strew::ErrorCode::dtype &&
         word.error().code() == strew::ErrorCode::argument && is_bad_index(index.error()) && computed->values<float>()[0] == 41;
}

// What README and headers promise: describing in try_call() and running by try_run() leaks nothing.
bool errors_leak_nothing() {
  const long before = live;
  for (int turn = 0; turn < 100; ++turn) {
    if (strew::try_run(described(bad).value())) return false;
    if (strew::try_call([] {
          return strew::onnx::describe::scatter_nd(strew::tensor(mass), strew::tensor(mass), strew::tensor(good), strew::tensor(good));
        })) {
      return false;
    }
  }
  return live == before;
}

}  // namespace

void* operator new(std::size_t size) {
  ++live;
  return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* memory) noexcept {
  if (memory != nullptr) --live;
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

int main() {
  const bool ops = ops_return_errors(), calls = calls_return_errors(), tight = errors_leak_nothing();
  std::printf("without exceptions: ops %d, calls %d, nothing leaked %d\n", ops, calls, tight);
  return ops && calls && tight ? 0 : 1;
}
