#include "cli/option_values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include <plumb/files.hpp>

#include "base/suggest.hpp"
#include "history/printable.hpp"

namespace plumb::cli {
namespace {

constexpr std::uint32_t kMostPlaces = 1'000'000'000;  // of --relax: more than any history has

// The number that is the whole of `text`.
template <class Number>
std::optional<Number> number(std::string_view text) {
  Number n{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return n;
}

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

std::vector<std::string> formats(bool for_writing) {
  std::vector<std::string> names = {"auto"};
  for (const FormatInfo& format : history_formats()) {
    if (!for_writing || format.can_write) names.push_back(format.name);
  }
  return names;
}

}  // namespace

Result<std::uint64_t> parse_whole(const std::string& text, std::uint64_t least, std::uint64_t most) {
  const auto n = number<std::uint64_t>(text);
  if (n && *n >= least && *n <= most) return *n;
  if (most == std::numeric_limits<std::uint64_t>::max()) {
    return Error{fmt::format("'{}'; expected a whole number from {}", text, least)};
  }
  return Error{fmt::format("'{}'; expected a whole number from {} to {}", text, least, most)};
}

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

Result<std::vector<Relax>> parse_relax(const std::string& text) {
  std::vector<Relax> all;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(",\n", at), text.size());
    const std::string_view item = std::string_view(text).substr(at, end - at);
    at = end + 1;
    const std::size_t equals = item.find('=');
    if (equals == 0 || equals == std::string_view::npos) {
      return Error{fmt::format("'{}'; expected CLASS=K or CLASS=?, such as dequeue=2", item)};
    }
    Relax one{std::string(item.substr(0, equals))};
    if (const std::string_view places = item.substr(equals + 1); places != "?") {
      one.k = number<std::uint32_t>(places);
      if (!one.k || *one.k > kMostPlaces) {
        return Error{
            fmt::format("'{}'; expected a whole number from 0 to {} after '=', or ?", item, kMostPlaces)};
      }
    }
    all.push_back(std::move(one));
  }
  return all;
}

Result<std::size_t> parse_choice(const std::string& text, std::span<const std::string> names) {
  const auto found = std::ranges::find(names, text);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  return Error{fmt::format("'{}'{}; expected one of: {}", text, did_you_mean(text, names), joined(names))};
}

std::vector<std::string> readable_formats() { return formats(false); }

std::vector<std::string> writable_formats() { return formats(true); }

}  // namespace plumb::cli
