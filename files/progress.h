// Reports how far a long operation on files is. The default reports nothing.
#pragma once

#include <cstdint>
#include <string_view>

namespace strew::files {

class Progress {
 public:
  virtual ~Progress() = default;
  // A phase begins, over this many bytes; 0 if the number is not known.
  virtual void begin(std::string_view /*phase*/, std::int64_t /*bytes*/) {}
  // So many bytes of the phase are done.
  virtual void done(std::int64_t /*bytes*/) {}
  // The last phase is over.
  virtual void end() {}
};

// The largest number of bytes that are processed between two reports.
inline constexpr std::int64_t progress_chunk = 1 << 24;

}  // namespace strew::files
