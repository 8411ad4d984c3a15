// A cache of keys and values: the next token of each of 32 sequences is written, a row of 128 for each of 8 heads.
#include <cstring>
#include <random>

#include "program.h"

namespace programs {
namespace {

constexpr std::int64_t sequences = 32, heads = 8, length = 2048, width = 128;

struct Data {
  std::vector<strew::Bfloat16> cache = std::vector<strew::Bfloat16>(sequences * heads * length * width);
  std::vector<std::int64_t> position;  // a tuple of three for each row: sequence, head, token
  std::vector<strew::Bfloat16> rows = std::vector<strew::Bfloat16>(sequences * heads * width);
};

Program make() {
  auto data = std::make_shared<Data>();
  std::mt19937_64 random(1);
  for (std::int64_t sequence = 0; sequence < sequences; ++sequence) {
    const auto token = static_cast<std::int64_t>(random() % length);
    for (std::int64_t head = 0; head < heads; ++head) data->position.insert(data->position.end(), {sequence, head, token});
  }
  for (strew::Bfloat16& value : data->rows) value.bits = static_cast<std::uint16_t>(random());
  const auto write_row = [](Data& into, std::int64_t row) {
    const std::int64_t* const at = into.position.data() + 3 * row;
    std::memcpy(into.cache.data() + ((at[0] * heads + at[1]) * length + at[2]) * width, into.rows.data() + row * width,
                width * sizeof(strew::Bfloat16));
  };
  const auto loop = [data, write_row] {
    for (std::int64_t row = 0; row < sequences * heads; ++row) write_row(*data, row);
  };
  const auto openmp = [data, write_row] {
#pragma omp parallel for num_threads(2) schedule(static)
    for (std::int64_t row = 0; row < sequences * heads; ++row) write_row(*data, row);
  };
  const auto cache = strew::tensor(data->cache, {sequences, heads, length, width});
  return {sequences * heads,
          loop,
          openmp,
          strew::onnx::describe::scatter_nd(cache, cache, strew::tensor(data->position, {sequences, heads, 3}),
                                            strew::tensor(data->rows, {sequences, heads, width})),
          false,
          [data] { return std::as_writable_bytes(std::span(data->cache)); },
          [data] {
            for (std::size_t token = 2; token < data->position.size(); token += 3)
              data->position[token] = (data->position[token] + 1) % length;
          }};
}

}  // namespace

void add_cache_write(std::vector<Make>& all) { all.push_back({"cache write", &make}); }

}  // namespace programs
