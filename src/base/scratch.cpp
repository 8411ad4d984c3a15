// Memory for the time of a call.
#include "base/scratch.h"

#include <sys/mman.h>

#include <new>

namespace strew {
namespace {

constexpr std::align_val_t line{64};
constexpr std::size_t huge_page = std::size_t{1} << 21;

}  // namespace

void prefer_huge_pages(void* memory, std::size_t size) {
  if (memory == nullptr || size < 2 * huge_page) return;
  // Advice may be refused; then there are small pages.
  const std::size_t skipped = huge_page - reinterpret_cast<std::uintptr_t>(memory) % huge_page;
  madvise(static_cast<std::byte*>(memory) + skipped, (size - skipped) / huge_page * huge_page, MADV_HUGEPAGE);
}

Scratch::Scratch(std::int64_t bytes) : memory_(bytes < 0 ? nullptr : ::operator new(static_cast<std::size_t>(bytes), line, std::nothrow)) {
  prefer_huge_pages(memory_, static_cast<std::size_t>(bytes));
}

Scratch::~Scratch() { ::operator delete(memory_, line); }

}  // namespace strew
