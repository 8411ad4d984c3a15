// Guarded memory. Under AddressSanitizer the guards are poisoned too, so that reads past the end are seen.
#include "harness/memory.h"

#include <algorithm>
#include <cstring>

#if defined(__SANITIZE_ADDRESS__)
#define STREW_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define STREW_ASAN 1
#endif
#endif
#ifdef STREW_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace strew::harness {
namespace {

constexpr std::size_t guard_bytes = 256;
constexpr std::size_t guard_strings = 4;
constexpr std::byte pattern{0xa5};
// Longer than the small-string buffer, so that a stray copy or move would show.
constexpr const char* guard_text = "a guard string that nobody may touch";

void poison([[maybe_unused]] const void* from, [[maybe_unused]] std::size_t size, [[maybe_unused]] bool closed) {
#ifdef STREW_ASAN
  if (closed) {
    ASAN_POISON_MEMORY_REGION(from, size);
  } else {
    ASAN_UNPOISON_MEMORY_REGION(from, size);
  }
#endif
}

}  // namespace

GuardedBuffer::GuardedBuffer(const Buffer& content, std::size_t shift) : dtype_(content.dtype), size_(0), start_(guard_bytes + shift) {
  if (dtype_ == Dtype::string) {
    size_ = content.strings.size();
    strings_ = std::make_unique<std::string[]>(size_ + 2 * guard_strings);
    std::fill_n(strings_.get(), size_ + 2 * guard_strings, guard_text);
    std::copy(content.strings.begin(), content.strings.end(), strings_.get() + guard_strings);
  } else {
    size_ = content.bytes.size();
    bytes_ = std::make_unique<std::byte[]>(start_ + size_ + guard_bytes);
    std::fill_n(bytes_.get(), start_ + size_ + guard_bytes, pattern);
    std::copy(content.bytes.begin(), content.bytes.end(), bytes_.get() + start_);
  }
  guard(true);
}

GuardedBuffer::~GuardedBuffer() { guard(false); }

void GuardedBuffer::guard(bool closed) const {
  if (dtype_ == Dtype::string) {
    poison(strings_.get(), guard_strings * sizeof(std::string), closed);
    poison(strings_.get() + guard_strings + size_, guard_strings * sizeof(std::string), closed);
  } else {
    poison(bytes_.get(), start_, closed);
    poison(bytes_.get() + start_ + size_, guard_bytes, closed);
  }
}

void* GuardedBuffer::data() { return dtype_ == Dtype::string ? static_cast<void*>(strings_.get() + guard_strings) : bytes_.get() + start_; }

Buffer GuardedBuffer::content() const {
  Buffer buffer{dtype_, {}, {}};
  if (dtype_ == Dtype::string) {
    buffer.strings.assign(strings_.get() + guard_strings, strings_.get() + guard_strings + size_);
  } else {
    buffer.bytes.assign(bytes_.get() + start_, bytes_.get() + start_ + size_);
  }
  return buffer;
}

bool GuardedBuffer::intact() const {
  guard(false);
  bool whole;
  if (dtype_ == Dtype::string) {
    const auto untouched = [](const std::string& s) { return s == guard_text; };
    whole = std::all_of(strings_.get(), strings_.get() + guard_strings, untouched) &&
            std::all_of(strings_.get() + guard_strings + size_, strings_.get() + size_ + 2 * guard_strings, untouched);
  } else {
    // Whole blocks instead of bytes, because this runs after every call of every test.
    const auto untouched = [](const std::byte* from, std::size_t size) {
      return *from == pattern && std::memcmp(from, from + 1, size - 1) == 0;
    };
    whole = untouched(bytes_.get(), start_) && untouched(bytes_.get() + start_ + size_, guard_bytes);
  }
  guard(true);
  return whole;
}

}  // namespace strew::harness
