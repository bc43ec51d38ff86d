#include "testing/serial_phase.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include <fmt/format.h>

namespace plumb::testing {
namespace {

constexpr Seconds kWatchdog{1};  // without a step: nothing holds up what runs alone

}  // namespace

Exploration SerialPhase::run(ExploreOptions options) {
  options.order = SearchOrder::kDepthFirst;
  options.memory_model = MemoryModel::kSequential;  // what runs alone sees what was stored last
  options.preemptions = 0;
  options.executions = leaves_out_ ? std::optional<std::uint64_t>(1) : std::nullopt;
  options.replay.clear();
  // What happens without a cause is no part of the specification.
  options.spurious_wakeups = options.spurious_cas_failures = 0;
  // Races and leaks are faults of phase 2, too, and found there with an interleaving.
  options.races = options.leaks = false;
  options.watchdog = kWatchdog;
  return explore(options, engine::ExplorationMode::kSerial);
}

bool SerialPhase::run_with_calls_left_out(const ExploreOptions& options) {
  leaves_out_ = true;
  (void)run(options);
  leaves_out_ = false;
  return is_whole_;
}

// From every node on, nodes that are added on the way included.
bool SerialPhase::leave_calls_out(const engine::FinishedExecution& execution) {
  for (SerialTree::Node node = 0; node < tree_.size(); ++node) {
    if (tree_.blocks(node)) continue;
    for (std::uint64_t next = may_come_next(node); next != 0; next &= next - 1) {
      const auto operation = static_cast<std::size_t>(std::countr_zero(next));
      if (tree_.child(node, operation) != SerialTree::kNone) continue;
      if (view_.limits.late() || view_.limits.asked_to_stop() || !grow(tree_, node, operation, execution))
        return false;
    }
  }
  return true;
}

// Calls that may come after those that lead to the node: all before them in their thread were made, or may be left out. The calls before
// the threads come before all others, and those after them behind.
std::uint64_t SerialPhase::may_come_next(SerialTree::Node node) const {
  const Layout& layout = view_.layout;
  std::vector<std::size_t> from(layout.processes());
  for (std::size_t process = 0; process < layout.processes(); ++process)
    from[process] = layout.first(process);
  const std::size_t last = layout.processes() - 1;
  std::size_t latest = 0;  // process that was called: no call before the threads comes behind one of theirs
  for (const std::size_t each : tree_.path(node)) {
    from[layout.process(each)] = each + 1;
    latest = std::max(latest, layout.process(each));
  }
  std::uint64_t may = 0;
  // Appends what may come next of a process; true: all of it may be left out.
  const auto add = [&](std::size_t process) {
    for (std::size_t each = from[process]; each < layout.first(process) + layout.count(process); ++each) {
      may |= std::uint64_t{1} << each;
      if (!view_.failures.result(each)) return false;
    }
    return true;
  };
  if (latest == 0 && !add(0)) return may;
  bool all_may_be_over = true;
  for (std::size_t process = 1; process < last && latest != last; ++process)
    all_may_be_over = add(process) && all_may_be_over;
  if (all_may_be_over) (void)add(last);
  return may;
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
  if (leaves_out_) {
    is_whole_ = leave_calls_out(execution);
    return std::nullopt;
  }
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
