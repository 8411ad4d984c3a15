// Writes the changed elements of a copy back. Compiles to masked vector stores where the instruction set has them.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/changes.cpp"
#include "kernels/changes.h"

#include <array>

#include "kernels/instruction_sets.h"
#include "kernels/types.h"

HWY_BEFORE_NAMESPACE();
namespace strew::internal::HWY_NAMESPACE {
namespace {

template <class Bits>
void write_changes(std::byte* __restrict out, const std::byte* __restrict after, const std::byte* __restrict before, std::int64_t count) {
  constexpr std::int64_t size = sizeof(Bits);
  for (std::int64_t i = 0; i < count; ++i) {
    const Bits bits = load<Bits>(after + i * size);
    if (bits != load<Bits>(before + i * size)) store(out + i * size, bits);
  }
}

}  // namespace

ChangesKernel find_changes(std::int64_t bytes) {
  switch (bytes) {
    case 1: return &write_changes<std::uint8_t>;
    case 2: return &write_changes<std::uint16_t>;
    case 4: return &write_changes<std::uint32_t>;
    case 8: return &write_changes<std::uint64_t>;
    default: return &write_changes<std::array<std::uint64_t, 2>>;
  }
}

}  // namespace strew::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strew::internal {

HWY_EXPORT(find_changes);

ChangesKernel changes_kernel(std::int64_t bytes) { return HWY_DYNAMIC_DISPATCH(find_changes)(bytes); }

}  // namespace strew::internal
#endif
