// Loops over corresponding elements of up to four tensors, for gradients.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "strew/dtype.h"

namespace strew::internal {

// `count` elements of each tensor; strides in bytes. `to` is the first; it may be one of the others as well.
struct Strip {
  std::array<std::byte*, 4> at;
  std::array<std::int64_t, 4> stride;
  std::int64_t count;
};

// Returns whether it found a NaN, which only some kernels look for. All are null for types that have no gradient.
using StripKernel = bool (*)(const Strip& strip);

// to = a / max(counts, 1), with counts of type int32 or int64
StripKernel divide_kernel(Dtype dtype, Dtype counts);
// to = (a == b), as int32; NaN equals NaN, and is reported
StripKernel same_kernel(Dtype dtype);
// to = flags != 0 ? a : 0, or the other way round, with int32 flags
StripKernel keep_kernel(Dtype dtype);
StripKernel drop_flagged_kernel(Dtype dtype);
// to = flags != 0 ? -to : to, with flags of one byte
StripKernel negate_kernel(Dtype dtype);
// to = conjugate of to; null for real types
StripKernel conjugate_kernel(Dtype dtype);
// to = a is NaN ? numbers : 0, with numbers of type int64
StripKernel nan_number_kernel(Dtype dtype);
// to = to and (a is NaN ? numbers == kept_nan : !drops_earlier or numbers >= kept_nan), where to is int32: (to, a, numbers, kept_nan)
StripKernel nan_choice_kernel(Dtype dtype, bool drops_earlier);
// to = (a == b), as bytes of 0 and 1; a and b of type int32 or int64
StripKernel equal_kernel(Dtype numbers);
// to = 0 unless numbers == last, with elements of `bytes` bytes; numbers of type int32 or int64
StripKernel drop_kernel(std::int64_t bytes, Dtype numbers);
// to[i] = first + i * by, of type int32 or int64
void count_up(std::byte* to, std::int64_t first, std::int64_t by, std::int64_t count, Dtype numbers);

}  // namespace strew::internal
