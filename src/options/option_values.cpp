#include "options/option_values.hpp"

#include <algorithm>
#include <cctype>

#include "base/suggest.hpp"

namespace plumb::options {
namespace {

// 1024 for K, and so on; 1 where there is no suffix. The suffix, with an optional B or iB, leaves `text`.
std::uint64_t take_suffix(std::string_view& text) {
  const auto digits = text.find_first_not_of("0123456789.");
  if (digits == std::string_view::npos) return 1;
  const std::string_view suffix = text.substr(digits);
  const std::string_view rest = suffix.substr(1);
  if (!rest.empty() && rest != "B" && rest != "iB") return 1;
  const auto power = std::string_view("KMGT").find(static_cast<char>(std::toupper(suffix[0])));
  if (power == std::string_view::npos) return 1;
  text = text.substr(0, digits);
  return std::uint64_t{1} << (10 * (power + 1));
}

}  // namespace

Result<double> parse_share(const std::string& text) {
  const auto n = number<double>(text);
  if (n && *n >= 0 && *n <= 1) return *n;
  return Error{fmt::format("'{}'; expected a number from 0 to 1", text)};
}

Result<std::chrono::duration<double>> parse_seconds(const std::string& text) {
  constexpr double kLongest = 1e9;  // thirty years; clocks overflow some way beyond
  const auto n = number<double>(text);
  if (n && *n >= 0 && *n <= kLongest) return std::chrono::duration<double>(*n);
  return Error{
      fmt::format("'{}'; expected a number of seconds from 0 to 1000000000, such as 10 or 0.5", text)};
}

Result<std::size_t> parse_bytes(const std::string& text) {
  std::string_view digits = text;
  const std::uint64_t unit = take_suffix(digits);
  const auto n = number<double>(digits);
  const double bytes = n.value_or(0) * static_cast<double>(unit);
  if (bytes >= 1 && bytes < 0x1p62) return static_cast<std::size_t>(bytes);
  return Error{fmt::format("'{}'; expected a number of bytes, such as 1000000, 512K, 100M or 2G", text)};
}

Result<std::string> parse_file_name(const std::string& text) {
  if (text.empty()) return Error{"''; expected a file name"};
  return text;
}

Result<std::size_t> parse_choice(const std::string& text, std::span<const std::string> names) {
  const auto found = std::ranges::find(names, text);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  return Error{
      fmt::format("'{}'{}; expected one of: {}", text, did_you_mean(text, names), fmt::join(names, ", "))};
}

}  // namespace plumb::options
