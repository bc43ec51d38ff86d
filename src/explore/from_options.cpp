#include "explore/from_options.hpp"

#include <algorithm>
#include <bit>

namespace plumb::engine {

std::unique_ptr<Strategy> make_strategy(const ExploreOptions& options) {
  switch (options.order) {
    case SearchOrder::kDepthFirst:
      return depth_first(options.preemptions);
    case SearchOrder::kRandom:
      return random_walk(options.seed);
    case SearchOrder::kPct:
      return pct(options.seed, options.depth);
    case SearchOrder::kReduced:
      break;
  }
  if (options.preemptions >= 0) return bounded(options.preemptions, options.memory);
  return sleep_sets();
}

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
      mode == ExplorationMode::kConcurrent && fuses_call_with_first_step(options);
  limits.spurious_cas_failures = options.spurious_cas_failures;
  limits.spurious_wakeups = options.spurious_wakeups;
  limits.plain_points = options.plain_points;
  limits.reuse = !options.reuse            ? runtime::Reuse::kNever
                 : options.reuse_by_others ? runtime::Reuse::kAnyThread
                                           : runtime::Reuse::kLastFreed;
  return limits;
}

// Sleep sets have to know the very step that a thread is about to take; depth-first search leaves nothing out, to compare with.
bool fuses_call_with_first_step(const ExploreOptions& options) {
  const bool bounded = options.order == SearchOrder::kReduced && options.preemptions >= 0;
  return bounded || options.order == SearchOrder::kRandom || options.order == SearchOrder::kPct;
}

}  // namespace plumb::engine
