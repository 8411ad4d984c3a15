// Memory for the time of a call.
#include "base/scratch.h"

#include <sys/mman.h>

#include <new>

namespace strew {
namespace {

constexpr std::size_t line = 64, huge_page = std::size_t{1} << 21;
constexpr std::size_t large = huge_page / 2;  // worth a huge page of its own

std::align_val_t alignment_of(std::size_t size) { return std::align_val_t{size < large ? line : huge_page}; }

}  // namespace

void prefer_huge_pages(void* memory, std::size_t size) {
  if (memory == nullptr || size < 2 * huge_page) return;
  // Advice may be refused; then there are small pages.
  const std::size_t skipped = huge_page - reinterpret_cast<std::uintptr_t>(memory) % huge_page;
  madvise(static_cast<std::byte*>(memory) + skipped, (size - skipped) / huge_page * huge_page, MADV_HUGEPAGE);
}

Scratch::Scratch(std::int64_t bytes) {
  if (bytes < 0) return;
  size_ = static_cast<std::size_t>(bytes);
  if (size_ >= large) size_ = (size_ + huge_page - 1) / huge_page * huge_page;
  memory_ = ::operator new(size_, alignment_of(size_), std::nothrow);
  if (memory_ != nullptr && size_ >= large) madvise(memory_, size_, MADV_HUGEPAGE);
}

Scratch::~Scratch() { ::operator delete(memory_, alignment_of(size_)); }

}  // namespace strew
