// Where a generator's decisions come from: a seed, or the bytes of a fuzzer. The same code serves both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace strew::harness {

class Choices {
 public:
  virtual ~Choices() = default;
  // 64 bits, of which at least the low `wanted` are chosen.
  virtual std::uint64_t bits(int wanted) = 0;

  // A number below n. Bytes that have run out give 0, so option 0 should be the plain one.
  std::uint64_t below(std::uint64_t n) { return n < 2 ? 0 : bits(n <= 256 ? 8 : n <= 65536 ? 16 : 64) % n; }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low + 1)));
  }
  // True `percent` times in a hundred, never for bytes that have run out.
  bool chance(int percent) { return 99 - below(100) < static_cast<std::uint64_t>(percent); }
  template <class List>
  const auto& pick(const List& list) {
    return std::data(list)[below(std::size(list))];
  }
};

// splitmix64: small, and the same on every machine.
class SeededChoices final : public Choices {
 public:
  explicit SeededChoices(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits(int) override {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t x = state_;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }

 private:
  std::uint64_t state_;
};

class ByteChoices final : public Choices {
 public:
  explicit ByteChoices(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  std::uint64_t bits(int wanted) override {
    std::uint64_t value = 0;
    for (int shift = 0; shift < wanted && !bytes_.empty(); shift += 8) {
      value |= static_cast<std::uint64_t>(bytes_.front()) << shift;
      bytes_ = bytes_.subspan(1);
    }
    return value;
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

}  // namespace strew::harness
