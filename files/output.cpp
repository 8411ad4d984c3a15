// Allocates, writes, syncs and renames output files.
#include "output.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/checked.h"
#include "base/text.h"
#include "error.h"
#include "npy.h"
#include "text.h"

namespace strew::files {
using namespace internal;

Output::Output(const std::string& file, bool replace) : file_(file), replace_(replace) {
  const std::size_t slash = file.rfind('/');
  name_ = slash == std::string::npos ? file : file.substr(slash + 1);
  if (file.empty()) fail("-o", "the name of the output is empty");
  if (file == "-") fail("-o -", "standard output is not supported; ./- is the file of that name");
  if (name_.empty() || name_ == "." || name_ == "..") fail(file, "is a folder; -o takes a file");
  const std::string folder = slash == std::string::npos ? "." : slash == 0 ? "/" : file.substr(0, slash);
  folder_ = Descriptor(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder_) fail_system(file, cat("cannot be written: there is no folder ", printable(folder)), errno);

  struct stat about {};
  if (fstatat(folder_.get(), name_.c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno != ENOENT) fail_system(file, "cannot be examined", errno);
    return;
  }
  if (S_ISDIR(about.st_mode)) fail(file, "is a folder; -o takes a file");
  if (S_ISLNK(about.st_mode)) fail(file, "is a link; -o takes a file");
  if (!S_ISREG(about.st_mode)) fail(file, "is a device or a pipe; -o takes a file");
  if (!replace) fail(file, "exists; --force replaces it");
  mode_ = about.st_mode & 07777;
}

std::span<std::byte> Output::allocate(std::string_view header, std::int64_t bytes) {
  const auto size = checked_add(bytes, static_cast<std::int64_t>(header.size()));
  if (!size) fail(file_, "would be larger than a file can be");
  temporary_.emplace(folder_.get(), mode_ ? 0600u : 0666u, file_);
  const int descriptor = temporary_->descriptor();
  if (mode_) fchmod(descriptor, *mode_);
  if (*size > 0) {
    int reason = EINTR;
    while (reason == EINTR) reason = posix_fallocate(descriptor, 0, *size);
    if (reason != 0) fail_system(file_, cat("there is no room for its ", *size, " bytes"), reason);
  }
  mapping_.emplace(descriptor, static_cast<std::size_t>(*size), Mapping::Access::write, file_);
  std::copy_n(reinterpret_cast<const std::byte*>(header.data()), header.size(), mapping_->bytes().begin());
  return mapping_->bytes().subspan(header.size());
}

void Output::commit(Progress& progress) {
  const std::span<std::byte> bytes = mapping_->bytes();
  progress.begin(cat("writing ", file_), static_cast<std::int64_t>(bytes.size()));
  // In chunks, for the reports. A chunk is a multiple of the size of a page.
  for (std::size_t at = 0; at < bytes.size(); at += progress_chunk) {
    const std::size_t size = std::min<std::size_t>(progress_chunk, bytes.size() - at);
    if (msync(bytes.data() + at, size, MS_SYNC) != 0) fail_system(file_, "cannot be written", errno);
    progress.done(static_cast<std::int64_t>(at + size));
  }
  mapping_->require_intact();
  mapping_.reset();
  if (fsync(temporary_->descriptor()) != 0) fail_system(file_, "cannot be written", errno);
  temporary_->become(name_, replace_);
  if (fsync(folder_.get()) != 0) fail_system(file_, "was written, but may not survive a power failure: its folder cannot be synced", errno);
}

NpyOutput::NpyOutput(const std::string& file, bool replace) : output_(file, replace) {
  if (file.ends_with(".npz")) fail(file, "the output is one array, so its name must not end in .npz");
}

TensorRef NpyOutput::allocate(Dtype dtype, const Dims& shape) {
  if (dtype == Dtype::string) {
    strings_ = Tensor(dtype, shape);
    return strings_;
  }
  const auto bytes = checked_mul(element_count(shape), size_of(dtype));
  if (!bytes) fail(output_.file(), "would be larger than a file can be");
  const std::span<std::byte> room = output_.allocate(npy_header(dtype, shape), *bytes);
  return {room.data(), dtype, shape};
}

void NpyOutput::commit(Progress& progress) {
  if (strings_.dtype() == Dtype::string) {
    const auto strings = std::as_const(strings_).values<std::string>();
    const TextFormat format = text_format(strings, output_.file());
    const auto bytes = checked_mul(format.item(), strings_.size());
    if (!bytes) fail(output_.file(), "would be larger than a file can be");
    encode_text(strings, format, output_.allocate(npy_header(Dtype::string, strings_.shape(), format.encoding, format.width), *bytes));
  }
  output_.commit(progress);
}

}  // namespace strew::files
