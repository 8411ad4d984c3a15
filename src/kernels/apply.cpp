// Assignment by element size, strings, and the choice of the kernel for a step.
#include "kernels/apply.h"

#include <string>

#include "kernels/apply_families.h"
#include "kernels/each_row.h"
#include "kernels/types.h"

namespace strew {
namespace {

// to[i, j] = from[i, j], rows of `width` elements of `bytes` bytes
template <std::size_t bytes>
void copy_row(std::byte* __restrict to, std::int64_t to_step, const std::byte* __restrict from, std::int64_t from_step,
              std::int64_t width) {
  if (to_step == static_cast<std::int64_t>(bytes) && from_step == static_cast<std::int64_t>(bytes)) {
    std::memcpy(to, from, static_cast<std::size_t>(width) * bytes);
    return;
  }
  for (std::int64_t j = 0; j < width; ++j) std::memcpy(to + j * to_step, from + j * from_step, bytes);
}

// Copies dense rows of a common short length as one piece each: copy<bytes>(place, stream). False if it is no such length.
template <class Copy>
bool copy_short_rows(const RowBlock& b, std::int64_t element, const Copy& copy) {
  if (b.place_width_step != element || b.stream_width_step != element) return false;
  const auto copy_all = [&]<std::size_t row>() {
    each_row(b, row, 1, 1,
             [&](std::byte* at, const std::byte* update, std::int64_t, std::int64_t) { copy.template operator()<row>(at, update); });
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
    default: return false;
  }
}

// place[offsets[i] + j] = stream[i, j]
template <std::size_t bytes>
void assign_rows(const RowBlock& b) {
  const auto assign = []<std::size_t row>(std::byte* at, const std::byte* update) { std::memcpy(at, update, row); };
  if (copy_short_rows(b, bytes, assign)) return;
  if (b.width == 1) {
    each_row(b, 1, 0, 0, [](std::byte* at, const std::byte* update, std::int64_t, std::int64_t) { std::memcpy(at, update, bytes); });
    return;
  }
  const std::int64_t to_step = b.place_width_step, from_step = b.stream_width_step;
  each_row(b, b.width, to_step, from_step, [&](std::byte* row, const std::byte* update, std::int64_t begin, std::int64_t end) {
    copy_row<bytes>(row + begin * to_step, to_step, update + begin * from_step, from_step, end - begin);
  });
}

// stream[i, j] = place[offsets[i] + j]
template <std::size_t bytes>
void gather_rows(const RowBlock& b) {
  const auto written = [](const std::byte* at) { return const_cast<std::byte*>(at); };  // steps read the stream, gathering writes it
  if (copy_short_rows(b, bytes, [&]<std::size_t row>(const std::byte* at, const std::byte* to) { std::memcpy(written(to), at, row); }))
    return;
  if (b.width == 1) {
    each_row(b, 1, 0, 0, [&](std::byte* at, const std::byte* to, std::int64_t, std::int64_t) { std::memcpy(written(to), at, bytes); });
    return;
  }
  const std::int64_t from_step = b.place_width_step, to_step = b.stream_width_step;
  each_row(b, b.width, from_step, to_step, [&](std::byte* row, const std::byte* to, std::int64_t begin, std::int64_t end) {
    copy_row<bytes>(written(to) + begin * to_step, to_step, row + begin * from_step, from_step, end - begin);
  });
}

// Calls use(string of place, string of stream) for every element, in order. Strings are never moved as bytes.
template <class Use>
void each_string(const RowBlock& b, Use use) {
  for (std::int64_t i = 0; i < b.rows; ++i) {
    for (std::int64_t j = 0; j < b.width; ++j) {
      use(*reinterpret_cast<std::string*>(b.place + b.offsets[i] + j * b.place_width_step),
          *reinterpret_cast<std::string*>(b.stream + i * b.stream_step + j * b.stream_width_step));
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

RowKernel assign_kernel(Dtype dtype) {
  switch (size_of(dtype)) {
    case 1: return &assign_rows<1>;
    case 2: return &assign_rows<2>;
    case 4: return &assign_rows<4>;
    case 8: return &assign_rows<8>;
    case 16: return &assign_rows<16>;
    default: return nullptr;
  }
}

}  // namespace

RowKernel step_kernel(Reduction reduction, Compare compare, Dtype dtype, Dtype accumulator) {
  if (dtype == Dtype::string || accumulator == Dtype::string) {
    if (dtype != accumulator) return nullptr;
    return reduction == Reduction::assign ? &assign_strings : reduction == Reduction::add ? &add_strings : nullptr;
  }
  if (reduction == Reduction::assign && dtype == accumulator) return assign_kernel(dtype);
  const bool is_wide_accumulator = accumulator == Dtype::float32 && size_of(dtype) == 2 && info(dtype).kind == Kind::floating;
  if (dtype != accumulator && !is_wide_accumulator) return wide_step(reduction, compare, dtype, accumulator);
  switch (info(dtype).kind) {
    case Kind::boolean: return boolean_step(reduction, compare, dtype, accumulator);
    case Kind::signed_integer:
    case Kind::unsigned_integer: return integer_step(reduction, compare, dtype, accumulator);
    case Kind::floating:
      return size_of(dtype) == 2 ? half_step(reduction, compare, dtype, accumulator)
                                 : floating_step(reduction, compare, dtype, accumulator);
    case Kind::complex: return complex_step(reduction, compare, dtype, accumulator);
    case Kind::text: break;
  }
  return nullptr;
}

RowKernel gather_kernel(Dtype dtype) {
  if (dtype == Dtype::string) return &gather_strings;
  switch (size_of(dtype)) {
    case 1: return &gather_rows<1>;
    case 2: return &gather_rows<2>;
    case 4: return &gather_rows<4>;
    case 8: return &gather_rows<8>;
    default: return &gather_rows<16>;
  }
}

}  // namespace strew
