// Sets Highway's supported targets by name.
#include "kernels/pin.h"

#ifdef STREW_WITH_HIGHWAY
#include <hwy/targets.h>
#endif

namespace strew::internal {

#ifdef STREW_WITH_HIGHWAY
namespace {
constexpr std::int64_t compiled = HWY_AVX2 | HWY_AVX3 | HWY_STATIC_TARGET;

// Calls use(target) for each target that is compiled and supported, best first.
template <class Use>
void each_target(Use use) {
  hwy::SetSupportedTargetsForTest(0);
  for (std::int64_t left = hwy::SupportedTargets() & compiled; left != 0; left &= left - 1) use(left & -left);
}
}  // namespace

std::vector<std::string_view> instruction_sets() {
  std::vector<std::string_view> names;
  each_target([&](std::int64_t target) { names.emplace_back(hwy::TargetName(target)); });
  return names;
}

bool pin_instruction_set(std::string_view name) {
  std::int64_t supported = 0;
  each_target([&](std::int64_t target) {
    if (hwy::TargetName(target) == name) supported = target;
  });
  hwy::SetSupportedTargetsForTest(supported);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  return supported != 0 || name.empty();
}
#else
std::vector<std::string_view> instruction_sets() { return {"baseline"}; }
bool pin_instruction_set(std::string_view name) { return name.empty() || name == "baseline"; }
#endif

}  // namespace strew::internal
