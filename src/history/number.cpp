// The grammar of a number, then std::from_chars, which rounds correctly however many digits there are.
#include "history/number.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "history/text.hpp"

namespace plumb {
namespace {

struct Spelling {
  std::string_view whole;     // digits before the point, without the sign
  std::string_view fraction;  // digits after it
  std::string_view exponent;  // with its sign
  bool is_real = false;
};

std::string_view take_digits(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, is_digit);
  const std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

std::optional<Spelling> spelling_of(std::string_view text, bool bare_point) {
  Spelling found;
  if (text.starts_with('-')) text.remove_prefix(1);
  found.whole = take_digits(text);
  if (found.whole.empty()) return std::nullopt;
  if (text.starts_with('.')) {
    found.is_real = true;
    text.remove_prefix(1);
    found.fraction = take_digits(text);
    if (found.fraction.empty() && !bare_point) return std::nullopt;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    found.is_real = true;
    found.exponent = text.substr(1);
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (take_digits(text).empty()) return std::nullopt;
  }
  return text.empty() ? std::optional(found) : std::nullopt;
}

Number as_number(double d) {
  const auto whole = whole_number(d);
  return {whole ? Number::Kind::kInteger : Number::Kind::kReal, whole.value_or(0), d};
}

// Whether a number that no double can hold is too small, not too large: by the power of ten of its first
// digit.
bool is_tiny(const Spelling& number) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 60U;  // beyond any count of digits
  std::string_view exponent = number.exponent;
  if (exponent.starts_with('+')) exponent.remove_prefix(1);
  std::int64_t power = 0;
  if (std::from_chars(exponent.data(), exponent.data() + exponent.size(), power).ec ==
      std::errc::result_out_of_range)
    power = exponent.starts_with('-') ? -kHuge : kHuge;
  power = std::clamp(power, -kHuge, kHuge);
  if (number.whole != "0") return power + static_cast<std::int64_t>(number.whole.size()) - 1 < 0;
  const auto zeros = std::min(number.fraction.find_first_not_of('0'), number.fraction.size());
  return power - static_cast<std::int64_t>(zeros) - 1 < 0;
}

// Most numbers: integers of up to 18 digits, which cannot overflow, and reals of up to 15 without an
// exponent: the quotient of two doubles that are exact is rounded once, correctly. Whatever else it is, the
// general way looks again.
std::optional<Number> plain_number(std::string_view text) {
  static constexpr std::array<double, 16> kPowers = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                     1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  constexpr std::size_t kMostOfInteger = 18;
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (text.empty() || text.size() > kMostOfInteger) return std::nullopt;
  std::int64_t n = 0;
  std::size_t whole = text.size();  // digits before the point
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_digit(text[i])) {
      n = n * 10 + (text[i] - '0');
    } else if (text[i] == '.' && whole == text.size()) {
      whole = i;
    } else {
      return std::nullopt;
    }
  }
  const std::size_t fraction = text.size() - whole;  // and after it, the point included
  if (whole == 0 || (text.front() == '0' && whole > 1) || fraction == 1 ||
      (fraction > 1 && text.size() > kPowers.size()))
    return std::nullopt;
  if (negative) n = -n;
  return fraction == 0 ? Number{.kind = Number::Kind::kInteger, .integer = n}
                       : as_number(static_cast<double>(n) / kPowers[fraction - 1]);
}

}  // namespace

std::optional<std::int64_t> whole_number(double d) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (!(d >= -kLimit && d < kLimit) || std::trunc(d) != d) return std::nullopt;
  return static_cast<std::int64_t>(d);
}

Number parse_number(std::string_view text, bool bare_point) {
  if (const auto plain = plain_number(text)) return *plain;
  const auto spelling = spelling_of(text, bare_point);
  if (!spelling) return {};
  if (spelling->whole.size() > 1 && spelling->whole.front() == '0')
    return {.kind = Number::Kind::kLeadingZeros};
  const char* end = text.data() + text.size();
  Number number;
  if (!spelling->is_real) {
    const bool fits = std::from_chars(text.data(), end, number.integer).ec == std::errc();
    number.kind = fits ? Number::Kind::kInteger : Number::Kind::kTooLarge;
    return number;
  }
  if (std::from_chars(text.data(), end, number.real).ec != std::errc()) {
    if (!is_tiny(*spelling)) return {.kind = Number::Kind::kTooLarge};
    number.real = 0;
  }
  return as_number(number.real);
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  const auto spelling = spelling_of(text, false);
  if (!spelling || spelling->is_real) return std::nullopt;
  const Number number = parse_number(text);
  return number.kind == Number::Kind::kInteger ? std::optional(number.integer) : std::nullopt;
}

std::string too_large(std::string_view number) {
  constexpr std::size_t kShown = 40;
  return fmt::format("{}{} is too large; expected a number of 64 bits, or a string", number.substr(0, kShown),
                     number.size() > kShown ? "…" : "");
}

}  // namespace plumb
