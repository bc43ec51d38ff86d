#include "check/plan.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/count_of.hpp"
#include "check/earliest.hpp"
#include "check/hitting/hitting.hpp"
#include "check/monitors/monitor.hpp"
#include "check/reason.hpp"
#include "check/replay.hpp"
#include "spec/models.hpp"

namespace plumb {
namespace {

PartVerdict believe(const Part& part, MonitorVerdict answer, const SearchLimits& limits) {
  PartVerdict verdict;
  if (answer.kind == MonitorVerdict::Kind::kViolation) {
    verdict = find_earliest(part, answer, limits);
    verdict.parts = answer.parts;
  } else if (replays(part, answer.linearization.order(), *fresh_states(*part.history))) {
    verdict.outcome = Outcome::kLinearizable;
    verdict.linearization = std::move(answer.linearization);
    verdict.parts = answer.parts;
  } else {
    verdict.spent = Spent::kInternalError;
  }
  verdict.by_monitor = true;
  return verdict;
}

PartVerdict search(const Part& part, Engine engine, const SearchLimits& limits) {
  const auto states = fresh_states(*part.history);
  PartVerdict verdict = engine == Engine::kBrute ? search_brute_force(part, *states, limits)
                                                 : search_wgl(part, *states, limits);
  if (verdict.outcome == Outcome::kViolation) {
    if (engine == Engine::kBrute) explain_dead_end(part, *states, limits, verdict.stuck);
    verdict.core = core_of_dead_end(part, verdict.stuck.operation);
  }
  if (verdict.outcome == Outcome::kLinearizable &&
      !replays(part, verdict.linearization.order(), *fresh_states(*part.history))) {
    return PartVerdict::unknown(Spent::kInternalError);
  }
  return verdict;
}

// By hitting families; what they do not prove is searched, so that the verdict is exact.
PartVerdict hit(const Part& part, const SearchLimits& limits) {
  PartVerdict verdict = search_hitting(part, *fresh_states(*part.history), limits);
  if (verdict.outcome == Outcome::kLinearizable) {
    const bool holds = replays(part, verdict.linearization.order(), *fresh_states(*part.history));
    return holds ? verdict : PartVerdict::unknown(Spent::kInternalError);
  }
  const bool no_witness = verdict.spent == Spent::kNoWitness;
  const bool too_large = verdict.spent == Spent::kTooLarge || verdict.spent == Spent::kMemory;
  if (!no_witness && !too_large) return verdict;
  const std::string why_not =
      no_witness ? fmt::format("no witness in the hitting families up to depth {}", limits.max_depth)
                 : "the hitting families are too large";
  if (limits.hand_over) {
    const std::uint64_t tried = verdict.configurations;
    verdict = search(part, Engine::kWgl, limits);
    verdict.configurations += tried;
  }
  verdict.why_not_hitting = why_not;
  return verdict;
}

// What --engine hitting came to.
PlanSummary summarise_hitting(std::span<const PartVerdict> verdicts, bool handed_over) {
  const auto undecided =
      std::ranges::find_if(verdicts, [](const PartVerdict& v) { return !v.why_not_hitting.empty(); });
  if (undecided != verdicts.end()) {
    return handed_over ? PlanSummary{"hitting+wgl", undecided->why_not_hitting + ", handed over to wgl"}
                       : PlanSummary{"hitting", undecided->why_not_hitting};
  }
  return {"hitting", verdicts.empty() ? "asked for; the history is empty" : "asked for"};
}

}  // namespace

const ModelMonitor* find_monitor(const Model& model) {
  constexpr std::string_view kDistinct = "values are distinct";
  static const std::map<const Model*, ModelMonitor> monitors = {
      {&queue_model(), {monitor_queue, kDistinct}},
      {&stack_model(), {monitor_stack, kDistinct}},
      {&priority_queue_model(), {monitor_priority_queue, kDistinct}},
      {&set_model(), {monitor_set, "each key of a set has a monitor", true}},
      {&multiset_model(), {monitor_multiset, "every remove succeeded"}},
      {&map_model(), {monitor_map, "only get and put, and what is put is distinct"}},
      {&register_model(), {monitor_register, "only reads and writes, and what is written is distinct"}},
      {&counter_model(), {monitor_counter, "the results dictate the order"}},
      {&mutex_model(), {monitor_mutex, "who holds the lock is dictated by the processes"}}};
  const auto it = monitors.find(&model);
  return it == monitors.end() ? nullptr : &it->second;
}

PartitionBy choose_partition(const BoundHistory& history, const CheckOptions& options) {
  if (!options.partition || options.engine == Engine::kBrute) return PartitionBy::kObject;
  const bool searches = options.engine == Engine::kWgl || options.engine == Engine::kHitting;
  const ModelMonitor* monitor = searches ? nullptr : find_monitor(history.model());
  const bool all_keys = monitor != nullptr && monitor->all_keys && history.history().initial().is_null();
  return all_keys ? PartitionBy::kObject : PartitionBy::kObjectAndKey;
}

PartVerdict decide_part(const Part& part, Engine engine, const SearchLimits& limits,
                        const PartVerdict& earlier) {
  if (engine == Engine::kWgl || engine == Engine::kBrute) return search(part, engine, limits);
  if (engine == Engine::kHitting) return hit(part, limits);
  std::string why_not = earlier.why_not_monitor;
  if (why_not.empty()) {
    const ModelMonitor* monitor = find_monitor(part.history->model());
    MonitorVerdict answer = monitor == nullptr ? MonitorVerdict::not_applicable("this model has no monitor")
                                               : monitor->judge(part);
    if (answer.kind != MonitorVerdict::Kind::kNotApplicable) return believe(part, std::move(answer), limits);
    why_not = std::move(answer.why);
  }
  PartVerdict verdict =
      engine == Engine::kMonitor ? PartVerdict::unknown(Spent::kNoMonitor) : search(part, engine, limits);
  verdict.why_not_monitor = std::move(why_not);
  return verdict;
}

PlanSummary summarise_plan(const BoundHistory& history, const CheckOptions& options,
                           std::span<const PartVerdict> verdicts) {
  // Parts that a violation elsewhere left undecided had no engine.
  const auto searched = [](const PartVerdict& v) { return !v.by_monitor && v.outcome != Outcome::kUnknown; };
  const auto by_monitor = static_cast<std::size_t>(std::ranges::count_if(verdicts, &PartVerdict::by_monitor));
  const auto by_search = static_cast<std::size_t>(std::ranges::count_if(verdicts, searched));
  const auto without =
      std::ranges::find_if(verdicts, [](const PartVerdict& v) { return !v.why_not_monitor.empty(); });
  const std::string why_not = without == verdicts.end() ? "nothing was decided" : without->why_not_monitor;
  PlanSummary plan;
  if (options.engine == Engine::kBrute) {
    plan = {"brute", "asked for: every order is tried"};
  } else if (options.engine == Engine::kWgl) {
    plan = {"wgl", "asked for"};
  } else if (options.engine == Engine::kHitting) {
    plan = summarise_hitting(verdicts, !options.only);
  } else if (verdicts.empty()) {
    plan = {find_monitor(history.model()) == nullptr ? "wgl" : "monitor", "the history is empty"};
  } else if (by_monitor != 0 && by_search == 0) {
    plan = {"monitor", std::string(find_monitor(history.model())->why)};
  } else if (by_monitor == 0) {
    plan = options.engine == Engine::kMonitor ? PlanSummary{"monitor", "no monitor can judge it: " + why_not}
                                              : PlanSummary{"wgl", why_not};
  } else {
    plan = {"monitor+wgl",
            fmt::format("{} by monitor, {} by search: {}", count_of(by_monitor, "part"), by_search, why_not)};
  }
  std::size_t parts = 0;
  for (const PartVerdict& verdict : verdicts) parts += verdict.parts;
  if (parts > 1) {
    plan.why += fmt::format("; {} parts by {}", parts,
                            !history.model().is_keyed() || !options.partition ? "object"
                            : history.history().has_objects()                 ? "object and key"
                                                                              : "key");
  }
  return plan;
}

}  // namespace plumb
