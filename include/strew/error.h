// What Strew throws: a code to act on, a sentence to read, and for a bad index where it stands.
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

enum class ErrorCode : std::uint8_t {
  shape,        // ranks, sizes, null pointers
  dtype,        // an element type that the argument does not take
  argument,     // a string or number that is not one of those allowed
  axis,         // an axis out of range
  overlap,      // memory of the output shared where it must not be
  unsupported,  // arithmetic that is not defined for the type
  index,        // an index out of range
  memory,       // memory for the output or for scratch could not be had
  changed,      // the indices changed while the call ran: the output may hold a part of the updates
};

struct BadIndex {
  std::int64_t value;                      // as stored; a uint64 above 2^63 - 1 shows as its bit pattern
  SmallVector<std::int64_t, 8> position;   // in the tensor of indices
  int axis;                                // of the tensor that is indexed
  std::int64_t extent;                     // size of that axis
  std::int64_t count;                      // how many indices are bad in all
};

// Neither making nor copying one throws: where there is no memory for the message, it is an error of code `memory` that says so.
class STREW_API Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) noexcept;
  Error(const std::string& message, const BadIndex& bad) noexcept;
  [[nodiscard]] ErrorCode code() const noexcept { return code_; }
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
// Throws: an enumerator that a caller made from a number and `type` does not have.
[[noreturn]] STREW_API void throw_unnamed(ErrorCode code, const char* type, int value);
}  // namespace detail

constexpr std::string_view to_string(ErrorCode code) {
  constexpr std::string_view names[] = {"shape", "dtype", "argument", "axis", "overlap", "unsupported", "index", "memory", "changed"};
  if (code > ErrorCode::changed) detail::throw_unnamed(ErrorCode::argument, "error code", static_cast<int>(code));
  return names[static_cast<std::size_t>(code)];
}

}  // namespace strew::inline v0
