// Large scratch memory that is kept for later calls, and its release to the system.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>

#include "base/scratch.h"
#include "strew/strew.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define STREW_SANITIZED 1
#endif
#endif

namespace strew {
namespace {

using internal::Scratch;

constexpr std::int64_t mib = std::int64_t{1} << 20;

std::int64_t resident() {
  std::FILE* const file = std::fopen("/proc/self/statm", "re");
  long long total = 0, pages = 0;
  EXPECT_EQ(std::fscanf(file, "%lld %lld", &total, &pages), 2);
  std::fclose(file);
  return pages * sysconf(_SC_PAGESIZE);
}

// Allocates scratch memory, writes all of it and releases it.
void use(std::int64_t bytes) {
  const Scratch scratch(bytes);
  ASSERT_TRUE(scratch);
  std::memset(scratch.as<char>(), 1, static_cast<std::size_t>(bytes));
}

struct ScratchMemory : testing::Test {
  ScratchMemory() { release_scratch(); }
#ifdef STREW_SANITIZED
  void SetUp() override { GTEST_SKIP() << "a sanitizer keeps what is freed"; }
#endif
  ~ScratchMemory() override {
    set_scratch_limit(std::numeric_limits<std::int64_t>::max());
    release_scratch();
  }
};

// Sizes below and above the threshold from which malloc() maps each block separately.
TEST_F(ScratchMemory, ReleasedToTheSystem) {
  for (const std::int64_t size : {8 * mib, 128 * mib}) {
    const std::int64_t before = resident();
    use(size);
    EXPECT_GT(resident(), before + size / 2) << "kept";
    release_scratch();
    EXPECT_LT(resident(), before + size / 4);
  }
}

TEST_F(ScratchMemory, LimitOfZeroKeepsNothing) {
  set_scratch_limit(0);
  EXPECT_EQ(get_scratch_limit(), 0);
  const std::int64_t before = resident();
  use(128 * mib);
  EXPECT_LT(resident(), before + 32 * mib);
}

TEST_F(ScratchMemory, ALowerLimitFreesAtOnce) {
  const std::int64_t before = resident();
  {
    const Scratch held(64 * mib);
    std::memset(held.as<char>(), 1, 64 * mib);
    use(128 * mib);
  }
  EXPECT_GT(resident(), before + 150 * mib) << "both are kept";
  set_scratch_limit(100 * mib);
  EXPECT_LT(resident(), before + 100 * mib) << "the older one is freed";
  EXPECT_GT(resident(), before + 32 * mib) << "the latest is kept";
  use(128 * mib);
  EXPECT_LT(resident(), before + 100 * mib) << "more than the limit is not kept";
}

TEST_F(ScratchMemory, LimitsAreNotNegative) {
  try {
    set_scratch_limit(-1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::argument);
    EXPECT_STREQ(error.what(), "set_scratch_limit: bytes must be >= 0 (0: keep nothing), got -1");
  }
  EXPECT_EQ(get_scratch_limit(), std::numeric_limits<std::int64_t>::max());
}

}  // namespace
}  // namespace strew
