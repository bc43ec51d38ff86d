// How far the clocks of several machines may be off, in the unit of a history's times; and what still happens before what.
//
// If every clock shows a time that is off by at most E, an operation of one process that returns at r surely comes before
// one of another process that is called at c only if r + 2E < c. Operations of one process were timed by one clock, and come one
// after the other: there r < c is enough, as always. What a reader has put into lanes (history/lane_names.hpp) is nobody's.
#pragma once

#include <cstdint>
#include <string>

#include <plumb/check.hpp>

namespace plumb {

class ClockError {
 public:
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 62U;

  explicit ClockError(std::uint64_t ticks) : apart_(2 * ticks) {}
  ClockError(Seconds error, TimeUnit unit);

  // Whether an operation that returns at `ret` surely comes before one of another process that is called at `call`.
  [[nodiscard]] bool surely_before(Time ret, Time call) const {
    return call > ret && static_cast<std::uint64_t>(call) - static_cast<std::uint64_t>(ret) > apart_;
  }

 private:
  std::uint64_t apart_;
};

// The ticks of a unit that an error takes, rounded up.
[[nodiscard]] std::uint64_t ticks_of(Seconds error, TimeUnit unit);
[[nodiscard]] std::string in_milliseconds(Seconds error);
// So many ticks as milliseconds: "0.25", as --clock-error takes them.
[[nodiscard]] std::string in_milliseconds(std::uint64_t ticks, TimeUnit unit);

}  // namespace plumb
