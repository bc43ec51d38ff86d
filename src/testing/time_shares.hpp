// How the time of a test goes to its scenarios. In the first pass each gets its share of a small part, so that none is left out for
// the sake of a large one before it. Those that were cut off are taken up again, from their beginning and one after the other, with most of
// what is left; so a test that needs no more than about two thirds of its time has it all, however that is spread over its scenarios.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include <fmt/format.h>

#include <plumb/seconds.hpp>

namespace plumb::testing {

// As --timeout takes it.
inline std::string seconds_text(Seconds time) { return fmt::format("{}", time.count()); }

class TimeShares {
 public:
  using Clock = std::chrono::steady_clock;

  // From now on; none: as long as it takes.
  explicit TimeShares(std::optional<Seconds> limit) : limit_(limit) {}

  [[nodiscard]] Seconds passed() const { return Clock::now() - begin_; }
  [[nodiscard]] bool limited() const { return limit_.has_value(); }
  [[nodiscard]] bool spent() const { return limit_ && passed() >= *limit_; }
  [[nodiscard]] std::optional<Seconds> limit() const { return limit_; }
  // All that there is; none: no limit.
  [[nodiscard]] std::optional<Seconds> left() const {
    return limit_ ? std::optional(std::max(*limit_ - passed(), kLeast)) : std::nullopt;
  }

  // How long the rest will take if it is like what is done; or the time that is left, if that is less.
  struct Estimate {
    Seconds time{};
    bool at_most = false;  // the limit ends it
  };
  [[nodiscard]] Estimate estimate(std::size_t done, std::size_t all) const {
    const Seconds each = passed() / static_cast<double>(std::max<std::size_t>(done, 1));
    const Seconds needed = each * static_cast<double>(all - done);
    const auto rest = left();
    return rest && *rest < needed ? Estimate{*rest, true} : Estimate{needed, false};
  }

  // For a scenario that is one of `pass` in this pass, of which some are run at a time.
  [[nodiscard]] std::optional<Seconds> share(std::size_t scenario, std::size_t pass, std::size_t at_once) {
    const auto all = left();
    if (!all || pass <= at_once) return all;
    const auto [before, first] = given_.try_emplace(scenario);
    if (first) {
      before->second =
          std::max(kOfFirstPass * *limit_ / static_cast<double>(pass) * static_cast<double>(at_once), kLeast);
    } else {
      before->second = std::max(kOfOne * *all, 2 * before->second);
    }
    return std::min(before->second, *all);
  }

 private:
  static constexpr Seconds kLeast{0.001};  // with less nothing at all would be run
  static constexpr double kOfFirstPass = 1.0 / 8;
  static constexpr double kOfOne = 3.0 / 4;

  Clock::time_point begin_ = Clock::now();
  std::optional<Seconds> limit_;
  std::map<std::size_t, Seconds> given_;  // by scenario
};

}  // namespace plumb::testing
