// Finite elements: the 8 x 8 matrices of hexahedra on a cube of n x n x n are added into the entries of a sparse matrix.
#include <algorithm>
#include <array>
#include <numeric>
#include <random>

#include "program.h"

namespace programs {
namespace {

// Where the entry (node, neighbour) stands among the entries of the sparse matrix: rows in order of nodes, in each the neighbours in order.
class Pattern {
 public:
  explicit Pattern(std::int64_t n) : nodes_(n + 1), starts_(static_cast<std::size_t>(nodes_ * nodes_ * nodes_ + 1)) {
    for (std::int64_t node = 0; node < nodes_ * nodes_ * nodes_; ++node) {
      const auto [x, y, z] = coordinates(node);
      starts_[static_cast<std::size_t>(node + 1)] = starts_[static_cast<std::size_t>(node)] + width(x) * width(y) * width(z);
    }
  }
  [[nodiscard]] std::int64_t entries() const { return starts_.back(); }
  [[nodiscard]] std::int64_t node(std::int64_t x, std::int64_t y, std::int64_t z) const { return (x * nodes_ + y) * nodes_ + z; }
  [[nodiscard]] std::int64_t entry(std::int64_t row, std::int64_t column) const {
    const auto from = coordinates(row), to = coordinates(column);
    std::int64_t at = 0;
    for (std::size_t d = 0; d < 3; ++d) at = at * width(from[d]) + to[d] - std::max<std::int64_t>(from[d] - 1, 0);
    return starts_[static_cast<std::size_t>(row)] + at;
  }

 private:
  [[nodiscard]] std::array<std::int64_t, 3> coordinates(std::int64_t node) const {
    return {node / (nodes_ * nodes_), node / nodes_ % nodes_, node % nodes_};
  }
  [[nodiscard]] std::int64_t width(std::int64_t at) const { return at == 0 || at == nodes_ - 1 ? 2 : 3; }

  std::int64_t nodes_;
  std::vector<std::int64_t> starts_;
};

Program make(std::int64_t n, bool shuffled, bool planned) {
  const Pattern pattern(n);
  std::mt19937_64 random(1);
  std::vector<std::int64_t> elements(static_cast<std::size_t>(n * n * n));
  std::iota(elements.begin(), elements.end(), 0);
  if (shuffled) std::shuffle(elements.begin(), elements.end(), random);
  auto data = std::make_shared<Elements<double, std::int64_t>>();
  data->out.resize(static_cast<std::size_t>(pattern.entries()));
  for (const std::int64_t element : elements) {
    std::array<std::int64_t, 8> nodes;
    for (std::size_t i = 0; i < 8; ++i) {
      const auto corner = static_cast<std::int64_t>(i);
      nodes[i] = pattern.node(element / (n * n) + (corner >> 2), element / n % n + (corner >> 1 & 1), element % n + (corner & 1));
    }
    for (const std::int64_t row : nodes) {
      for (const std::int64_t column : nodes) {
        data->index.push_back(pattern.entry(row, column));
        data->values.push_back(static_cast<double>(random() % 16));
      }
    }
  }
  return sum_of(std::move(data), planned);
}

}  // namespace

void add_assembly(std::vector<Make>& all) {
  for (const bool planned : {false, true}) {
    for (const bool shuffled : {false, true}) {
      for (const std::int64_t n : {47, 48, 49}) {
        all.push_back({"assembly " + std::to_string(n) + "^3, " + (shuffled ? "shuffled" : "natural") + (planned ? ", plan" : ", call"),
                       [=] { return make(n, shuffled, planned); }});
      }
    }
  }
}

}  // namespace programs
