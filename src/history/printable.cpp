#include "history/printable.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <fmt/format.h>

#include <plumb/value.hpp>

namespace plumb {
namespace {

struct Decoded {
  char32_t point = 0;
  std::size_t length = 0;  // 0: the bytes are no UTF-8
};

// One code point, with everything that UTF-8 forbids: overlong forms, surrogates, beyond U+10FFFF.
Decoded decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return {};
  char32_t point = first & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    point = (point << 6U) | (byte(i) & 0x3FU);
  }
  const char32_t least = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000;
  if (point < least || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) return {};
  return {point, length};
}

// Separators of lines and paragraphs, and direction marks, can make text read as something else than it is.
bool is_control(char32_t point) {
  return point < 0x20 || (point >= 0x7F && point <= 0x9F) || (point >= 0x2028 && point <= 0x202E) ||
         (point >= 0x2066 && point <= 0x2069);
}

// Whether a byte continues a UTF-8 character.
bool continues(char c) { return (static_cast<std::uint8_t>(c) & 0xC0U) == 0x80U; }

// How many bytes the first characters of a text have.
std::size_t bytes_of(std::string_view text, std::size_t characters) {
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    if (!continues(text[end]) && characters-- == 0) break;
  }
  return end;
}

std::string escaped(std::string_view text, bool keep_lines) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const auto [point, length] = decode(text.substr(i));
    if (length == 0) {
      out += fmt::format("\\x{:02x}", static_cast<std::uint8_t>(text[i]));
    } else if (is_control(point) && !(keep_lines && (point == '\n' || point == '\t'))) {
      out += point < 0x80 ? fmt::format("\\x{:02x}", static_cast<std::uint32_t>(point))
                          : fmt::format("\\u{:04x}", static_cast<std::uint32_t>(point));
    } else {
      out += text.substr(i, length);
    }
    i += length == 0 ? 1 : length;
  }
  return out;
}

}  // namespace

std::string printable(std::string_view text) { return escaped(text, false); }

std::string printable_lines(std::string_view text) { return escaped(text, true); }

std::string json_string(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = decode(text.substr(i)).length;
    valid += length == 0 ? std::string_view("\uFFFD") : text.substr(i, length);
    i += length == 0 ? 1 : length;
  }
  std::string out;
  append_json_string(valid, out);
  return out;
}

std::string without_raw_controls(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (std::size_t i = 0; i < json.size();) {
    // Outside ASCII only: there, controls are line ends between values, or escaped already.
    const auto [point, length] =
        static_cast<std::uint8_t>(json[i]) >= 0x80 ? decode(json.substr(i)) : Decoded{};
    if (length > 1 && is_control(point)) {
      out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(point));
    } else {
      out += json.substr(i, std::max<std::size_t>(length, 1));
    }
    i += std::max<std::size_t>(length, 1);
  }
  return out;
}

std::string shortened(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  while (bytes > 0 && continues(text[bytes])) --bytes;
  return std::string(text.substr(0, bytes)) + "…";
}

std::size_t width_of(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, continues));
}

std::string cut_to_width(std::string_view text, std::size_t width) {
  if (width_of(text) <= width) return std::string(text);
  return std::string(text.substr(0, bytes_of(text, width - std::min<std::size_t>(width, 1)))) + "…";
}

std::string cut_in_the_middle(std::string_view text, std::size_t width) {
  if (width_of(text) <= width) return std::string(text);
  const std::size_t kept = width - std::min<std::size_t>(width, 1);
  const std::string_view front = text.substr(0, bytes_of(text, kept - kept / 2));
  const std::string_view back = text.substr(bytes_of(text, width_of(text) - kept / 2));
  return fmt::format("{}…{}", front, back);
}

}  // namespace plumb
