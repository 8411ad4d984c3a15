// Shows on a terminal what a long command does, how far it is, and how long it will take.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "files/progress.h"

namespace strew::cli {

// Prints to stderr, on one line that it erases at the end. Nothing in the first half second, and nothing if stderr is no terminal or
// `quiet` is set. Of a phase without a number of bytes it shows the time that it has taken.
class TerminalProgress : public files::Progress {
 public:
  explicit TerminalProgress(bool quiet);
  ~TerminalProgress() override;
  void begin(std::string_view phase, std::int64_t bytes) override;
  void done(std::int64_t bytes) override;
  void end() override;

 private:
  using Clock = std::chrono::steady_clock;
  void show(std::int64_t bytes);
  void tick();

  const bool shows_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point phase_start_ = start_, shown_ = start_;
  std::string phase_;
  std::int64_t bytes_ = 0;
  bool is_dirty_ = false;  // something is on the line

  // Shows the time spent in a phase that does not report how far it is.
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ends_ = false;
  std::thread ticker_;
};

// "1.5 GB"
[[nodiscard]] std::string bytes_text(std::int64_t bytes);

}  // namespace strew::cli
