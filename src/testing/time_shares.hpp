// How the time of a test goes to its scenarios. In the first pass each gets its share of a small part, so that none is left out for
// the sake of a large one before it. Those that were cut off are taken up again, from their beginning and one after the other, with most of
// what is left; so a test that needs no more than about two thirds of its time has it all, however that is spread over its scenarios.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <string>

#include <fmt/format.h>

namespace plumb::testing {

// For a test of which nothing may be run: where the options have 0, that is no limit.
inline constexpr double kNoTime = 1e-9;
inline std::string seconds_text(double seconds) { return fmt::format("{}", seconds > kNoTime ? seconds : 0); }

class TimeShares {
 public:
  using Clock = std::chrono::steady_clock;

  // From now on; 0: as long as it takes.
  explicit TimeShares(double seconds) : seconds_(seconds) {}

  [[nodiscard]] double passed() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  [[nodiscard]] bool limited() const { return seconds_ > 0; }
  [[nodiscard]] bool spent() const { return limited() && passed() >= seconds_; }
  // All that there is; 0: no limit.
  [[nodiscard]] double left() const { return limited() ? std::max(seconds_ - passed(), kLeast) : 0; }

  // How long the rest will take if it is like what is done; or the time that is left, if that is less.
  struct Estimate {
    double seconds = 0;
    bool at_most = false;  // the limit ends it
  };
  [[nodiscard]] Estimate estimate(std::size_t done, std::size_t all) const {
    const double each = passed() / static_cast<double>(std::max<std::size_t>(done, 1));
    const double needed = each * static_cast<double>(all - done);
    return limited() && left() < needed ? Estimate{left(), true} : Estimate{needed, false};
  }

  // For a scenario that is one of `pass` in this pass, of which some are run at a time.
  [[nodiscard]] double share(std::size_t scenario, std::size_t pass, std::size_t at_once) {
    const double all = left();
    if (!limited() || pass <= at_once) return all;
    const auto [before, first] = given_.try_emplace(scenario, 0);
    if (first) {
      before->second = std::max(
          kOfFirstPass * seconds_ / static_cast<double>(pass) * static_cast<double>(at_once), kLeast);
    } else {
      before->second = std::max(kOfOne * all, 2 * before->second);
    }
    return std::min(before->second, all);
  }

 private:
  static constexpr double kLeast = 0.001;  // seconds; 0 would be no limit
  static constexpr double kOfFirstPass = 1.0 / 8;
  static constexpr double kOfOne = 3.0 / 4;

  Clock::time_point begin_ = Clock::now();
  double seconds_;
  std::map<std::size_t, double> given_;  // by scenario
};

}  // namespace plumb::testing
