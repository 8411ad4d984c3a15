// A real program's scatter, in the variants that are measured side by side.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "strew/strew.h"

namespace programs {

struct Program {
  std::int64_t updates;
  std::function<void()> loop;      // what one would write by hand, without any check
  std::function<void()> openmp;    // the same with OpenMP on two threads
  strew::ScatterOp op;             // into the same memory
  bool planned;                    // the indices stay: measured as a plan
  std::function<std::span<std::byte>()> output;
  std::function<void()> advance = nullptr;  // what the program does before each call, in every variant; null: nothing
};

// Makes the arrays of one program, which live as long as it does.
struct Make {
  std::string name;
  std::function<Program()> program;
};

void add_particles(std::vector<Make>& all);
void add_assembly(std::vector<Make>& all);
void add_histogram(std::vector<Make>& all);
void add_voxels(std::vector<Make>& all);
void add_cache_write(std::vector<Make>& all);

// Arrays of a scatter of single elements. Values are small integers, whose sums are exact in every order, so all variants must agree.
template <class T, class I>
struct Elements {
  std::vector<T> out;
  std::vector<I> index;
  std::vector<T> values;
};

template <class T, class I>
std::span<std::byte> bytes_of(Elements<T, I>& data) {
  return std::as_writable_bytes(std::span(data.out));
}

// out[index[i]] += values[i], as the plain loop, with atomic updates, and as torch's scatter_add_.
template <class T, class I>
Program sum_of(std::shared_ptr<Elements<T, I>> data, bool planned) {
  const auto count = static_cast<std::int64_t>(data->index.size());
  const auto loop = [data, count] {
    T* const out = data->out.data();
    const I* const index = data->index.data();
    const T* const values = data->values.data();
    for (std::int64_t i = 0; i < count; ++i) out[index[i]] += values[i];
  };
  const auto openmp = [data, count] {
    T* const out = data->out.data();
    const I* const index = data->index.data();
    const T* const values = data->values.data();
#pragma omp parallel for num_threads(2) schedule(static)
    for (std::int64_t i = 0; i < count; ++i) {
#pragma omp atomic
      out[index[i]] += values[i];
    }
  };
  const auto out = strew::tensor(data->out);
  return {count,   loop,
          openmp,  strew::pytorch::describe::scatter_add(out, out, 0, strew::tensor(data->index), strew::tensor(data->values)),
          planned, [data] { return bytes_of(*data); }};
}

}  // namespace programs
