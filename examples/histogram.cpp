// A histogram: one is added to the bin of each sample, on two threads.
#include <strew/strew.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>

int main() {
  std::vector<std::uint8_t> samples(1'000'000);
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<std::uint8_t>(i * i % 251);
  std::array<int, 256> bins{};
  strew::scatter_add(bins, samples, 1, {.threads = 2});
  std::printf("%d zeros, %d ones, %d twos\n", bins[0], bins[1], bins[2]);
}
// Prints: 3985 zeros, 7969 ones, 0 twos
