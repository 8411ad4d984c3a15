// Voxels: each cell of a grid keeps the largest value of the points that fall into it.
#include <atomic>
#include <random>

#include "program.h"

namespace programs {
namespace {

constexpr std::int64_t points = 1 << 22, side = 128;

Program make() {
  auto data = std::make_shared<Elements<float, std::int32_t>>();
  std::mt19937_64 random(1);
  data->out.resize(side * side * side);
  data->index.resize(points);
  data->values.resize(points);
  for (std::size_t i = 0; i < points; ++i) {
    data->index[i] = static_cast<std::int32_t>(random() % (side * side * side));
    data->values[i] = static_cast<float>(random() % 1000);
  }
  const auto loop = [data] {
    float* const out = data->out.data();
    for (std::size_t i = 0; i < points; ++i) {
      float& voxel = out[data->index[i]];
      voxel = voxel < data->values[i] ? data->values[i] : voxel;
    }
  };
  const auto openmp = [data] {
    float* const out = data->out.data();
#pragma omp parallel for num_threads(2) schedule(static)
    for (std::size_t i = 0; i < points; ++i) {
      const std::atomic_ref<float> voxel(out[data->index[i]]);
      const float value = data->values[i];
      float seen = voxel.load(std::memory_order_relaxed);
      while (seen < value && !voxel.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
      }
    }
  };
  const auto out = strew::tensor(data->out);
  return {points, loop,
          openmp, strew::numpy::describe::maximum_at(out, {strew::tensor(data->index)}, strew::tensor(data->values)),
          false,  [data] { return bytes_of(*data); }};
}

}  // namespace

void add_voxels(std::vector<Make>& all) { all.push_back({"voxel max", &make}); }

}  // namespace programs
