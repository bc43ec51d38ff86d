// Places, lines and UTF-8. See text.hpp.
#include "history/text.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <simdjson.h>

namespace plumb {

PlaceTracker::PlaceTracker(std::string_view text, Place start)
    : text_(text), start_(start), seen_(text.data()), line_begin_(text.data()), line_(start.line) {}

Place PlaceTracker::at(const char* position) {
  if (position < seen_) *this = PlaceTracker(text_, start_);
  while (seen_ < position) {
    const auto distance = static_cast<std::size_t>(position - seen_);
    const void* newline = std::memchr(seen_, '\n', distance);
    if (newline == nullptr) break;
    seen_ = static_cast<const char*>(newline) + 1;
    line_begin_ = seen_;
    ++line_;
  }
  seen_ = std::max(seen_, position);
  const std::uint32_t first_column = line_ == start_.line ? start_.column : 1;
  return {line_, first_column + static_cast<std::uint32_t>(position - line_begin_)};
}

bool Lines::next() {
  if (rest_.empty()) return false;
  const std::size_t end = rest_.find('\n');
  line_ = rest_.substr(0, end);
  rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  ++number_;
  return true;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view without_byte_order_mark(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return text;
}

std::string shown(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte > 0x20 && byte < 0x7F ? fmt::format("'{}'", c) : fmt::format("byte 0x{:02X}", byte);
}

// Unicode, table 3-7.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto within = [&](std::size_t i, unsigned low, unsigned high) {
    return byte(i) >= low && byte(i) <= high;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return within(1, 0x80, 0xBF) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const unsigned low = first == 0xE0 ? 0xA0 : 0x80;   // no longer than needed
    const unsigned high = first == 0xED ? 0x9F : 0xBF;  // no surrogates
    return within(1, low, high) && within(2, 0x80, 0xBF) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const unsigned low = first == 0xF0 ? 0x90 : 0x80;
    const unsigned high = first == 0xF4 ? 0x8F : 0xBF;  // up to U+10FFFF
    return within(1, low, high) && within(2, 0x80, 0xBF) && within(3, 0x80, 0xBF) ? 4 : 0;
  }
  return 0;
}

void append_utf8(unsigned code_point, std::string& out) {
  const auto tail = [&](unsigned shift) {
    return static_cast<char>(0x80U | ((code_point >> shift) & 0x3FU));
  };
  if (code_point < 0x80) {
    out += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    out += static_cast<char>(0xC0U | (code_point >> 6U));
    out += tail(0);
  } else if (code_point < 0x10000) {
    out += static_cast<char>(0xE0U | (code_point >> 12U));
    out += {tail(6), tail(0)};
  } else {
    out += static_cast<char>(0xF0U | (code_point >> 18U));
    out += {tail(12), tail(6), tail(0)};
  }
}

std::optional<std::size_t> first_invalid_utf8(std::string_view text) {
  constexpr std::size_t kBlock = 1U << 16U;
  std::size_t begin = 0;
  while (begin < text.size()) {
    std::size_t end = std::min(begin + kBlock, text.size());
    // A block must not end inside a character: at most three bytes of one can stand before its last.
    for (int back = 0; back < 3 && end < text.size() && end > begin; ++back) {
      if ((static_cast<unsigned char>(text[end]) & 0xC0U) != 0x80U) break;
      --end;
    }
    if (!simdjson::validate_utf8(text.data() + begin, end - begin)) break;
    begin = end;
  }
  while (begin < text.size()) {
    const std::size_t length = utf8_length(text.substr(begin));
    if (length == 0) return begin;
    begin += length;
  }
  return std::nullopt;
}

Status check_utf8(std::string_view text) {
  const auto fault = first_invalid_utf8(text);
  if (!fault) return Ok{};
  return Error{fmt::format("{} is not valid here; expected UTF-8 text", shown(text[*fault])),
               PlaceTracker(text).at(text.data() + *fault)};
}

}  // namespace plumb
