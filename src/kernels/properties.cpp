// The table of the properties of all reductions.
#include "kernels/properties.h"

#include <array>
#include <iterator>

#include "kernels/reductions.h"

namespace strew::internal {
namespace {

constexpr std::size_t compares = static_cast<std::size_t>(FoldCompare::lexical) + 1;
using Row = std::array<Properties, std::size(dtypes)>;  // by dtype
using Table = std::array<std::array<Row, compares>, std::size(reduction_names)>;

template <class Op, class... T>
constexpr Row properties_in(Types<T...>) {
  Row row{};
  for (Properties& one : row) {
    one.replaces = Replaces<Op>;
    one.selects = Selects<Op>;
    one.keeps_low_bits = KeepsLowBits<Op>;
  }
  const auto fill = [&row]<class N>(Tag<N>) {
    Properties& one = row[static_cast<std::size_t>(dtype_of<N>)];
    one.has_identity = HasIdentity<Op, N>;
    one.associative = Associative<Op, N>;
    one.commutative = Commutative<Op, N>;
  };
  (fill(Tag<T>{}), ...);
  return row;
}

template <class... Op>
constexpr Table make_table(Types<Op...>) {
  Table table{};
  for (std::size_t r = 0; r < table.size(); ++r) {
    for (std::size_t c = 0; c < compares; ++c) {
      ((is_reduction<Op>(static_cast<Reduction>(r), static_cast<FoldCompare>(c)) ? void(table[r][c] = properties_in<Op>(Numbers{}))
                                                                                 : void()),
       ...);
    }
  }
  return table;
}

constexpr Table table = make_table(Reductions{});

}  // namespace

Properties properties_of(Reduction reduction, FoldCompare compare, Dtype dtype) {
  const auto r = static_cast<std::size_t>(reduction), c = static_cast<std::size_t>(compare), d = static_cast<std::size_t>(dtype);
  return r < table.size() && c < compares && d < std::size(dtypes) ? table[r][c][d] : Properties{};
}

}  // namespace strew::internal
