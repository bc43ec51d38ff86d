// Errors a user can cause are values: a place in the input and a sentence that says what was expected.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <variant>

namespace plumb {

// A place in an input. Lines and columns count from 1; 0 means "not known".
struct Place {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

struct Error {
  std::string message;
  Place place = {};
  std::string file = {};

  // "file:line:column: message", without the parts that are not known.
  [[nodiscard]] std::string text() const {
    std::string out = file;
    if (place.line != 0) {
      out += (out.empty() ? "" : ":") + std::to_string(place.line) + ":" + std::to_string(place.column);
    }
    if (!out.empty()) out += ": ";
    return out + message;
  }
};

namespace detail {

// A Result was asked for what it does not hold. That is a bug in the program: it ends here, in release builds too.
[[noreturn, gnu::cold, gnu::noinline]] inline void end_by_misuse(const std::string& why) {
  std::fprintf(stderr, "plumb: %s\n", why.c_str());
  std::abort();
}

}  // namespace detail

// Either a T or the Error that prevented it. Taking the value of an error without having checked ends the program, with the
// error on standard error.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value)
      : content_(std::in_place_index<0>, std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Result(Error error)
      : content_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return content_.index() == 0; }
  explicit operator bool() const { return ok(); }

  [[nodiscard]] T& value() & { return expect_value(), *std::get_if<0>(&content_); }
  [[nodiscard]] const T& value() const& { return expect_value(), *std::get_if<0>(&content_); }
  [[nodiscard]] T&& value() && { return expect_value(), std::move(*std::get_if<0>(&content_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  [[nodiscard]] const Error& error() const {
    if (ok()) detail::end_by_misuse("the error of a result was taken that has none");
    return *std::get_if<1>(&content_);
  }

 private:
  void expect_value() const {
    if (!ok()) detail::end_by_misuse("the value of a failed result was taken: " + error().text());
  }

  std::variant<T, Error> content_;
};

// For what either succeeds without a value or fails.
struct Ok {};
using Status = Result<Ok>;

}  // namespace plumb
