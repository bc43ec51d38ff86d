// What is linearizable by its times stays so with any error: only a violation is searched again, object by object and key by key, for
// an order that some clocks explain.
#include "check/clocks/clock_check.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "check/clocks/clock_search.hpp"
#include "check/partition.hpp"
#include "check/reason.hpp"
#include "check/runner.hpp"

namespace plumb {
namespace {

using Clock = std::chrono::steady_clock;

PartitionBy partition_of(const CheckOptions& options) {
  return options.partition ? PartitionBy::kObjectAndKey : PartitionBy::kObject;
}

// Orders of the parts as one: by the earliest moment at which each operation can have taken effect, after those before it.
class Merger {
 public:
  explicit Merger(const History& history) : history_(history) {}

  void add(std::span<const OperationId> order) {
    Time latest_call = std::numeric_limits<Time>::min();
    for (const OperationId id : order) {
      latest_call = std::max(latest_call, history_.call(id));
      all_.emplace_back(latest_call, id);
    }
  }
  std::vector<OperationId> take() {
    std::ranges::stable_sort(all_, {}, &std::pair<Time, OperationId>::first);
    std::vector<OperationId> order;
    order.reserve(all_.size());
    for (const auto& [time, id] : all_) order.push_back(id);
    return order;
  }

 private:
  const History& history_;
  std::vector<std::pair<Time, OperationId>> all_;
};

// The order is run through the model as it is, and its times are gone through once more, by the definition.
bool replays(const BoundHistory& history, std::span<const OperationId> operations,
             std::span<const OperationId> order, ClockError error) {
  const History& h = history.history();
  const auto run = fresh_states(history)->start_run();
  Time latest_call = std::numeric_limits<Time>::min();
  absl::flat_hash_map<Value, Time> latest_of_process;
  for (const OperationId id : order) {
    latest_call = std::max(latest_call, h.call(id));
    Time& own = latest_of_process.try_emplace(h.process(id), h.call(id)).first->second;
    own = std::max(own, h.call(id));
    if (error.surely_before(h.ret(id), latest_call) || h.ret(id) < own) return false;
    if (!run->apply(history.call(id), history.result(id))) return false;
  }
  std::vector<OperationId> missing(operations.begin(), operations.end());
  std::vector<OperationId> taken(order.begin(), order.end());
  std::ranges::sort(missing);
  std::ranges::sort(taken);
  if (std::ranges::adjacent_find(taken) != taken.end()) return false;
  return std::ranges::all_of(
      missing, [&](OperationId id) { return h.is_pending(id) || std::ranges::binary_search(taken, id); });
}

// The times of one part, from its first call to its last event.
std::uint64_t span_of(const History& history, std::span<const OperationId> operations) {
  Time first = kNever;
  Time last = std::numeric_limits<Time>::min();
  for (const OperationId id : operations) {
    first = std::min(first, history.call(id));
    last = std::max(last, history.is_pending(id) ? history.call(id) : history.ret(id));
  }
  return operations.empty() ? 0 : static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
}

}  // namespace

Status accepts_clock_error(const History& history, const CheckOptions& options) {
  if (!options.relax.empty()) return Error{"a clock error and relaxed classes cannot be had in one check"};
  if (history.has_clock_times() || history.empty()) return Ok{};
  return Error{
      "a clock error needs times, and this history has none: its format tells only the order of events; "
      "expected a format with "
      "times, such as jsonl, csv, porcupine or otlp"};
}

Verdict check_clocks(const BoundHistory& history, const CheckOptions& options, Verdict plain) {
  if (plain.outcome != Outcome::kViolation) return plain;
  const auto start = Clock::now();
  const std::uint64_t ticks = ticks_of(*options.clock_error, options.time_unit);
  const ClockError error(ticks);
  std::optional<Seconds> left = options.timeout;
  if (left) left = std::max(*left - plain.elapsed, Seconds::zero());
  const Budget budget(left, options.stop);
  const SearchLimits limits = search_limits(options, budget, 0, SearchLimits::kNoLimit, 1);
  const Partition partition(history.own(), partition_of(options));

  Verdict verdict;
  verdict.outcome = Outcome::kHolds;
  verdict.engines = {Engine::kClocks};
  verdict.why = fmt::format("the clocks may be off by {} ms", in_milliseconds(ticks, options.time_unit));
  verdict.parts = partition.parts().size();
  Merger merger(history.history());
  for (const Part& part : partition.parts()) {
    const auto operations = called_in(part);
    PartVerdict one = search_clocks(history.own(), operations, error, limits);
    verdict.configurations += one.configurations;
    if (one.outcome == Outcome::kHolds &&
        !replays(history.own(), operations, one.linearization.order(), error)) {
      one = PartVerdict::unknown(StopReason::kInternalError);
    }
    if (one.outcome == Outcome::kViolation) {
      verdict.outcome = Outcome::kViolation;
      verdict.violation = describe_violation(history.own(), one);
      verdict.violation->operations = core_of_clocks(history.own(), operations, error, one.stuck.operation);
      break;
    }
    if (one.outcome == Outcome::kUnknown) {
      verdict.outcome = Outcome::kUnknown;
      verdict.why = to_text(one.spent);
      continue;
    }
    merger.add(one.linearization.order());
  }
  if (verdict.outcome == Outcome::kViolation)
    verdict.why =
        fmt::format("even if the clocks are off by {} ms", in_milliseconds(ticks, options.time_unit));
  if (verdict.outcome == Outcome::kHolds) verdict.linearization = merger.take();
  verdict.elapsed = plain.elapsed + (Clock::now() - start);
  return verdict;
}

ClockSlack find_clock_slack(const BoundHistory& history, OperationId stuck, const CheckOptions& options) {
  constexpr Seconds kPatience(2);
  constexpr std::uint64_t kTrial = 200'000;  // configurations for one error
  constexpr std::size_t kMost = 200'000;     // operations: more are not gone through in that time
  const Budget budget(std::min(options.timeout.value_or(kPatience), kPatience), options.stop);
  const SearchLimits limits = search_limits(options, budget, 0, kTrial, 1);
  const Partition partition(history, partition_of(options));
  std::vector<OperationId> operations;
  for (const Part& part : partition.parts()) {
    operations = called_in(part);
    if (std::ranges::find(operations, stuck) != operations.end()) break;
  }
  if (operations.size() > kMost) return {};
  const auto outcome = [&](std::uint64_t ticks) {
    return search_clocks(history, operations, ClockError(ticks), limits).outcome;
  };
  // An error of half the whole time leaves nothing but the order of each process.
  std::uint64_t high = std::min(span_of(history.history(), operations) / 2 + 1, ClockError::kMost);
  ClockSlack slack;
  if (outcome(high) == Outcome::kViolation) {
    slack.never = true;
    return slack;
  }
  if (outcome(0) != Outcome::kViolation) return slack;
  bool is_enough = false;  // what is known of `high`
  while (slack.not_up_to + 1 < high) {
    const std::uint64_t middle = slack.not_up_to + (high - slack.not_up_to) / 2;
    const Outcome found = outcome(middle);
    if (found == Outcome::kViolation) {
      slack.not_up_to = middle;
    } else {
      high = middle;
      is_enough = found == Outcome::kHolds;
    }
  }
  if (is_enough || outcome(high) == Outcome::kHolds) slack.smallest = high;
  return slack;
}

}  // namespace plumb
