// Numbers, by one rule in every format that has them (docs/formats.md): what is written without a point and an exponent is an
// integer of 64 bits, exactly; everything else is the nearest double, and an integer where that double is one. Never by the
// locale.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <plumb/value.hpp>

namespace plumb {

struct Number {
  enum class Kind : std::uint8_t {
    kNone,          // not a number
    kLeadingZeros,  // one, but for zeros before its first digit
    kTooLarge,      // an integer beyond 64 bits, a real beyond the largest double
    kInteger,
    kReal
  };
  Kind kind = Kind::kNone;
  std::int64_t integer = 0;
  double real = 0;

  // Of an integer or a real.
  [[nodiscard]] Value value(Values& values) const {
    return kind == Kind::kReal ? values.real(real) : values.integer(integer);
  }
};

// The number that is the whole of `text`, as JSON writes numbers. `bare_point`: also "1." and "1.e5", as Clojure does.
[[nodiscard]] Number parse_number(std::string_view text, bool bare_point = false);

// The integer that a double is, if it is one of 64 bits.
[[nodiscard]] std::optional<std::int64_t> whole_number(double d);

// An integer that is the whole of `text`, as JSON writes integers, if it has 64 bits.
[[nodiscard]] std::optional<std::int64_t> parse_integer(std::string_view text);

// "… is too large; expected …", for a number of any length.
[[nodiscard]] std::string too_large(std::string_view number);

}  // namespace plumb
