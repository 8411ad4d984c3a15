// Particles in cells: each particle adds its charge to the eight corners of its cell.
#include <algorithm>
#include <random>

#include "program.h"

namespace programs {
namespace {

constexpr std::int64_t side = 128;  // grid points along each axis

Program make(std::int64_t particles, bool sorted) {
  std::mt19937_64 random(1);
  std::vector<std::int32_t> cells(static_cast<std::size_t>(particles));
  const auto any = [&] { return static_cast<std::int64_t>(random() % (side - 1)); };
  std::generate(cells.begin(), cells.end(), [&] { return static_cast<std::int32_t>((any() * side + any()) * side + any()); });
  if (sorted) std::sort(cells.begin(), cells.end());
  auto data = std::make_shared<Elements<float, std::int64_t>>();
  data->out.resize(side * side * side);
  for (const std::int32_t cell : cells) {
    for (int corner = 0; corner < 8; ++corner) {
      data->index.push_back(cell + ((corner >> 2) * side + (corner >> 1 & 1)) * side + (corner & 1));
      data->values.push_back(static_cast<float>(random() % 8));
    }
  }
  return sum_of(std::move(data), false);
}

}  // namespace

void add_particles(std::vector<Make>& all) {
  for (const bool sorted : {false, true}) {
    for (const std::int64_t particles : {4'000'000, 4'000'001}) {
      all.push_back(
          {"particles " + std::to_string(particles) + (sorted ? ", sorted" : ", random"), [=] { return make(particles, sorted); }});
    }
  }
}

}  // namespace programs
