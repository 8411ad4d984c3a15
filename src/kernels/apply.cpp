// Chooses the kernel of a step, and holds the kernels for strings.
#include "kernels/apply.h"

#include <string>

#include "kernels/apply_families.h"
#include "kernels/properties.h"
#include "kernels/types.h"

namespace strew::internal {
namespace {

// Calls use(element of addressed, element of stream) for every element, in order. Strings are never copied as bytes.
template <class Use>
void each_string(const RowBlock& b, Use use) {
  for (std::int64_t i = 0; i < b.rows; ++i) {
    for (std::int64_t j = 0; j < b.width; ++j) {
      use(*reinterpret_cast<std::string*>(b.addressed + b.offsets[i] + j * b.addressed_width_stride),
          *reinterpret_cast<std::string*>(b.stream + i * b.stream_stride + j * b.stream_width_stride));
    }
  }
}
void assign_strings(const RowBlock& b) {
  each_string(b, [](std::string& out, const std::string& update) { out = update; });
}
void add_strings(const RowBlock& b) {
  each_string(b, [](std::string& out, const std::string& update) { out += update; });
}
void gather_strings(const RowBlock& b) {
  each_string(b, [](const std::string& from, std::string& out) { out = from; });
}

}  // namespace

RowKernel step_kernel(Reduction reduction, FoldCompare compare, Dtype dtype, Dtype accumulator) {
  if (dtype == Dtype::string || accumulator == Dtype::string) {
    if (dtype != accumulator) return nullptr;
    return reduction == Reduction::assign ? &assign_strings : reduction == Reduction::add ? &add_strings : nullptr;
  }
  if (dtype == accumulator && properties_of(reduction, compare, dtype).replaces) return copy_in(size_of(dtype));
  const bool is_wide_accumulator = accumulator == Dtype::float32 && is_one_of(Halves{}, dtype);
  if (dtype != accumulator && !is_wide_accumulator) return wide_step(reduction, compare, dtype, accumulator);
  switch (dtype_info(dtype).kind) {
    case DtypeKind::boolean: return boolean_step(reduction, compare, dtype, accumulator);
    case DtypeKind::signed_integer:
    case DtypeKind::unsigned_integer: return integer_step(reduction, compare, dtype, accumulator);
    case DtypeKind::floating:
      return is_one_of(Halves{}, dtype) ? half_step(reduction, compare, dtype, accumulator)
                                        : floating_step(reduction, compare, dtype, accumulator);
    case DtypeKind::complex: return complex_step(reduction, compare, dtype, accumulator);
    case DtypeKind::text: break;
  }
  return nullptr;
}

RowKernel gather_kernel(Dtype dtype) { return dtype == Dtype::string ? &gather_strings : copy_out(size_of(dtype)); }

}  // namespace strew::internal
