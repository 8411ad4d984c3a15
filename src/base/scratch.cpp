// Scratch memory: huge pages for large blocks, and a small cache of freed ones.
#include "base/scratch.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <utility>

#include "base/checked.h"
#include "base/platform.h"
#include "base/text.h"
#include "strew/run.h"

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
using Pieces = std::array<Piece, 6>;  // a call takes about as many
std::mutex kept_mutex;
Pieces kept;
constexpr std::size_t most_beside_latest = std::size_t{1} << 30;  // bytes
std::atomic<std::int64_t> limit{std::numeric_limits<std::int64_t>::max()};  // bytes of all

// A piece of `size <= piece.size < 2 * size`, or nothing.
Piece take_kept(std::size_t size) {
  const std::unique_lock lock(kept_mutex, std::try_to_lock);
  if (!lock.owns_lock()) return {};
  const auto found =
      std::find_if(kept.begin(), kept.end(), [&](const Piece& piece) { return piece.size >= size && piece.size < 2 * size; });
  return found == kept.end() ? Piece{} : std::exchange(*found, {});
}

// Removes the pieces beyond the limits, for the caller to free when others may use the lock again.
Pieces take_excess() {
  Pieces excess;
  const std::int64_t most = limit.load();
  std::size_t bytes = 0;
  const std::size_t latest = kept.front().size;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const std::size_t with = bytes + kept[i].size;
    if (std::cmp_greater(with, most) || with - std::min(latest, with) > most_beside_latest) excess[i] = std::exchange(kept[i], {});
    else bytes = with;
  }
  return excess;
}

// Frees what `take` removes. It waits for nobody for long: a forked child may have been born with the lock taken.
template <class Take>
void free_taken(const Take& take) {
  Pieces pieces;
  for (int turn = 0; turn < 1000; ++turn) {
    const std::unique_lock lock(kept_mutex, std::try_to_lock);
    if (lock.owns_lock()) {
      pieces = take();
      break;
    }
    std::this_thread::yield();
  }
  for (const Piece& piece : pieces) {
    if (piece.memory == nullptr) continue;
    drop_pages(piece.memory, piece.size);  // the allocator may not return them
    piece.free();
  }
}

void free_kept() {
  free_taken([] { return std::exchange(kept, {}); });
}

// Stores a piece in an empty slot, or replaces the oldest one. The kernel may reclaim its pages whenever it is short of them.
bool keep(const Piece& piece) {
  if (std::cmp_greater(piece.size, limit.load()) || !offer_pages(piece.memory, piece.size)) return false;
  Piece oldest;
  Pieces excess;
  {
    const std::unique_lock lock(kept_mutex, std::try_to_lock);
    if (!lock.owns_lock()) return false;
    const auto slot = std::find_if(kept.begin(), kept.end() - 1, [](const Piece& other) { return other.memory == nullptr; });
    oldest = *slot;
    std::move_backward(kept.begin(), slot, slot + 1);
    kept.front() = piece;
    excess = take_excess();
  }
  oldest.free();
  for (const Piece& each : excess) each.free();
  return true;
}

}  // namespace

void prefer_huge_pages(void* memory, std::size_t size) {
  if (memory == nullptr || size < 2 * huge_page) return;
  const std::size_t skipped = huge_page - reinterpret_cast<std::uintptr_t>(memory) % huge_page;
  advise_huge_pages(static_cast<std::byte*>(memory) + skipped, (size - skipped) / huge_page * huge_page);
}

Scratch::Scratch(std::int64_t bytes) {
  const std::optional<std::size_t> size = to_size(bytes);
  if (!size) return;
  size_ = *size;
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
  if (memory_ != nullptr && size_ >= large) advise_huge_pages(memory_, size_);
}

Scratch::~Scratch() {
  if (memory_ == nullptr || size_ < large || !keep({memory_, size_})) Piece{memory_, size_}.free();
}

}  // namespace strew::internal

namespace strew::inline v0 {

void release_scratch() noexcept { internal::free_kept(); }

std::int64_t get_scratch_limit() noexcept { return internal::limit.load(); }

void set_scratch_limit(std::int64_t bytes) {
  if (bytes < 0) throw Error(ErrorCode::argument, internal::cat("set_scratch_limit: bytes must be >= 0 (0: keep nothing), got ", bytes));
  internal::limit.store(bytes);
  internal::free_taken(internal::take_excess);
}

}  // namespace strew::inline v0
