// Text for people and for JSON, made from data that may hold anything: names of files, values, messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace plumb {

// Control characters (an ANSI escape in a value, say) and bytes that are not UTF-8 come out as \x1b, \u009b:
// they are shown, never obeyed. `printable` keeps one line; `printable_lines` leaves line ends and tabs
// alone.
[[nodiscard]] std::string printable(std::string_view text);
[[nodiscard]] std::string printable_lines(std::string_view text);

// A JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD: JSON has no other way to say them.
[[nodiscard]] std::string json_string(std::string_view text);

// JSON text in which what JSON lets stand and terminals obey, or readers are misled by, is escaped: the control
// characters U+0080 to U+009F, separators of lines, direction marks.
[[nodiscard]] std::string without_raw_controls(std::string_view json);

// At most `bytes` bytes of a text and "…", cut where a character ends.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t bytes);
// Columns that a terminal takes for it: bytes that continue a UTF-8 character do not count.
[[nodiscard]] std::size_t width_of(std::string_view text);
// A text that is no wider, with "…" where its end was cut off.
[[nodiscard]] std::string cut_to_width(std::string_view text, std::size_t width);
[[nodiscard]] std::string cut_in_the_middle(std::string_view text, std::size_t width);

// "a, b, c".
template <class Range>
[[nodiscard]] std::string joined(const Range& items, std::string_view separator = ", ") {
  std::string out;
  for (const auto& item : items) {
    if (!out.empty()) out += separator;
    out += item;
  }
  return out;
}

}  // namespace plumb
