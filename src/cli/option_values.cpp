#include "cli/option_values.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <plumb/files.hpp>

#include "options/option_values.hpp"

namespace plumb::cli {
namespace {

constexpr std::uint32_t kMostPlaces = 1'000'000'000;  // of --relax: more than any history has

std::vector<std::string> formats(bool for_writing) {
  std::vector<std::string> names = {"auto"};
  for (const FormatInfo& format : history_formats()) {
    if (!for_writing || format.can_write) names.push_back(format.name);
  }
  return names;
}

}  // namespace

Result<std::vector<Relaxation>> parse_relax(const std::string& text) {
  std::vector<Relaxation> all;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(",\n", at), text.size());
    const std::string_view item = std::string_view(text).substr(at, end - at);
    at = end + 1;
    const std::size_t equals = item.find('=');
    if (equals == 0 || equals == std::string_view::npos) {
      return Error{fmt::format("'{}'; expected CLASS=K or CLASS=?, such as dequeue=2", item)};
    }
    Relaxation one{std::string(item.substr(0, equals))};
    if (const std::string_view places = item.substr(equals + 1); places != "?") {
      one.k = options::number<std::uint32_t>(places);
      if (!one.k || *one.k > kMostPlaces) {
        return Error{
            fmt::format("'{}'; expected a whole number from 0 to {} after '=', or ?", item, kMostPlaces)};
      }
    }
    all.push_back(std::move(one));
  }
  return all;
}

std::vector<std::string> readable_formats() { return formats(false); }

std::vector<std::string> writable_formats() { return formats(true); }

}  // namespace plumb::cli
