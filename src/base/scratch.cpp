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
struct Block {
  void* memory = nullptr;
  std::size_t size = 0;

  void free() const { ::operator delete(memory, alignment_of(size)); }
};
using Blocks = std::array<Block, 6>;  // a call takes about as many
std::mutex kept_mutex;
Blocks kept;
constexpr std::size_t most_beside_latest = std::size_t{1} << 30;  // bytes
std::atomic<std::int64_t> limit{std::numeric_limits<std::int64_t>::max()};  // bytes of all

// A block of `size <= block.size < 2 * size`, or nothing.
Block take_kept(std::size_t size) {
  const std::unique_lock lock(kept_mutex, std::try_to_lock);
  if (!lock.owns_lock()) return {};
  const auto found =
      std::find_if(kept.begin(), kept.end(), [&](const Block& block) { return block.size >= size && block.size < 2 * size; });
  return found == kept.end() ? Block{} : std::exchange(*found, {});
}

// Removes the blocks beyond the limits, for the caller to free when others may use the lock again.
Blocks take_excess() {
  Blocks excess;
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

// Frees what `take` removes. Gives up after 1,000 attempts: in a forked child the lock may never be released.
template <class Take>
void free_taken(const Take& take) {
  Blocks blocks;
  for (int turn = 0; turn < 1000; ++turn) {
    const std::unique_lock lock(kept_mutex, std::try_to_lock);
    if (lock.owns_lock()) {
      blocks = take();
      break;
    }
    std::this_thread::yield();
  }
  for (const Block& block : blocks) {
    if (block.memory == nullptr) continue;
    drop_pages(block.memory, block.size);  // the allocator may not return them
    block.free();
  }
}

void free_kept() {
  free_taken([] { return std::exchange(kept, {}); });
}

// Stores a block in an empty slot, or replaces the oldest one. The kernel may reclaim its pages whenever it is short of them.
bool keep(const Block& block) {
  if (std::cmp_greater(block.size, limit.load()) || !offer_pages(block.memory, block.size)) return false;
  Block oldest;
  Blocks excess;
  {
    const std::unique_lock lock(kept_mutex, std::try_to_lock);
    if (!lock.owns_lock()) return false;
    const auto slot = std::find_if(kept.begin(), kept.end() - 1, [](const Block& other) { return other.memory == nullptr; });
    oldest = *slot;
    std::move_backward(kept.begin(), slot, slot + 1);
    kept.front() = block;
    excess = take_excess();
  }
  oldest.free();
  for (const Block& each : excess) each.free();
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
    if (const Block block = take_kept(size_); block.memory != nullptr) {
      memory_ = block.memory;
      size_ = block.size;
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
  if (memory_ == nullptr || size_ < large || !keep({memory_, size_})) Block{memory_, size_}.free();
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
