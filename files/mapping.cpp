// Maps files with mmap.
#include "mapping.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "error.h"

namespace strew::files {

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

Mapping::Mapping(int descriptor, std::size_t size, Access access, const std::string& file) : file_(file) {
  if (size == 0) return;
  const int protection = access == Access::write ? PROT_READ | PROT_WRITE : PROT_READ;
  void* const memory = mmap(nullptr, size, protection, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) fail_system(file, "cannot be mapped", errno);
  bytes_ = {static_cast<std::byte*>(memory), size};
  try {
    guard_ = std::make_unique<GuardedRange>(bytes_.data(), size);
  } catch (...) {
    munmap(memory, size);
    throw;
  }
}

Mapping Mapping::of(const std::string& file) {
  // Without O_NONBLOCK, a pipe would wait for its other end.
  const Descriptor descriptor(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!descriptor) fail_system(file, "cannot be opened", errno);
  struct stat about {};
  if (fstat(descriptor.get(), &about) != 0) fail_system(file, "cannot be examined", errno);
  if (S_ISDIR(about.st_mode)) fail(file, "is a folder");
  if (!S_ISREG(about.st_mode)) fail(file, "is no regular file");
  return Mapping(descriptor.get(), static_cast<std::size_t>(about.st_size), Access::read, file);
}

Mapping::~Mapping() {
  guard_.reset();
  if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
}

void Mapping::require_intact() const {
  if (guard_ && guard_->lost()) fail(file_, "lost a part of its contents during the run: another process shortened it, or its disk failed");
}

}  // namespace strew::files
