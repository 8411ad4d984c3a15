// libFuzzer: bytes as a .npy or .npz file. Reading them must end in an array that lies within the file, or in an Error; and what is read
// must be the same after it was written.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "files/error.h"
#include "files/input.h"
#include "files/npy.h"
#include "files/text.h"

namespace strew::files {
namespace {

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

// The array as a .npy file.
std::vector<std::byte> written(const Tensor& tensor) {
  std::string header;
  std::vector<std::byte> elements;
  if (tensor.dtype() == Dtype::string) {
    const auto strings = tensor.values<std::string>();
    const TextFormat format = text_format(strings, "out");
    elements.resize(strings.size() * static_cast<std::size_t>(format.item()));
    encode_text(strings, format, elements);
    header = npy_header(Dtype::string, tensor.shape(), format.encoding, format.width);
  } else {
    const auto* const data = static_cast<const std::byte*>(tensor.data());
    elements.assign(data, data + tensor.size() * size_of(tensor.dtype()));
    header = npy_header(tensor.dtype(), tensor.shape());
  }
  std::vector<std::byte> file(header.size() + elements.size());
  std::memcpy(file.data(), header.data(), header.size());
  std::copy(elements.begin(), elements.end(), file.begin() + static_cast<std::ptrdiff_t>(header.size()));
  return file;
}

bool equal(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  if (a.dtype() != Dtype::string)
    return a.size() == 0 || std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size() * size_of(a.dtype()))) == 0;
  const auto x = a.values<std::string>(), y = b.values<std::string>();
  return std::equal(x.begin(), x.end(), y.begin(), y.end());
}

void fuzz(std::span<const std::byte> bytes) {
  Progress progress;
  Tensor read;
  try {
    const Array array(bytes, "", "in", progress);
    // Reads every element: the sanitizer reports one outside of the file.
    read = Tensor::copy_of(array.view());
  } catch (const Error&) {
    return;
  }
  const std::vector<std::byte> file = written(read);
  const Array again(file, "", "out", progress);
  if (!equal(read, Tensor::copy_of(again.view()))) fail("another array than the one that was written");
}

}  // namespace
}  // namespace strew::files

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // A copy of the exact size, so that the sanitizer sees its end.
  const std::vector<std::uint8_t> copy(data, data + size);
  strew::files::fuzz(std::as_bytes(std::span(copy)));
  return 0;
}
