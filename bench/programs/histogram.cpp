// A histogram: every value counts one in its bin.
#include <random>

#include "program.h"

namespace programs {
namespace {

constexpr std::int64_t values = std::int64_t{1} << 26;

Program make(std::int32_t bins) {
  auto data = std::make_shared<Elements<std::int32_t, std::int32_t>>();
  std::mt19937_64 random(1);
  data->out.resize(static_cast<std::size_t>(bins));
  data->index.resize(values);
  for (std::int32_t& bin : data->index) bin = static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(bins));
  const auto loop = [data] {
    std::int32_t* const out = data->out.data();
    const std::int32_t* const index = data->index.data();
    for (std::int64_t i = 0; i < values; ++i) out[index[i]] += 1;
  };
  const auto openmp = [data, bins] {
    std::int32_t* const out = data->out.data();
    const std::int32_t* const index = data->index.data();
#pragma omp parallel for num_threads(2) schedule(static) reduction(+ : out[ : bins])
    for (std::int64_t i = 0; i < values; ++i) out[index[i]] += 1;
  };
  const auto out = strew::tensor(data->out);
  return {values, loop,
          openmp, strew::pytorch::describe::scatter(out, out, 0, strew::tensor(data->index), 1, "add"),
          false,  [data] { return bytes_of(*data); }};
}

}  // namespace

void add_histogram(std::vector<Make>& all) {
  for (const std::int32_t bins : {256, 65'536, 1 << 20}) all.push_back({"histogram " + std::to_string(bins), [=] { return make(bins); }});
}

}  // namespace programs
