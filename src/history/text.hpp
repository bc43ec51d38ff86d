// Text as the codecs see it: bytes with lines, and for every byte the place that an error names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <plumb/result.hpp>

namespace plumb {

// How deeply values may nest. Readers recurse once a level, so that this also bounds the stack.
inline constexpr unsigned kMaxDepth = 256;

// The places of positions in a text. Each question costs the distance from the one before when positions
// ascend.
class PlaceTracker {
 public:
  PlaceTracker() = default;
  explicit PlaceTracker(std::string_view text, Place start = {1, 1});
  [[nodiscard]] Place at(const char* position);

 private:
  std::string_view text_;
  Place start_ = {1, 1};
  const char* seen_ = nullptr;        // lines up to here are counted
  const char* line_begin_ = nullptr;  // of the line with seen_; in the first line, where column 1 would be
  std::uint32_t line_ = 1;
};

// The lines of a text, without their ends ("\n" or "\r\n").
class Lines {
 public:
  explicit Lines(std::string_view text, std::uint32_t lines_before = 0)
      : rest_(text), number_(lines_before) {}
  bool next();
  [[nodiscard]] std::string_view text() const { return line_; }
  [[nodiscard]] std::uint32_t number() const { return number_; }
  [[nodiscard]] Place place(const char* position) const {
    return {number_, static_cast<std::uint32_t>(position - line_.data() + 1)};
  }

 private:
  std::string_view rest_;
  std::string_view line_;
  std::uint32_t number_;
};

[[nodiscard]] constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
[[nodiscard]] std::string_view trim(std::string_view text);
[[nodiscard]] std::string_view without_byte_order_mark(std::string_view text);

// A character as it can stand in a message, quotes included: 'x', or its number if it cannot be shown.
[[nodiscard]] std::string shown(char c);

// The length of the well-formed UTF-8 character at the front of a text, 0 if there is none; and one more
// character.
[[nodiscard]] std::size_t utf8_length(std::string_view text);
void append_utf8(unsigned code_point, std::string& out);

// The first byte that is not part of well-formed UTF-8. Stops at the first block with a fault.
[[nodiscard]] std::optional<std::size_t> first_invalid_utf8(std::string_view text);
[[nodiscard]] Status check_utf8(std::string_view text);

}  // namespace plumb
