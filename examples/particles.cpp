// Particles deposit their charge at the eight corners of their cell of a grid.
#include <strew/strew.h>

#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

int main() {
  constexpr std::int32_t side = 32, particles = 100'000;
  std::mt19937 random(1);
  std::vector<double> grid(side * side * side);
  std::vector<std::int32_t> x, y, z;  // one column of indices for each axis, eight corners a particle
  for (int i = 0; i < particles; ++i) {
    const auto any = [&] { return static_cast<std::int32_t>(random() % (side - 1)); };
    const std::int32_t cell[] = {any(), any(), any()};
    for (int corner = 0; corner < 8; ++corner) {
      x.push_back(cell[0] + (corner >> 2));
      y.push_back(cell[1] + (corner >> 1 & 1));
      z.push_back(cell[2] + (corner & 1));
    }
  }
  const std::vector<double> charge(x.size(), 0.125);

  strew::scatter_add(strew::tensor(grid, {side, side, side}), {x, y, z}, charge);

  double total = 0;
  for (const double value : grid) total += value;
  std::printf("%.0f of %d units of charge are on the grid\n", total, particles);
}
// Prints: 100000 of 100000 units of charge are on the grid
