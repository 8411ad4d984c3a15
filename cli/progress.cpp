// The line of progress.
#include "progress.h"

#include <unistd.h>

#include <cstdio>
#include <system_error>

#include "base/text.h"
#include "files/error.h"

namespace strew::cli {
using internal::cat;
namespace {

double seconds_between(auto from, auto to) { return std::chrono::duration<double>(to - from).count(); }

// With one digit after the point.
std::string decimal(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

}  // namespace

std::string bytes_text(std::int64_t bytes) {
  constexpr std::string_view units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
  if (bytes < 1000) return cat(bytes, " bytes");
  double value = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  for (; value >= 1000 && unit + 1 < std::size(units); ++unit) value /= 1000;
  return cat(decimal(value), " ", units[unit]);
}

TerminalProgress::TerminalProgress(bool quiet) : shows_(!quiet && isatty(STDERR_FILENO) != 0) {
  if (!shows_) return;
  try {
    ticker_ = std::thread([this] { tick(); });
  } catch (const std::system_error&) {
    // Without a thread, only the other phases are shown.
  }
}

TerminalProgress::~TerminalProgress() { end(); }

void TerminalProgress::end() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wake_.notify_one();
  if (ticker_.joinable()) ticker_.join();
  if (is_dirty_) std::fputs("\r\033[K", stderr);
  is_dirty_ = false;
}

void TerminalProgress::tick() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, std::chrono::milliseconds(200), [&] { return ends_; })) {
    try {
      if (bytes_ == 0 && !phase_.empty()) show(0);
    } catch (const Error&) {
      return;  // there is no memory for the text
    }
  }
}

void TerminalProgress::begin(std::string_view phase, std::int64_t bytes) {
  const std::lock_guard lock(mutex_);
  phase_ = files::printable(phase);
  bytes_ = bytes;
  phase_start_ = Clock::now();
  show(0);
}

void TerminalProgress::done(std::int64_t bytes) {
  const std::lock_guard lock(mutex_);
  const bool is_due = seconds_between(shown_, Clock::now()) > 0.1;
  if (is_due || bytes == bytes_) show(bytes);
}

void TerminalProgress::show(std::int64_t bytes) {
  const auto now = Clock::now();
  if (!shows_ || seconds_between(start_, now) < 0.5) return;
  std::string line = phase_;
  if (bytes_ > 0) line += cat(": ", bytes_text(bytes), " of ", bytes_text(bytes_));
  const double spent = seconds_between(phase_start_, now);
  if (bytes_ == 0 && spent > 0.1) line += cat(", ", decimal(spent), " s");
  if (bytes > 0 && bytes < bytes_)
    line += cat(", ", decimal(spent * static_cast<double>(bytes_ - bytes) / static_cast<double>(bytes)), " s left");
  std::fputs(cat("\r\033[K", line).c_str(), stderr);
  is_dirty_ = true;
  shown_ = now;
}

}  // namespace strew::cli
