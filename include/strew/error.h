// The exception of the library: a code for programs, a message for people, and details of a bad index.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "strew/export.h"
#include "strew/small_vector.h"

namespace strew::inline v0 {

// What is wrong with a call.
enum class ErrorCode : std::uint8_t {
  shape,        // a rank or a size does not fit, or a pointer is null
  dtype,        // the argument does not accept the element type
  argument,     // a string, number or option is not one of the allowed values
  axis,         // an axis is out of range
  overlap,      // the output overlaps itself or an input
  unsupported,  // the arithmetic is not defined for the element type
  index,        // an index is out of range
  memory,       // memory for the output or for scratch could not be allocated
  changed,      // another thread changed the indices during the call; a part of the updates may be applied
};

// The first index that is out of range, in row-major order.
struct BadIndex {
  std::int64_t value;                      // as stored; a uint64 above 2^63 - 1 as its bit pattern
  SmallVector<std::int64_t, 8> position;   // in the index tensor
  int axis;                                // of the indexed tensor
  std::int64_t extent;                     // size of that axis
  std::int64_t count;                      // number of indices out of range in the whole call
};

// Thrown by every function that fails. The message is at most 1,000 bytes long; the middle of a longer one is left out. Constructors and
// copies never throw: if there is no memory for the message, the error has the code `memory` instead.
class STREW_API Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) noexcept;
  Error(const std::string& message, const BadIndex& bad) noexcept;
  // What is wrong; what() has the message.
  [[nodiscard]] ErrorCode code() const noexcept { return code_; }
  // Holds a value only for the code `index`.
  [[nodiscard]] const std::optional<BadIndex>& bad_index() const noexcept;

 private:
  struct Unguarded {};
  Error(Unguarded, ErrorCode code, const std::string& message, const BadIndex* bad);
  static Error made(ErrorCode code, const std::string& message, const BadIndex* bad) noexcept;
  static const Error& no_memory();
  friend void detail::throw_no_memory();

  ErrorCode code_;
  std::shared_ptr<const std::optional<BadIndex>> bad_index_;  // shared by copies; null where there is none
};

namespace detail {
// Throws an Error of this code: `value` is not an enumerator of `type`.
[[noreturn]] STREW_API void throw_unnamed(ErrorCode code, const char* type, int value);
}  // namespace detail

// The name of the enumerator. Throws an Error of code `argument` for any other value.
constexpr std::string_view to_string(ErrorCode code) {
  constexpr std::string_view names[] = {"shape", "dtype", "argument", "axis", "overlap", "unsupported", "index", "memory", "changed"};
  if (code > ErrorCode::changed) detail::throw_unnamed(ErrorCode::argument, "error code", static_cast<int>(code));
  return names[static_cast<std::size_t>(code)];
}

}  // namespace strew::inline v0
