// Errors a user can cause are values: a place in the input and a sentence that says what was expected.
#pragma once

#include <cassert>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace plumb {

// Where in an input something stands. Lines and columns count from 1; 0 means "not known".
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
  [[nodiscard]] std::string text() const;
};

// Either a T or the Error that prevented it.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value)
      : content_(std::in_place_index<0>, std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Result(Error error)
      : content_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return content_.index() == 0; }
  explicit operator bool() const { return ok(); }

  [[nodiscard]] T& value() & { return assert(ok()), *std::get_if<0>(&content_); }
  [[nodiscard]] const T& value() const& { return assert(ok()), *std::get_if<0>(&content_); }
  [[nodiscard]] T&& value() && { return assert(ok()), std::move(*std::get_if<0>(&content_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  [[nodiscard]] const Error& error() const { return assert(!ok()), *std::get_if<1>(&content_); }

 private:
  std::variant<T, Error> content_;
};

// For what either succeeds without a value or fails.
struct Done {};
using Status = Result<Done>;

}  // namespace plumb
