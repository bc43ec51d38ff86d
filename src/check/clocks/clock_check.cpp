// What is linearizable by its times stays so with any error: only a violation is searched again, for an order that some clocks explain.
//
// Objects are judged on their own, as always. The keys of one object are not: what surely comes before what is no order of intervals, so
// that each key may have an order and the object none, as with sequential consistency. Each key is searched by itself, a violation of
// one is a violation of all; then their orders are put together, and where they do not fit, the object is searched as a whole.
#include "check/clocks/clock_check.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "check/clocks/clock_merge.hpp"
#include "check/clocks/clock_search.hpp"
#include "check/partition.hpp"
#include "check/reason.hpp"
#include "check/runner.hpp"
#include "history/lane_names.hpp"

namespace plumb {
namespace {

using Clock = std::chrono::steady_clock;

PartitionBy partition_of(const CheckOptions& options) {
  return options.partition ? PartitionBy::kObjectAndKey : PartitionBy::kObject;
}

// The order is run through the model as it is, and its times are gone through once more, by the definition.
bool replays(const BoundHistory& history, std::span<const OperationId> operations,
             std::span<const OperationId> order, ClockError error) {
  const History& h = history.history();
  const auto states = fresh_states(history);
  const auto run = states->start_run();
  Time latest_call = std::numeric_limits<Time>::min();
  absl::flat_hash_map<Value, Time> latest_of_process;
  for (const OperationId id : order) {
    latest_call = std::max(latest_call, h.call(id));
    if (error.surely_before(h.ret(id), latest_call)) return false;
    if (!is_in_lane(h, id)) {
      Time& own = latest_of_process.try_emplace(h.process(id), h.call(id)).first->second;
      own = std::max(own, h.call(id));
      if (h.ret(id) < own) return false;
    }
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

// The parts of the history by object, in the order of their first operations.
std::vector<std::vector<std::vector<OperationId>>> operations_by_object(const BoundHistory& history,
                                                                        PartitionBy by) {
  const Partition partition(history, by);
  std::map<OperationId, std::vector<std::vector<OperationId>>> objects;
  absl::flat_hash_map<Value, OperationId> first_of_object;
  for (const Part& part : partition.parts()) {
    std::vector<OperationId> operations = called_in(part);
    if (operations.empty()) continue;
    const OperationId first = operations.front();
    const auto object = first_of_object.try_emplace(history.history().object(first), first).first;
    objects[object->second].push_back(std::move(operations));
  }
  std::vector<std::vector<std::vector<OperationId>>> all;
  all.reserve(objects.size());
  for (auto& [_, parts] : objects) all.push_back(std::move(parts));
  return all;
}

struct ObjectVerdict {
  PartVerdict verdict;
  std::vector<OperationId> operations;  // that it is about: those of a key, or of all
};

PartVerdict search_and_replay(const BoundHistory& history, std::span<const OperationId> operations,
                              ClockError error, const SearchLimits& limits) {
  PartVerdict verdict = search_clocks(history, operations, error, limits);
  const bool is_wrong = verdict.outcome == Outcome::kHolds &&
                        !replays(history, operations, verdict.linearization.order(), error);
  return is_wrong ? PartVerdict::unknown(StopReason::kInternalError) : std::move(verdict);
}

std::vector<OperationId> all_of(const std::vector<std::vector<OperationId>>& parts) {
  std::vector<OperationId> all;
  for (const auto& operations : parts) all.insert(all.end(), operations.begin(), operations.end());
  std::ranges::sort(all);
  return all;
}

ObjectVerdict search_object(const BoundHistory& history, const std::vector<std::vector<OperationId>>& parts,
                            ClockError error, const SearchLimits& limits) {
  ClockMerge merge(history.history(), error);
  std::uint64_t configurations = 0;
  std::optional<ObjectVerdict> unknown;
  for (const auto& operations : parts) {
    ObjectVerdict one{search_and_replay(history, operations, error, limits), operations};
    configurations += one.verdict.configurations;
    one.verdict.configurations = configurations;
    if (one.verdict.outcome == Outcome::kViolation || parts.size() == 1) return one;
    if (one.verdict.outcome == Outcome::kHolds)
      merge.add(one.verdict.linearization.order());
    else
      unknown = std::move(one);
  }
  if (unknown) return *std::move(unknown);
  ObjectVerdict whole{{}, all_of(parts)};
  if (auto order = merge.in_one_order(); order && replays(history, whole.operations, *order, error)) {
    whole.verdict.outcome = Outcome::kHolds;
    whole.verdict.linearization = Linearization(*std::move(order));
  } else {
    whole.verdict = search_and_replay(history, whole.operations, error, limits);
  }
  whole.verdict.configurations += configurations;
  return whole;
}

// The times of one object, from its first call to its last event.
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
  const ClockError error(*options.clock_error, options.time_unit);
  const std::string milliseconds = in_milliseconds(*options.clock_error);
  std::optional<Seconds> left = options.timeout;
  if (left) left = std::max(*left - plain.elapsed, Seconds::zero());
  const Budget budget(left, options.stop);
  const SearchLimits limits = search_limits(options, budget, 0, SearchLimits::kNoLimit, 1);
  const auto objects = operations_by_object(history.own(), partition_of(options));

  Verdict verdict;
  verdict.outcome = Outcome::kHolds;
  verdict.engines = {Engine::kClocks};
  verdict.why = fmt::format("the clocks may be off by {} ms", milliseconds);
  for (const auto& parts : objects) {
    verdict.parts += parts.size();
    auto [one, operations] = search_object(history.own(), parts, error, limits);
    verdict.configurations += one.configurations;
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
    const auto order = one.linearization.order();
    verdict.linearization.insert(verdict.linearization.end(), order.begin(), order.end());
  }
  if (verdict.outcome == Outcome::kViolation)
    verdict.why = fmt::format("even if the clocks are off by {} ms", milliseconds);
  if (verdict.outcome != Outcome::kHolds) verdict.linearization.clear();
  verdict.elapsed = plain.elapsed + (Clock::now() - start);
  return verdict;
}

ClockSlack find_clock_slack(const BoundHistory& history, OperationId stuck, const CheckOptions& options) {
  constexpr Seconds kPatience(2);
  constexpr std::uint64_t kTrial = 200'000;  // configurations for one error
  constexpr std::size_t kMost = 200'000;     // operations: more are not gone through in that time
  const Budget budget(std::min(options.timeout.value_or(kPatience), kPatience), options.stop);
  const SearchLimits limits = search_limits(options, budget, 0, kTrial, 1);
  std::vector<std::vector<OperationId>> object;
  for (auto& parts : operations_by_object(history, partition_of(options))) {
    object = std::move(parts);
    if (std::ranges::any_of(object, [&](const auto& part) { return std::ranges::count(part, stuck) > 0; }))
      break;
  }
  const std::vector<OperationId> operations = all_of(object);
  if (operations.size() > kMost) return {};
  const auto outcome = [&](std::uint64_t ticks) {
    return search_object(history, object, ClockError(ticks), limits).verdict.outcome;
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
