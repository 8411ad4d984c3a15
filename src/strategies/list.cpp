// The order in which strategies are asked.
#include "strategies/strategy.h"

namespace strew {

extern const Strategy elements;
extern const Strategy serial;

std::span<const Strategy* const> strategies() {
  static constexpr const Strategy* list[] = {&elements, &serial};
  return list;
}

}  // namespace strew
