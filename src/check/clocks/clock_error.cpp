#include "check/clocks/clock_error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace plumb {
namespace {

std::uint64_t ticks_per_second(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kNanoseconds:
      return 1'000'000'000;
    case TimeUnit::kMicroseconds:
      return 1'000'000;
    case TimeUnit::kMilliseconds:
      return 1000;
    case TimeUnit::kSeconds:
      break;
  }
  return 1;
}

std::uint64_t whole_ticks(double ticks, double (*round)(double), std::uint64_t most) {
  constexpr double kNoise =
      16 * std::numeric_limits<double>::epsilon();  // 5 ms are 0.005 s, which no double is
  if (ticks >= static_cast<double>(most)) return most;
  const double nearest = std::round(ticks);
  const bool is_whole = std::abs(ticks - nearest) <= kNoise * std::max(1.0, ticks);
  return static_cast<std::uint64_t>(is_whole ? nearest : round(ticks));
}

}  // namespace

// Times are whole numbers: they are more than twice the error apart if they are more apart than what is whole of it.
ClockError::ClockError(Seconds error, TimeUnit unit)
    : apart_(whole_ticks(2 * error.count() * static_cast<double>(ticks_per_second(unit)), std::floor,
                         2 * kMost)) {}

std::uint64_t ticks_of(Seconds error, TimeUnit unit) {
  return whole_ticks(error.count() * static_cast<double>(ticks_per_second(unit)), std::ceil,
                     ClockError::kMost);
}

std::string in_milliseconds(Seconds error) { return fmt::format("{:.9g}", error.count() * 1000); }

std::string in_milliseconds(std::uint64_t ticks, TimeUnit unit) {
  if (unit == TimeUnit::kSeconds) return fmt::format("{}", std::min(ticks, ClockError::kMost / 1000) * 1000);
  const std::uint64_t each = ticks_per_second(unit) / 1000;  // ticks per millisecond
  std::string text = fmt::to_string(ticks / each);
  if (ticks % each == 0) return text;
  const std::size_t digits = fmt::to_string(each).size() - 1;
  text += fmt::format(".{:0>{}}", ticks % each, digits);
  return text.substr(0, text.find_last_not_of('0') + 1);
}

}  // namespace plumb
