// Compiles a file, which names itself in HWY_TARGET_INCLUDE, once per instruction set through Highway: the code between
// HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE. The code in #if HWY_ONCE dispatches to the best one at run time. No include guard: every
// pass over the file needs it.
#ifdef STREW_WITH_HIGHWAY
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)  // they gain little over the baseline or over AVX2
#include <hwy/foreach_target.h>
// The order matters: foreach_target.h comes first.
#include <hwy/highway.h>
#else
#define HWY_NAMESPACE baseline
#define HWY_BEFORE_NAMESPACE() static_assert(true, "")
#define HWY_AFTER_NAMESPACE() static_assert(true, "")
#define HWY_ONCE 1
#define HWY_EXPORT(function) static_assert(true, "")
#define HWY_DYNAMIC_DISPATCH(function) baseline::function
#endif
