// Finite elements: the 2 x 2 matrices of the elements of a rod are summed into the values of a sparse matrix, again and again with other
// values and the same indices, which a plan reads once.
#include <strew/strew.h>

#include <cstdio>
#include <vector>

int main() {
  constexpr int elements = 1000;
  std::vector<double> values(3 * (elements + 1)), stiffness;  // a tridiagonal matrix: three entries for each row
  std::vector<int> entry;                                     // of each value of each element matrix
  for (int e = 0; e < elements; ++e) {
    for (const int i : {1, 2, 3, 4}) entry.push_back(3 * e + i);
    for (const double k : {1.0, -1.0, -1.0, 1.0}) stiffness.push_back(k);
  }
  const strew::Plan assemble = strew::plan(strew::describe::scatter_add(values, entry, stiffness));
  for (int step = 0; step < 3; ++step) assemble.apply(strew::tensor(stiffness), strew::tensor(values));
  std::printf("rows of the matrix: %g %g %g ... %g %g %g\n", values[0], values[1], values[2], values[3], values[4], values[5]);
}
// Prints: rows of the matrix: 0 3 -3 ... -3 6 -3
