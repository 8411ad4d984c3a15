// Opens arrays.
#include "input.h"

#include <algorithm>
#include <vector>

#include "base/checked.h"
#include "base/text.h"
#include "error.h"
#include "inflate.h"
#include "npy.h"
#include "text.h"
#include "zip.h"

namespace strew::files {
using internal::cat;
using internal::saturating_add;
using internal::saturating_mul;
namespace {

// Element strides of an array as it lies in the file.
Dims strides_of(const NpyHeader& header) {
  if (!header.fortran_order || header.count == 0) return dense_strides(header.shape);
  Dims strides(header.shape.size(), 1);
  for (std::size_t d = 1; d < strides.size(); ++d) strides[d] = strides[d - 1] * header.shape[d - 1];
  return strides;
}

// Reverses the bytes of each number; a complex number is two.
void swap_bytes(std::span<std::byte> bytes, std::size_t number) {
  for (std::size_t at = 0; at < bytes.size(); at += number)
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.begin() + static_cast<std::ptrdiff_t>(at + number));
}

std::span<std::byte> bytes_of(Tensor& tensor) { return {static_cast<std::byte*>(tensor.data()), static_cast<std::size_t>(tensor.size())}; }

// The strings of a compressed member may take 512 MiB of memory, or more if the file itself is not much smaller. Otherwise a short file
// of repeated characters could fill all memory: every string takes some dozen bytes, however short it is.
void check_text_memory(const NpyHeader& header, const Member& member, const std::string& file) {
  constexpr std::int64_t most = std::int64_t{512} << 20, most_per_byte = 64;
  const std::int64_t bytes = saturating_add(saturating_mul(header.count, sizeof(std::string)), header.bytes);
  const auto stored = static_cast<std::int64_t>(member.stored.size());
  if (header.dtype == Dtype::string && bytes > std::max(most, saturating_mul(stored, most_per_byte))) {
    fail(file, cat("its ", header.count, " strings would take ", bytes, " bytes of memory from ", stored,
                   " compressed ones; store them uncompressed"));
  }
}

// Inflates the elements of a member, whose header is read first and must agree with the size of the member.
NpyHeader inflate_array(const Member& member, const std::string& file, Tensor& elements, Progress& progress) {
  Inflater inflater(member, file);
  std::vector<std::byte> start(static_cast<std::size_t>(std::min(member.size, max_npy_header)));
  Progress quiet;
  inflater.read(start, quiet);
  const NpyHeader header = parse_npy(start, member.size, file);
  check_text_memory(header, member, file);
  elements = Tensor(Dtype::uint8, Dims{header.bytes});
  const std::span<const std::byte> begun = std::span(start).subspan(static_cast<std::size_t>(header.offset));
  std::copy(begun.begin(), begun.end(), bytes_of(elements).begin());
  progress.begin(cat("inflating ", file), header.bytes);
  inflater.read(bytes_of(elements).subspan(begun.size()), progress);
  inflater.finish();
  return header;
}

}  // namespace

Array::Array(std::span<const std::byte> bytes, std::string_view member_name, const std::string& file, Progress& progress) {
  NpyHeader header;
  std::span<const std::byte> elements;
  if (is_zip(bytes)) {
    const Member member = find_member(bytes, member_name, file);
    const std::string name = cat(file, ":", member.name);
    if (member.is_deflated) {
      header = inflate_array(member, name, own_, progress);
      elements = bytes_of(own_);
    } else {
      header = parse_npy(member.stored, member.size, name);
      progress.begin(cat("checking ", name), member.size);
      check_stored(member, file, progress);
      elements = member.stored.subspan(static_cast<std::size_t>(header.offset));
    }
  } else {
    if (!is_npy(bytes)) fail(file, bytes.empty() ? "is empty" : "is neither a .npy nor a .npz file");
    if (!member_name.empty()) fail(file, cat("is no .npz file, so it has no member \"", printable(member_name), "\""));
    header = parse_npy(bytes, static_cast<std::int64_t>(bytes.size()), file);
    elements = bytes.subspan(static_cast<std::size_t>(header.offset));
  }

  if (header.dtype == Dtype::string) {
    own_ = decoded_text(header, elements, file);
  } else if (header.encoding == Encoding::swapped) {
    if (is_in_file()) {
      own_ = Tensor(Dtype::uint8, Dims{header.bytes});
      std::copy(elements.begin(), elements.end(), bytes_of(own_).begin());
    }
    const bool is_complex = dtype_info(header.dtype).kind == DtypeKind::complex;
    swap_bytes(bytes_of(own_), static_cast<std::size_t>(is_complex ? header.item / 2 : header.item));
  }
  view_ = ConstTensorRef(is_in_file() ? elements.data() : own_.data(), header.dtype, header.shape, strides_of(header));
}

Input::Name Input::split(const std::string& name) {
  const std::size_t at = name.rfind(".npz:");
  if (at == std::string::npos) return {name, ""};
  return {name.substr(0, at + 4), name.substr(at + 5)};
}

Input::Input(const std::string& name, Progress& progress) : Input(split(name), progress) {}
Input::Input(const Name& name, Progress& progress)
    : mapping_(Mapping::of(name.file)), array_(mapping_.bytes(), name.member, name.file, progress) {
  mapping_.require_intact();
}

}  // namespace strew::files
