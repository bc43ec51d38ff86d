#include "testing/serial_phase.hpp"

#include <bit>

#include <fmt/format.h>

namespace plumb::testing {
namespace {

constexpr Seconds kWatchdog{1};  // without a step: nothing holds up what runs alone

}  // namespace

Exploration SerialPhase::run(ExploreOptions options) {
  options.order = SearchOrder::kDepthFirst;
  options.preemptions = 0;
  options.executions.reset();
  options.replay.clear();
  // What happens without a cause is no part of the specification.
  options.spurious_wakeups = options.spurious_cas_failures = 0;
  // Races and leaks are faults of phase 2, too, and found there with an interleaving.
  options.races = options.leaks = false;
  options.watchdog = kWatchdog;
  return explore(options, engine::ExplorationMode::kSerial);
}

std::uint64_t SerialPhase::operations_of(std::uint64_t calls) const {
  std::uint64_t all = 0;
  for (; calls != 0; calls &= calls - 1) {
    const auto call = static_cast<std::size_t>(std::countr_zero(calls));
    all |= std::uint64_t{1} << (view_.test.invocations()[view_.layout.invocation(call)].operation %
                                kMaxOperations);
  }
  return all;
}

std::optional<std::string> SerialPhase::judge_history(const engine::FinishedExecution& execution) {
  if (execution.is_deadlock() && !view_.has_open()) return judge_outside(execution, false);
  ever_returned_ |= operations_of(view_.observed.returned());
  if (execution.is_deadlock() && execution.ended_in_spin_loop())
    spun_forever_ |= operations_of(view_.observed.called() & ~view_.observed.returned());
  contradiction_ = tree_.add(view_.observed);
  if (!contradiction_) return std::nullopt;
  const auto returned = [&](const std::optional<Value>& result) {
    return result ? "returned " + view_.test.values().to_json(*result) : std::string("blocked");
  };
  return found(
      ViolationKind::kNondeterministic,
      fmt::format("the object is not deterministic: after the same operations, one after another, {} "
                  "once {} and once {}",
                  view_.label(contradiction_->order.back()), returned(contradiction_->before),
                  returned(contradiction_->now)));
}

}  // namespace plumb::testing
