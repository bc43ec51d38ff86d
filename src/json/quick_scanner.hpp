// Plain JSON, token by token, for the quick ways through a line: numbers of up to 18 digits, ASCII strings without escapes,
// at most one blank between tokens. It knows no errors: where it says no, a general reader looks again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <plumb/value.hpp>

#include "history/text.hpp"

namespace plumb {

// How many bytes after the line must be readable: the scan looks ahead by the longest literal.
inline constexpr std::size_t kQuickSlack = 16;

class QuickScanner {
 public:
  QuickScanner(std::string_view line, Values& values)
      : at_(line.data()), end_(line.data() + line.size()), values_(values) {}

 protected:
  template <std::size_t N>
  bool eat(const char (&literal)[N]) {
    static_assert(N - 1 <= kQuickSlack);
    for (std::size_t i = 0; i < N - 1; ++i) {  // unrolled; a call of memcmp would cost more
      if (at_[i] != literal[i]) return false;
    }
    at_ += N - 1;
    return true;
  }
  void blank() { at_ += *at_ == ' ' ? 1 : 0; }

  bool scalar(Value& value) {
    std::int64_t number = 0;
    std::string_view string;
    switch (*at_) {
      case 'n':
        value = kNull;
        return eat("null");
      case 't':
        value = kTrue;
        return eat("true");
      case 'f':
        value = kFalse;
        return eat("false");
      case '"':
        if (!text(string)) return false;
        value = values_.string(string);
        return true;
      default:
        if (!integer(number)) return false;
        value = Value::fits(number) ? Value::small(number) : values_.integer(number);
        return true;
    }
  }

  // Up to 18 digits: no overflow to think about.
  bool integer(std::int64_t& number) {
    const bool negative = *at_ == '-';
    if (negative) ++at_;
    const char* begin = at_;
    std::int64_t n = 0;
    for (; is_digit(*at_); ++at_) {
      if (at_ - begin == 18) return false;
      n = n * 10 + (*at_ - '0');
    }
    if (at_ == begin || (*begin == '0' && at_ - begin > 1)) return false;
    number = negative ? -n : n;
    return *at_ != '.' && *at_ != 'e' && *at_ != 'E';
  }

  // ASCII without escapes: nothing to check and nothing to decode.
  bool text(std::string_view& string) {
    if (*at_ != '"') return false;
    const char* begin = ++at_;
    for (; *at_ != '"'; ++at_) {
      if (static_cast<signed char>(*at_) < 0x20 || *at_ == '\\') return false;
    }
    string = {begin, static_cast<std::size_t>(at_ - begin)};
    ++at_;
    return true;
  }

  const char* at_;
  const char* end_;
  Values& values_;
};

}  // namespace plumb
