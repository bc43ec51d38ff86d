// From the text after an option to its value, with a sentence about what was expected. Numbers are read as
// programs write them, whatever the locale of the program is.
#pragma once

#include <charconv>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <plumb/result.hpp>

namespace plumb::options {

// The number that is the whole of `text`.
template <class Number>
std::optional<Number> number(std::string_view text) {
  Number n{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return n;
}

template <std::integral Number>
[[nodiscard]] Result<Number> parse_whole(const std::string& text, Number least,
                                         Number most = std::numeric_limits<Number>::max()) {
  const auto n = number<Number>(text);
  if (n && *n >= least && *n <= most) return *n;
  const bool is_open = sizeof(Number) == sizeof(std::uint64_t) && most == std::numeric_limits<Number>::max();
  return Error{fmt::format("'{}'; expected a whole number from {}{}", text, least,
                           is_open ? "" : fmt::format(" to {}", most))};
}
[[nodiscard]] Result<double> parse_share(const std::string& text);  // 0 to 1
[[nodiscard]] Result<std::chrono::duration<double>> parse_seconds(const std::string& text);
[[nodiscard]] Result<std::size_t> parse_bytes(const std::string& text);  // 4096, 512K, 100M, 2G
[[nodiscard]] Result<std::string> parse_file_name(const std::string& text);

// The position of `text` in `names`; otherwise an error that names the nearest and lists them all.
[[nodiscard]] Result<std::size_t> parse_choice(const std::string& text, std::span<const std::string> names);

}  // namespace plumb::options
