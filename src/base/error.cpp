// Errors: constructing one never throws, and copies share the message and the bad index.
#include "strew/error.h"

#include <cstddef>
#include <new>
#include <optional>

#include "base/shorten.h"
#include "base/text.h"
#include "strew/expected.h"

namespace strew::inline v0 {

namespace {

// Bytes of a long message that stay: names and words of the caller's in it may be of any length.
constexpr std::size_t head = 700, tail = 280;

std::string bounded(std::string_view message) {
  const internal::Shortened parts = internal::shortened(message, head, tail);
  return std::string(parts.begin).append(parts.mark).append(parts.end);
}

}  // namespace

Error::Error(Unguarded, ErrorCode code, const std::string& message, const BadIndex* bad)
    : std::runtime_error(bounded(message)), code_(code) {
  if (bad != nullptr) bad_index_ = std::make_shared<const std::optional<BadIndex>>(*bad);
}

// Constructed when the library is loaded: reporting that memory is exhausted must not allocate.
const Error& Error::no_memory() {
  static const Error error(Unguarded{}, ErrorCode::memory, "not enough memory", nullptr);
  return error;
}
[[maybe_unused]] static const bool loaded = [] {
  try {
    detail::throw_no_memory();
  } catch (const Error&) {
    return true;
  }
}();

Error Error::made(ErrorCode code, const std::string& message, const BadIndex* bad) noexcept {
  try {
    return {Unguarded{}, code, message, bad};
  } catch (const Error&) {
    return no_memory();
  } catch (const std::bad_alloc&) {
    return no_memory();
  }
}

Error::Error(ErrorCode code, const std::string& message) noexcept : Error(made(code, message, nullptr)) {}
Error::Error(const std::string& message, const BadIndex& bad) noexcept : Error(made(ErrorCode::index, message, &bad)) {}

const std::optional<BadIndex>& Error::bad_index() const noexcept {
  static const std::optional<BadIndex> none;
  return bad_index_ == nullptr ? none : *bad_index_;
}

void detail::throw_no_memory() { throw Error(Error::no_memory()); }

void detail::throw_too_large(std::uint64_t value) {
  throw Error(ErrorCode::shape, internal::cat("tensor: sizes and strides must be at most 2**63 - 1, got ", value));
}

void detail::throw_unnamed(ErrorCode code, const char* type, int value) {
  throw Error(code, internal::cat("there is no ", type, " ", value));
}

void detail::throw_error(const Error& error) { throw Error(error); }

std::optional<Error> detail::error_of(void (*call)(void* context), void* context) {
  // Code compiled with -fno-exceptions says that it throws nothing. Through a volatile pointer, link-time optimisation cannot conclude from
  // that that there is nothing to catch.
  void (*const volatile opaque)(void* context) = call;
  try {
    opaque(context);
    return std::nullopt;
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    try {
      throw_no_memory();  // its message is there already
    } catch (const Error& error) {
      return error;
    }
  }
}

}  // namespace strew::inline v0
