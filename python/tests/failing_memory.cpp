// An allocator in front of the C library's that fails once when it is told to, and counts the blocks that are in use.
#include <dlfcn.h>

#include <atomic>
#include <cerrno>
#include <cstddef>

namespace {

std::atomic<long> until_failure{0};  // 0: none will fail
std::atomic<long> blocks{0};

bool fails() { return until_failure.load(std::memory_order_relaxed) > 0 && until_failure.fetch_sub(1) == 1; }

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

void* counted(void* block) {
  if (block != nullptr) blocks.fetch_add(1, std::memory_order_relaxed);
  return block;
}
void* refused() {
  errno = ENOMEM;
  return nullptr;
}

// dlsym() itself may ask for memory before it has found where that comes from.
alignas(16) char first_blocks[4096];
std::size_t first_used = 0;
bool is_looking = false;
bool is_first(void* block) { return block >= first_blocks && block < first_blocks + sizeof first_blocks; }

}  // namespace

extern "C" {

void fail_after(long allocations) { until_failure = allocations; }
int stop_failing() { return until_failure.exchange(0) == 0; }  // whether one has failed
long blocks_in_use() { return blocks; }

void* malloc(std::size_t size) {
  static auto* const real = next<void*(std::size_t)>("malloc");
  return fails() ? refused() : counted(real(size));
}
void* calloc(std::size_t count, std::size_t size) {
  static void* (*real)(std::size_t, std::size_t) = nullptr;
  if (real == nullptr) {
    if (is_looking) {
      void* const block = first_blocks + first_used;
      first_used += (count * size + 15) / 16 * 16;
      return block;
    }
    is_looking = true;
    real = next<void*(std::size_t, std::size_t)>("calloc");
    is_looking = false;
  }
  return fails() ? refused() : counted(real(count, size));
}
void* realloc(void* block, std::size_t size) {
  static auto* const real = next<void*(void*, std::size_t)>("realloc");
  if (fails()) return refused();
  void* const moved = real(block, size);
  return block == nullptr ? counted(moved) : moved;
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  static auto* const real = next<void*(std::size_t, std::size_t)>("aligned_alloc");
  return fails() ? refused() : counted(real(alignment, size));
}
int posix_memalign(void** block, std::size_t alignment, std::size_t size) {
  static auto* const real = next<int(void**, std::size_t, std::size_t)>("posix_memalign");
  if (fails()) return ENOMEM;
  const int status = real(block, alignment, size);
  if (status == 0) counted(*block);
  return status;
}
void free(void* block) {
  static auto* const real = next<void(void*)>("free");
  if (block == nullptr || is_first(block)) return;
  blocks.fetch_sub(1, std::memory_order_relaxed);
  real(block);
}
}
