#include "explore/from_options.hpp"

#include <algorithm>
#include <bit>

#include "explore/strategies.hpp"

namespace plumb::engine {

bool has_surveys(const ExploreOptions& options, ExplorationMode mode) {
  return mode == ExplorationMode::kConcurrent && (options.races || options.plain_points);
}

// 64, 256, 1024 …: the more are run, the smaller the part of those that take longer.
bool is_survey_due(std::uint64_t number) {
  constexpr int kFirst = 6;
  const int power = std::countr_zero(number);
  return std::has_single_bit(number) && power >= kFirst && power % 2 == 0;
}

Limits limits_of(const ExploreOptions& options, const Observer* observer, ExplorationMode mode) {
  Limits limits{
      .steps = std::min(options.steps, kMaxSteps), .spin = options.spin, .patience = options.patience};
  limits.races = options.races;
  limits.leaks = options.leaks;
  limits.serial = mode == ExplorationMode::kSerial;
  limits.accepts_deadlock = observer != nullptr;
  limits.fuses_call_with_first_step =
      mode == ExplorationMode::kConcurrent && strategy_traits(options).fuses_calls;
  limits.spurious_cas_failures = options.spurious_cas_failures;
  limits.spurious_wakeups = options.spurious_wakeups;
  limits.plain_points = options.plain_points;
  limits.reuse = !options.reuse            ? runtime::Reuse::kNever
                 : options.reuse_by_others ? runtime::Reuse::kAnyThread
                                           : runtime::Reuse::kLastFreed;
  return limits;
}

}  // namespace plumb::engine
