// One table of the element types with their letters in the buffer protocol and their codes in DLPack.
#include "formats.h"

#include <algorithm>
#include <string_view>

namespace strew::python {
namespace {

struct Names {
  Dtype dtype;
  const char* format;  // in exported buffers
  dlpack::TypeCode code;
};
constexpr Names names[] = {
    {Dtype::bool_, "?", dlpack::boolean},           {Dtype::int8, "b", dlpack::signed_integer},
    {Dtype::int16, "h", dlpack::signed_integer},    {Dtype::int32, "i", dlpack::signed_integer},
    {Dtype::int64, "l", dlpack::signed_integer},    {Dtype::uint8, "B", dlpack::unsigned_integer},
    {Dtype::uint16, "H", dlpack::unsigned_integer}, {Dtype::uint32, "I", dlpack::unsigned_integer},
    {Dtype::uint64, "L", dlpack::unsigned_integer}, {Dtype::float16, "e", dlpack::floating},
    {Dtype::bfloat16, "H", dlpack::bfloat},         {Dtype::float32, "f", dlpack::floating},
    {Dtype::float64, "d", dlpack::floating},        {Dtype::complex64, "Zf", dlpack::complex},
    {Dtype::complex128, "Zd", dlpack::complex},
};
static_assert(std::size(names) == static_cast<std::size_t>(Dtype::string));
const Names& names_of(Dtype dtype) { return names[static_cast<std::size_t>(dtype)]; }

// The size of a letter depends on the prefix, so a letter determines only the kind; the size is a separate argument.
struct Letters {
  std::string_view letters;
  DtypeKind kind;
};
constexpr Letters kinds[] = {{"?", DtypeKind::boolean},
                             {"bhilqn", DtypeKind::signed_integer},
                             {"BHILQN", DtypeKind::unsigned_integer},
                             {"efd", DtypeKind::floating}};

// NumPy's type numbers: C's integers, then floats and complex numbers of three sizes, types that are not numbers, and halves.
constexpr Dtype signed_long = sizeof(long) == 8 ? Dtype::int64 : Dtype::int32;
constexpr Dtype unsigned_long = sizeof(long) == 8 ? Dtype::uint64 : Dtype::uint32;
constexpr std::optional<Dtype> counted[] = {
    Dtype::bool_,  Dtype::int8,  Dtype::uint8,  Dtype::int16,   Dtype::uint16,  Dtype::int32, Dtype::uint32,    signed_long,
    unsigned_long, Dtype::int64, Dtype::uint64, Dtype::float32, Dtype::float64, std::nullopt, Dtype::complex64, Dtype::complex128,
    std::nullopt,  std::nullopt, std::nullopt,  std::nullopt,   std::nullopt,   std::nullopt, std::nullopt,     Dtype::float16};

std::optional<Dtype> dtype_of(DtypeKind kind, std::int64_t size) {
  for (const Names& row : names) {
    if (row.dtype != Dtype::bfloat16 && dtype_info(row.dtype).kind == kind && size_of(row.dtype) == size) return row.dtype;
  }
  return std::nullopt;
}

// Without the sign of the byte order.
std::optional<Dtype> dtype_of_letters(std::string_view letters, std::int64_t size) {
  if (letters == "Zf" || letters == "Zd") return dtype_of(DtypeKind::complex, size);
  if (letters.size() != 1) return std::nullopt;
  for (const Letters& row : kinds) {
    if (row.letters.find(letters[0]) != std::string_view::npos) return dtype_of(row.kind, size);
  }
  return std::nullopt;
}

}  // namespace

const char* format_of(Dtype dtype) { return names_of(dtype).format; }

dlpack::DataType dlpack_type_of(Dtype dtype) { return {names_of(dtype).code, static_cast<std::uint8_t>(8 * size_of(dtype)), 1}; }

std::optional<Element> element_of_format(const char* format, std::int64_t size) {
  if (format == nullptr) return Element{Dtype::uint8};  // the protocol's default: bytes
  std::string_view letters = format;
  constexpr std::string_view little_or_native = "<=@^", big = ">!";
  const auto starts_with_one_of = [&](std::string_view some) {
    return !letters.empty() && some.find(letters[0]) != std::string_view::npos;
  };
  const bool is_big = starts_with_one_of(big);
  if (is_big || starts_with_one_of(little_or_native)) letters.remove_prefix(1);
  const auto dtype = dtype_of_letters(letters, size);
  if (!dtype) return std::nullopt;
  return Element{*dtype, is_big && size > 1};
}

void swap_bytes(std::span<std::byte> memory, Dtype dtype) {
  const auto parts = dtype_info(dtype).kind == DtypeKind::complex ? 2 : 1;
  const auto size = size_of(dtype) / parts;
  for (auto number = memory.begin(); number != memory.end(); number += size) std::reverse(number, number + size);
}

std::optional<Dtype> dtype_of_numpy(int type_number) {
  const auto number = static_cast<std::size_t>(type_number);
  return number < std::size(counted) ? counted[number] : std::nullopt;
}

std::optional<Dtype> dtype_of_dlpack(dlpack::DataType type) {
  for (const Names& row : names) {
    if (row.code == type.code && 8 * size_of(row.dtype) == type.bits && type.lanes == 1) return row.dtype;
  }
  return std::nullopt;
}

}  // namespace strew::python
