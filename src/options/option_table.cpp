#include "options/option_table.hpp"

#include <algorithm>

namespace plumb::options {

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
