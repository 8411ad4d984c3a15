// Particles deposit their charge at the eight corners of their cell of a grid.
#include <strew/strew.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

int main() {
  constexpr int side = 32, particles = 100'000;
  std::vector<double> grid(side * side * side), charge(8 * particles, 0.125);
  std::array<std::vector<std::uint64_t>, 3> at;  // the indices on each axis, eight for each particle
  std::mt19937 random(1);
  for (int p = 0; p < particles; ++p) {
    const std::uint64_t cell[] = {random() % (side - 1), random() % (side - 1), random() % (side - 1)};
    for (std::size_t k = 0; k < 24; ++k) at[k % 3].push_back(cell[k % 3] + (k / 3 >> k % 3 & 1));
  }
  strew::scatter_add(strew::tensor(grid, {side, side, side}), {at[0], at[1], at[2]}, charge);
  std::printf("%.0f of %d units of charge are on the grid\n", std::accumulate(grid.begin(), grid.end(), 0.0), particles);
}
// Prints: 100000 of 100000 units of charge are on the grid
