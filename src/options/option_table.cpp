#include "options/option_table.hpp"

#include <algorithm>

namespace plumb::options {

std::vector<std::string> values_of(const std::string& lines) {
  std::vector<std::string> values;
  for (std::size_t at = 0; at <= lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    values.push_back(lines.substr(at, end - at));
    at = end + 1;
  }
  return values;
}

// With '=', so that a value may begin with '-'; an empty one is a word of its own.
std::vector<std::string> words_of(std::span<const GivenOption> given,
                                  std::span<const std::string_view> without) {
  std::vector<std::string> words;
  for (const GivenOption& option : given) {
    if (std::ranges::find(without, option.name) != without.end()) continue;
    if (!option.value) words.emplace_back(option.name);
    for (const std::string& value : option.value ? values_of(*option.value) : std::vector<std::string>()) {
      words.push_back(fmt::format("{}{}{}", option.name, value.empty() ? "" : "=", value));
      if (value.empty()) words.emplace_back();
    }
  }
  return words;
}

std::string two_columns(std::string_view left, std::size_t left_width, std::string_view right) {
  // Bytes that continue a UTF-8 character take no column of their own.
  const auto width = static_cast<std::size_t>(
      std::ranges::count_if(left, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
  const std::size_t padding = left_width > width ? left_width - width : 0;
  return fmt::format("  {}{}  {}\n", left, std::string(padding, ' '), right);
}

std::string option_line(std::string_view names, std::string_view value, std::string_view help) {
  constexpr std::size_t kColumn = 24;
  std::string left = names.starts_with("--") ? "    " + std::string(names)
                                             : fmt::format("{}, {}", names.substr(0, 2), names.substr(3));
  if (!value.empty()) left += fmt::format(" {}", value);
  return two_columns(left, kColumn, help);
}

}  // namespace plumb::options
