// Errors as values: try_call() and the other try_ functions return the result of a call, or the Error that it throws.
//
// Programs compiled with -fno-exceptions can use them: all of them catch inside the library. With try_run(), try_compute() and try_plan()
// no exception passes through frames of the program. With try_call() it passes through the callable and the functions inlined into it;
// their destructors do not run, because -fno-exceptions emits no cleanup code. So declare owners of memory outside of the callable, and
// pass ops to try_run():
//
//   strew::Expected<strew::ScatterOp> op = strew::try_call([&] { return strew::onnx::describe::scatter_nd(out, data, indices, updates); });
//   if (!op) return report(op.error());
//   if (auto done = strew::try_run(*std::move(op)); !done) return report(done.error());
//
// Views of rank 8 and less own no memory, so they leak nothing. Such programs need unwind tables, which compilers for x86-64 and AArch64
// emit unless -fno-asynchronous-unwind-tables is given. An Error thrown outside of these functions calls std::terminate.
#pragma once

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "strew/error.h"
#include "strew/export.h"

namespace strew::inline v0 {
namespace detail {

[[noreturn]] STREW_API void throw_error(const Error& error);
// Calls `call(context)` and returns the Error that it throws. A std::bad_alloc becomes an Error of code `memory`; others propagate.
[[nodiscard]] STREW_API std::optional<Error> error_of(void (*call)(void* context), void* context);

}  // namespace detail

// A value or an Error. Like std::expected of C++23, but every access is checked.
template <class T>
class [[nodiscard]] Expected {
 public:
  Expected(T value) : value_(std::move(value)) {}
  Expected(Error error) : error_(std::move(error)) {}

  // Whether there is a value; otherwise there is an error.
  [[nodiscard]] bool has_value() const noexcept { return value_.has_value(); }
  explicit operator bool() const noexcept { return has_value(); }

  // Throw the error if there is no value.
  [[nodiscard]] T& value() & { return require(), *value_; }
  [[nodiscard]] const T& value() const& { return require(), *value_; }
  [[nodiscard]] T&& value() && { return require(), *std::move(value_); }
  [[nodiscard]] T& operator*() & { return value(); }
  [[nodiscard]] const T& operator*() const& { return value(); }
  [[nodiscard]] T&& operator*() && { return std::move(*this).value(); }
  [[nodiscard]] T* operator->() { return std::addressof(value()); }
  [[nodiscard]] const T* operator->() const { return std::addressof(value()); }

  // Throws std::bad_optional_access if there is a value.
  [[nodiscard]] const Error& error() const { return error_.value(); }

 private:
  void require() const {
    if (!value_) detail::throw_error(*error_);
  }

  std::optional<T> value_;
  std::optional<Error> error_;
};

// The result of a call that returns nothing.
template <>
class [[nodiscard]] Expected<void> {
 public:
  Expected() = default;
  Expected(Error error) : error_(std::move(error)) {}

  // Whether the call succeeded; otherwise there is an error.
  [[nodiscard]] bool has_value() const noexcept { return !error_; }
  explicit operator bool() const noexcept { return has_value(); }
  // Throws the error if there is one.
  void value() const {
    if (error_) detail::throw_error(*error_);
  }
  // Throws std::bad_optional_access if the call succeeded.
  [[nodiscard]] const Error& error() const { return error_.value(); }

 private:
  std::optional<Error> error_;
};

// Calls `call()` and returns its result or the Error that it throws. The callable may contain any code that uses Strew.
template <class Call>
auto try_call(Call&& call) -> Expected<std::invoke_result_t<Call&>> {
  using T = std::invoke_result_t<Call&>;
  static_assert(!std::is_reference_v<T>, "try_call: return a value, or nothing");
  // The result is stored outside of the frames that an exception passes through.
  if constexpr (std::is_void_v<T>) {
    auto calling = [&] { call(); };
    const auto run = [](void* context) { (*static_cast<decltype(calling)*>(context))(); };
    if (std::optional<Error> error = detail::error_of(run, &calling)) return *std::move(error);
    return {};
  } else {
    std::optional<T> value;
    auto storing = [&] { value.emplace(call()); };
    const auto run = [](void* context) { (*static_cast<decltype(storing)*>(context))(); };
    if (std::optional<Error> error = detail::error_of(run, &storing)) return *std::move(error);
    return *std::move(value);
  }
}

}  // namespace strew::inline v0
