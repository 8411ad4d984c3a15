// Seconds of one turn, and what is typical of many.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace strew::bench {

double seconds(const auto& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline double median(std::vector<double>& times) {
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

}  // namespace strew::bench
