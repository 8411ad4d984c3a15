// Finite elements: the 2 x 2 matrices of the elements of a rod are summed into the values of a sparse matrix, again and again with other
// values and the same indices, which a plan reads once.
#include <strew/strew.h>

#include <cstdint>
#include <cstdio>
#include <vector>

int main() {
  constexpr std::int64_t elements = 1000, nodes = elements + 1;
  std::vector<double> values(3 * nodes);  // a tridiagonal matrix: three entries for each row
  std::vector<std::int64_t> entry;        // of each value of each element matrix
  std::vector<double> stiffness;
  for (std::int64_t e = 0; e < elements; ++e) {
    for (const std::int64_t i : {3 * e + 1, 3 * e + 2, 3 * e + 3, 3 * e + 4}) entry.push_back(i);
    for (const double k : {1.0, -1.0, -1.0, 1.0}) stiffness.push_back(k);
  }

  const strew::Plan assemble = strew::plan(strew::describe::scatter_add(values, entry, stiffness));
  for (int step = 0; step < 3; ++step) assemble.apply(strew::tensor(stiffness), strew::tensor(values));

  std::printf("rows of the matrix: %g %g %g ... %g %g %g\n", values[0], values[1], values[2], values[3], values[4], values[5]);
}
// Prints: rows of the matrix: 0 3 -3 ... -3 6 -3
