#include "check/plan.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/count_of.hpp"
#include "check/audit.hpp"
#include "check/hitting/hitting.hpp"
#include "check/reason.hpp"

namespace plumb {
namespace {

std::string why_no_monitor(const BoundHistory& history) {
  return history.outside_family().empty() ? "this model has no monitor" : history.outside_family();
}

std::string why_monitor(const BoundHistory& history, const ModelMonitor& monitor) {
  if (!history.is_by_claim()) return std::string(monitor.why);
  return fmt::format("it behaves as a {}, and {}", to_string(history.family()), monitor.why);
}

PartVerdict not_judged(StopReason reason, std::string why) {
  PartVerdict verdict = PartVerdict::unknown(reason);
  verdict.why_not = std::move(why);
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
  return audit(part, std::move(verdict), limits);
}

PartVerdict search_hitting_families(const Part& part, const SearchLimits& limits) {
  PartVerdict verdict = search_hitting(part, *fresh_states(*part.history), limits);
  if (verdict.spent == StopReason::kNoWitness) {
    verdict.why_not = fmt::format("no witness in the hitting families up to depth {}", limits.max_depth);
  } else if (verdict.spent == StopReason::kTooLarge || verdict.spent == StopReason::kMemory) {
    verdict.why_not = "the hitting families are too large";
  }
  return audit(part, std::move(verdict), limits);
}

PartVerdict ask_monitor(const Part& part, const ModelMonitor& monitor, const SearchLimits& limits) {
  MonitorVerdict answer = monitor.judge(part);
  if (answer.kind == MonitorVerdict::Kind::kNotApplicable)
    return not_judged(StopReason::kNoMonitor, std::move(answer.why));
  return audit_monitor(part, std::move(answer), limits);
}

PartVerdict ask(Engine engine, const Part& part, const Plan& plan, const SearchLimits& limits) {
  PartVerdict verdict = engine == Engine::kMonitor   ? ask_monitor(part, *plan.monitor, limits)
                        : engine == Engine::kHitting ? search_hitting_families(part, limits)
                                                     : search(part, engine, limits);
  if (verdict.why_not.empty()) verdict.decided_by = engine;
  return verdict;
}

// By the first of the engines; null: it judged all.
const PartVerdict* first_not_judged(std::span<const PartVerdict> verdicts) {
  const auto it = std::ranges::find_if(verdicts, [](const PartVerdict& v) { return !v.why_not.empty(); });
  return it == verdicts.end() ? nullptr : &*it;
}

PlanSummary summarise_hitting(const Plan& plan, std::span<const PartVerdict> verdicts) {
  const auto* undecided = first_not_judged(verdicts);
  if (undecided == nullptr)
    return {"hitting", verdicts.empty() ? plan.why + "; the history is empty" : plan.why};
  if (plan.engines.size() == 1) return {"hitting", undecided->why_not};
  return {"hitting+wgl", undecided->why_not + ", handed over to wgl"};
}

// Where the monitor of the model was to be asked first.
PlanSummary summarise_monitor(const Plan& plan, std::span<const PartVerdict> verdicts) {
  if (verdicts.empty()) return {"monitor", "the history is empty"};
  const auto decided = [&](Engine engine) {
    return static_cast<std::size_t>(std::ranges::count_if(verdicts, [&](const PartVerdict& v) {
      return v.decided_by == engine && (engine == Engine::kMonitor || v.outcome != Outcome::kUnknown);
    }));
  };
  const std::size_t by_monitor = decided(Engine::kMonitor);
  const std::size_t by_search = decided(Engine::kWgl);
  const auto* without = first_not_judged(verdicts);
  const std::string why_not = without == nullptr ? "nothing was decided" : without->why_not;
  if (by_monitor != 0 && by_search == 0) return {"monitor", plan.why};
  if (by_monitor == 0 && plan.engines.size() == 1) return {"monitor", "no monitor can judge it: " + why_not};
  if (by_monitor == 0) return {"wgl", why_not};
  return {"monitor+wgl",
          fmt::format("{} by monitor, {} by search: {}", count_of(by_monitor, "part"), by_search, why_not)};
}

std::string_view name_of(Engine engine) { return engine == Engine::kBrute ? "brute" : "wgl"; }

}  // namespace

Plan make_plan(const BoundHistory& history, const CheckOptions& options) {
  Plan plan;
  const bool may_be_monitor = options.engine == Engine::kAuto || options.engine == Engine::kMonitor;
  plan.monitor = may_be_monitor ? find_monitor(history.family()) : nullptr;
  const bool all_keys = plan.monitor != nullptr && plan.monitor->all_keys && history.initial().is_null();
  const bool by_key = options.partition && options.engine != Engine::kBrute && !all_keys;
  plan.partition = by_key ? PartitionBy::kObjectAndKey : PartitionBy::kObject;
  if (plan.monitor != nullptr) {
    plan.engines = {Engine::kMonitor};
    plan.why = why_monitor(history, *plan.monitor);
    if (options.engine == Engine::kAuto) plan.engines.push_back(Engine::kWgl);
  } else if (may_be_monitor) {
    plan.why = why_no_monitor(history);
    if (options.engine == Engine::kAuto) plan.engines = {Engine::kWgl};
  } else {
    plan.engines = {options.engine};
    plan.why = options.engine == Engine::kBrute ? "asked for: every order is tried" : "asked for";
    if (options.engine == Engine::kHitting && !options.only) plan.engines.push_back(Engine::kWgl);
  }
  return plan;
}

PartVerdict decide_part(const Part& part, const Plan& plan, const SearchLimits& limits,
                        const PartVerdict& earlier) {
  if (plan.engines.empty()) return not_judged(StopReason::kNoMonitor, plan.why);
  PartVerdict verdict;
  std::string why_not = earlier.why_not;
  std::uint64_t configurations = 0;
  for (const Engine engine : plan.engines) {
    if (engine == Engine::kMonitor && !why_not.empty()) continue;
    verdict = ask(engine, part, plan, limits);
    verdict.configurations += configurations;
    if (verdict.why_not.empty()) break;
    configurations = verdict.configurations;
    why_not = verdict.why_not;
  }
  verdict.why_not = std::move(why_not);
  return verdict;
}

PlanSummary summarise(const Plan& plan, const BoundHistory& history, const CheckOptions& options,
                      std::span<const PartVerdict> verdicts) {
  PlanSummary summary;
  if (options.engine == Engine::kHitting) {
    summary = summarise_hitting(plan, verdicts);
  } else if (plan.monitor != nullptr) {
    summary = summarise_monitor(plan, verdicts);
  } else if (plan.engines.empty()) {
    summary = {"monitor", verdicts.empty() ? "the history is empty" : "no monitor can judge it: " + plan.why};
  } else {
    const bool is_empty = verdicts.empty() && options.engine == Engine::kAuto;
    summary = {std::string(name_of(plan.engines[0])), is_empty ? "the history is empty" : plan.why};
  }
  std::size_t parts = 0;
  for (const PartVerdict& verdict : verdicts) parts += verdict.parts;
  if (parts > 1) {
    summary.why += fmt::format("; {} parts by {}", parts,
                               !history.model().is_keyed() || !options.partition ? "object"
                               : history.history().has_objects()                 ? "object and key"
                                                                                 : "key");
  }
  return summary;
}

}  // namespace plumb
