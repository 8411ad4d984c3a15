// Copies rows into the addressed tensor or out of it. Only the element size matters.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/apply_copy.cpp"
#include "kernels/instruction_sets.h"
// The order matters: instruction_sets.h comes first.
#include <cstring>

#include "kernels/apply_families.h"
#include "kernels/each_row.h"

HWY_BEFORE_NAMESPACE();
namespace strew::internal::HWY_NAMESPACE {
namespace {

// addressed[i] = stream[i]
struct CopyIn {
  static void copy(std::byte* addressed, const std::byte* stream, std::size_t bytes) { std::memcpy(addressed, stream, bytes); }
};
// stream[i] = addressed[i]
struct CopyOut {
  static void copy(const std::byte* addressed, const std::byte* stream, std::size_t bytes) {
    std::memcpy(const_cast<std::byte*>(stream), addressed, bytes);  // RowBlock declares the stream as read-only, but a gather writes it
  }
};

// Copies each dense row of a common short length with one memcpy of constant size. Returns false for other lengths.
template <class Direction>
bool copy_short_rows(const RowBlock& b, std::int64_t element) {
  if (b.addressed_width_stride != element || b.stream_width_stride != element) return false;
  const auto copy_all = [&]<std::size_t row>() {
    each_row(b, row, 1, 1,
             [](std::byte* addressed, const std::byte* stream, std::int64_t, std::int64_t) { Direction::copy(addressed, stream, row); });
    return true;
  };
  switch (b.width * element) {
    case 4: return copy_all.template operator()<4>();
    case 6: return copy_all.template operator()<6>();
    case 8: return copy_all.template operator()<8>();
    case 12: return copy_all.template operator()<12>();
    case 16: return copy_all.template operator()<16>();
    case 24: return copy_all.template operator()<24>();
    case 32: return copy_all.template operator()<32>();
    case 64: return copy_all.template operator()<64>();
    case 128: return copy_all.template operator()<128>();
    case 256: return copy_all.template operator()<256>();
    default: return false;
  }
}

// Copies rows of elements of `bytes` bytes.
template <class Direction, std::size_t bytes>
void copy_rows(const RowBlock& b) {
  if (copy_short_rows<Direction>(b, bytes)) return;
  if (b.width == 1) {
    each_row(b, 1, 0, 0,
             [](std::byte* addressed, const std::byte* stream, std::int64_t, std::int64_t) { Direction::copy(addressed, stream, bytes); });
    return;
  }
  const std::int64_t addressed_stride = b.addressed_width_stride, stream_stride = b.stream_width_stride;
  const bool dense = addressed_stride == bytes && stream_stride == bytes;
  each_row(b, b.width, addressed_stride, stream_stride,
           [&](std::byte* addressed, const std::byte* stream, std::int64_t begin, std::int64_t end) {
             if (dense) {
               Direction::copy(addressed + begin * addressed_stride, stream + begin * stream_stride,
                               static_cast<std::size_t>(end - begin) * bytes);
               return;
             }
             for (std::int64_t j = begin; j < end; ++j)
               Direction::copy(addressed + j * addressed_stride, stream + j * stream_stride, bytes);
           });
}

template <class Direction>
RowKernel find_copy(std::int64_t element) {
  switch (element) {
    case 1: return &copy_rows<Direction, 1>;
    case 2: return &copy_rows<Direction, 2>;
    case 4: return &copy_rows<Direction, 4>;
    case 8: return &copy_rows<Direction, 8>;
    case 16: return &copy_rows<Direction, 16>;
    default: return nullptr;
  }
}

}  // namespace

RowKernel find_copy_in(std::int64_t element) { return find_copy<CopyIn>(element); }
RowKernel find_copy_out(std::int64_t element) { return find_copy<CopyOut>(element); }

}  // namespace strew::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strew::internal {

HWY_EXPORT(find_copy_in);
HWY_EXPORT(find_copy_out);

RowKernel copy_in(std::int64_t element) { return HWY_DYNAMIC_DISPATCH(find_copy_in)(element); }
RowKernel copy_out(std::int64_t element) { return HWY_DYNAMIC_DISPATCH(find_copy_out)(element); }

}  // namespace strew::internal
#endif
