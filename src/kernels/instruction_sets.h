// Compiles the file that defines HWY_TARGET_INCLUDE as itself once per instruction set, through Highway: what stands between
// HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE in HWY_NAMESPACE, that is; what stands in #if HWY_ONCE picks the best one at run time.
// No include guard: every turn needs it.
#ifdef STREW_WITH_HIGHWAY
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)  // between the baseline, AVX2 and AVX-512 little is gained
#include <hwy/foreach_target.h>
// The order matters.
#include <hwy/highway.h>
#else
#define HWY_NAMESPACE baseline
#define HWY_BEFORE_NAMESPACE() static_assert(true, "")
#define HWY_AFTER_NAMESPACE() static_assert(true, "")
#define HWY_ONCE 1
#define HWY_EXPORT(function) static_assert(true, "")
#define HWY_DYNAMIC_DISPATCH(function) baseline::function
#endif
