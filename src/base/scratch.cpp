// Memory for the time of a call.
#include "base/scratch.h"

#include <sys/mman.h>

#include <cstdint>
#include <mutex>
#include <new>
#include <utility>

namespace strew {
namespace {

constexpr std::size_t line = 64, huge_page = std::size_t{1} << 21;
constexpr std::size_t large = huge_page / 2;  // worth a huge page of its own

constexpr std::size_t worth_keeping = std::size_t{1} << 25;  // such pieces go back to the system, and the next one comes as zeros

std::align_val_t alignment_of(std::size_t size) { return std::align_val_t{size < large ? line : huge_page}; }

// The last large piece that was given back. Zeroing its pages anew for each call would cost a third of it.
struct Kept {
  void* memory = nullptr;
  std::size_t size = 0;
};
std::mutex kept_mutex;
Kept kept_piece;

// The piece that was kept if it is large enough, else none: then it is freed, and a larger one will take its place.
Kept take_kept(std::size_t size) {
  const std::unique_lock lock(kept_mutex, std::try_to_lock);
  if (!lock.owns_lock()) return {};
  const Kept piece = std::exchange(kept_piece, {});
  if (piece.size >= size) return piece;
  ::operator delete(piece.memory, alignment_of(piece.size));
  return {};
}

// Its pages are the system's to take back whenever it is short of them.
bool keep(const Kept& piece) {
#ifdef MADV_FREE
  const std::unique_lock lock(kept_mutex, std::try_to_lock);
  if (!lock.owns_lock() || kept_piece.memory != nullptr || madvise(piece.memory, piece.size, MADV_FREE) != 0) return false;
  kept_piece = piece;
  return true;
#else
  static_cast<void>(piece);
  return false;
#endif
}

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
  if (size_ >= worth_keeping) {
    if (const Kept kept = take_kept(size_); kept.memory != nullptr) {
      memory_ = kept.memory;
      size_ = kept.size;
      return;
    }
  }
  const auto take_new = [&] { return ::operator new(size_, alignment_of(size_), std::nothrow); };
  memory_ = take_new();
  if (memory_ == nullptr) {
    take_kept(SIZE_MAX);  // nothing is so large, so it is freed
    memory_ = take_new();
  }
  if (memory_ != nullptr && size_ >= large) madvise(memory_, size_, MADV_HUGEPAGE);
}

Scratch::~Scratch() {
  if (memory_ == nullptr || size_ < worth_keeping || !keep({memory_, size_})) ::operator delete(memory_, alignment_of(size_));
}

}  // namespace strew
