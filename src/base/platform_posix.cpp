// Linux and its relatives.
#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <thread>

#include "base/platform.h"

namespace strew::internal {
namespace {

// Processors in the affinity mask.
std::int64_t affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return static_cast<std::int64_t>(std::thread::hardware_concurrency());
}

// Processors that a cgroup file of the form "quota period" allows, rounded up; 0 if there is no file or no limit.
std::int64_t granted(const char* path) {
  std::FILE* const file = std::fopen(path, "re");
  if (file == nullptr) return 0;
  long long quota = 0, period = 0;
  const int read = std::fscanf(file, "%lld %lld", &quota, &period);
  std::fclose(file);
  if (read != 2 || quota <= 0 || period <= 0) return 0;
  return std::max<long long>(1, (quota + period - 1) / period);
}

}  // namespace

std::int64_t usable_processors() {
  const std::int64_t quota = granted("/sys/fs/cgroup/cpu.max"), mask = std::max<std::int64_t>(1, affinity());
  return quota > 0 ? std::min(mask, quota) : mask;
}

void advise_huge_pages(void* memory, std::size_t size) { madvise(memory, size, MADV_HUGEPAGE); }

bool offer_pages(void* memory, std::size_t size) {
#ifdef MADV_FREE
  return madvise(memory, size, MADV_FREE) == 0;
#else
  return false;
#endif
}

void drop_pages(void* memory, std::size_t size) { madvise(memory, size, MADV_DONTNEED); }

}  // namespace strew::internal
