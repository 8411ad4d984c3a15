// Scratch memory: huge pages for large blocks, and a small cache of freed ones.
#include "base/scratch.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <new>
#include <utility>

namespace strew::internal {
namespace {

constexpr std::size_t line = 64, huge_page = std::size_t{1} << 21;
constexpr std::size_t large = huge_page / 2;  // bytes from which a block gets huge pages

std::align_val_t alignment_of(std::size_t size) { return std::align_val_t{size < large ? line : huge_page}; }

// Large blocks that were freed last, most recent first. New ones would be zeroed by the kernel, which takes about a third of a call.
struct Piece {
  void* memory = nullptr;
  std::size_t size = 0;

  void free() const { ::operator delete(memory, alignment_of(size)); }
};
std::mutex kept_mutex;
std::array<Piece, 6> kept;  // about as many as a call allocates
constexpr std::size_t most_kept = std::size_t{1} << 30;  // bytes, the most recent block not counted

// A kept block with size <= piece < 2 * size, so that a small request does not hold a large block; empty if there is none.
Piece take_kept(std::size_t size) {
  const std::unique_lock lock(kept_mutex, std::try_to_lock);
  if (!lock.owns_lock()) return {};
  const auto found =
      std::find_if(kept.begin(), kept.end(), [&](const Piece& piece) { return piece.size >= size && piece.size < 2 * size; });
  return found == kept.end() ? Piece{} : std::exchange(*found, {});
}

// Frees all kept blocks. try_lock, because fork() may have copied the mutex into the child in its locked state.
void free_kept() {
  const std::unique_lock lock(kept_mutex, std::try_to_lock);
  if (!lock.owns_lock()) return;
  for (Piece& piece : kept) std::exchange(piece, {}).free();
}

// Caches a block in an empty slot, or evicts the oldest one. Its pages are freed lazily (MADV_FREE): the kernel may reclaim them.
// Returns false if the caller must free the block.
bool keep(const Piece& piece) {
#ifdef MADV_FREE
  const std::unique_lock lock(kept_mutex, std::try_to_lock);
  if (!lock.owns_lock() || madvise(piece.memory, piece.size, MADV_FREE) != 0) return false;
  const auto place = std::find_if(kept.begin(), kept.end() - 1, [](const Piece& other) { return other.memory == nullptr; });
  place->free();
  std::move_backward(kept.begin(), place, place + 1);
  kept.front() = piece;
  std::size_t bytes = 0;
  for (std::size_t i = 1; i < kept.size(); ++i) {
    bytes += kept[i].size;
    if (bytes > most_kept) std::exchange(kept[i], {}).free();
  }
  return true;
#else
  static_cast<void>(piece);
  return false;
#endif
}

}  // namespace

void prefer_huge_pages(void* memory, std::size_t size) {
  if (memory == nullptr || size < 2 * huge_page) return;
  // Only advice: without huge pages the memory works all the same.
  const std::size_t skipped = huge_page - reinterpret_cast<std::uintptr_t>(memory) % huge_page;
  madvise(static_cast<std::byte*>(memory) + skipped, (size - skipped) / huge_page * huge_page, MADV_HUGEPAGE);
}

Scratch::Scratch(std::int64_t bytes) {
  if (bytes < 0) return;
  size_ = static_cast<std::size_t>(bytes);
  if (size_ >= large) {
    size_ = (size_ + huge_page - 1) / huge_page * huge_page;
    if (const Piece piece = take_kept(size_); piece.memory != nullptr) {
      memory_ = piece.memory;
      size_ = piece.size;
      return;
    }
  }
  const auto take_new = [&] { return ::operator new(size_, alignment_of(size_), std::nothrow); };
  memory_ = take_new();
  if (memory_ == nullptr) {
    free_kept();
    memory_ = take_new();
  }
  if (memory_ != nullptr && size_ >= large) madvise(memory_, size_, MADV_HUGEPAGE);
}

Scratch::~Scratch() {
  if (memory_ == nullptr || size_ < large || !keep({memory_, size_})) Piece{memory_, size_}.free();
}

}  // namespace strew::internal
