#include "check/plan.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/count_of.hpp"
#include "check/audit.hpp"
#include "check/frontier/frontier.hpp"
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

PartVerdict search_frontiers(const Part& part, const FamilyFrontiers& frontiers, const SearchLimits& limits) {
  PartVerdict verdict = frontiers.search(part, limits);
  if (!verdict.why_not.empty()) return not_judged(StopReason::kNoFrontiers, std::move(verdict.why_not));
  return audit(part, std::move(verdict), limits);
}

PartVerdict ask(Engine engine, const Part& part, const Plan& plan, const SearchLimits& limits) {
  PartVerdict verdict = engine == Engine::kMonitor    ? ask_monitor(part, *plan.monitor, limits)
                        : engine == Engine::kFrontier ? search_frontiers(part, *plan.frontiers, limits)
                        : engine == Engine::kHitting  ? search_hitting_families(part, limits)
                                                      : search(part, engine, limits);
  if (verdict.why_not.empty()) verdict.decided_by = engine;
  return verdict;
}

// By frontiers and by contents: which of the two grows faster, nobody knows beforehand. So each gets a number
// of configurations, then several times as many. What frontiers decide, they mostly decide in the first turn.
PartVerdict search_in_turns(const Part& part, const Plan& plan, const SearchLimits& limits) {
  constexpr std::uint64_t kGrowth = 8;
  constexpr std::uint64_t kFirst = 20'000;
  SearchLimits turn = limits;
  std::optional<PartReached> furthest;
  for (turn.configurations = kFirst + 8 * part.events.size();; turn.configurations *= kGrowth) {
    const bool is_last = turn.configurations >= limits.configurations;
    turn.configurations = std::min(turn.configurations, limits.configurations);
    PartVerdict verdict;
    for (const bool is_first : {true, false}) {
      const Engine engine = is_first == plan.frontiers->comes_first ? Engine::kFrontier : Engine::kWgl;
      verdict = ask(engine, part, plan, turn);
      if (verdict.reached && (!furthest || furthest->position < verdict.reached->position))
        furthest = verdict.reached;
      if (verdict.outcome == Outcome::kUnknown && furthest) verdict.reached = furthest;
      if (!verdict.why_not.empty() ||
          (verdict.spent != StopReason::kRound && verdict.spent != StopReason::kMemory))
        return verdict;
    }
    if (is_last || verdict.spent == StopReason::kMemory) return verdict;
  }
}

// By the first of the engines; null: it judged all.
const PartVerdict* first_not_judged(std::span<const PartVerdict> verdicts) {
  const auto it = std::ranges::find_if(verdicts, [](const PartVerdict& v) { return !v.why_not.empty(); });
  return it == verdicts.end() ? nullptr : &*it;
}

PlanSummary summarise_hitting(const Plan& plan, std::span<const PartVerdict> verdicts) {
  const auto* undecided = first_not_judged(verdicts);
  if (undecided == nullptr)
    return {{Engine::kHitting}, verdicts.empty() ? plan.why + "; the history is empty" : plan.why};
  if (plan.engines.size() == 1) return {{Engine::kHitting}, undecided->why_not};
  return {{Engine::kHitting, Engine::kWgl}, undecided->why_not + ", handed over to wgl"};
}

std::string_view in_words(Engine engine) {
  return engine == Engine::kMonitor ? "monitor" : engine == Engine::kFrontier ? "frontiers" : "search";
}

// Where several engines were to be asked, or the monitor alone.
PlanSummary summarise_engines(const Plan& plan, const BoundHistory& history,
                              std::span<const PartVerdict> verdicts) {
  const Engine first = plan.engines[0];
  if (verdicts.empty()) return {{first}, "the history is empty"};
  std::vector<Engine> engines;
  std::vector<std::string> counts;
  for (const Engine engine : plan.engines) {
    const auto decided = static_cast<std::size_t>(std::ranges::count_if(verdicts, [&](const PartVerdict& v) {
      return v.decided_by == engine && (engine == first || v.outcome != Outcome::kUnknown);
    }));
    if (decided == 0) continue;
    const bool is_first = engines.empty();
    engines.push_back(engine);
    counts.push_back(fmt::format("{} by {}", is_first ? count_of(decided, "part") : fmt::to_string(decided),
                                 in_words(engine)));
  }
  const auto* without = first_not_judged(verdicts);
  const bool search_first = plan.frontiers != nullptr && !plan.frontiers->comes_first;
  const std::string why_not = without != nullptr ? without->why_not
                              : engines.empty()  ? "nothing was decided"
                              : search_first     ? why_no_monitor(history)
                                                 : "the search came to an end before the frontiers did";
  if (plan.engines.size() == 1 && without != nullptr) {
    const std::string decided = counts.empty() ? "" : counts[0] + "; ";
    const std::string_view rest = counts.empty() ? "it" : "the others";
    return {{first}, fmt::format("{}no {} can judge {}: {}", decided, to_string(first), rest, why_not)};
  }
  if (engines.empty()) return {{plan.engines.back()}, why_not};
  if (engines.size() > 1) {
    const std::string& why = without == nullptr ? plan.why : why_not;
    return {std::move(engines), fmt::format("{}: {}", fmt::join(counts, ", "), why)};
  }
  const Engine only = engines[0];
  if (only == first) return {{only}, plan.why};
  return {{only}, only == Engine::kFrontier ? fmt::format("{}; {}", why_not, plan.frontiers->why) : why_not};
}

// Without relaxed classes, or a clock error, there is nothing for these to do.
Engine asked_engine(const CheckOptions& options) {
  const bool is_special = options.engine == Engine::kRelaxed || options.engine == Engine::kClocks;
  return is_special ? Engine::kAuto : options.engine;
}

}  // namespace

Plan make_plan(const BoundHistory& history, const CheckOptions& options) {
  Plan plan;
  const Engine engine = asked_engine(options);
  const bool by_itself = engine == Engine::kAuto;
  const bool may_be_monitor = by_itself || engine == Engine::kMonitor;
  const bool may_be_frontiers = by_itself || engine == Engine::kFrontier;
  plan.monitor = may_be_monitor ? find_monitor(history.family()) : nullptr;
  plan.frontiers = may_be_frontiers ? find_frontier_search(history) : nullptr;
  const bool all_keys = plan.monitor != nullptr && plan.monitor->all_keys && history.initial().is_null();
  const bool by_key = options.partition && engine != Engine::kBrute && !all_keys;
  plan.partition = by_key ? PartitionBy::kObjectAndKey : PartitionBy::kObject;
  if (plan.monitor != nullptr) plan.engines.push_back(Engine::kMonitor);
  if (plan.frontiers != nullptr) plan.engines.push_back(Engine::kFrontier);
  if (by_itself) plan.engines.push_back(Engine::kWgl);
  if (plan.monitor != nullptr) {
    plan.why = why_monitor(history, *plan.monitor);
  } else if (plan.frontiers != nullptr) {
    plan.why = plan.frontiers->why;
  } else if (may_be_monitor || may_be_frontiers) {
    plan.why = may_be_monitor ? why_no_monitor(history) : "this model has none";
  } else {
    plan.engines = {engine};
    plan.why = engine == Engine::kBrute ? "asked for: every order is tried" : "asked for";
    if (engine == Engine::kHitting && !options.hitting_only) plan.engines.push_back(Engine::kWgl);
  }
  return plan;
}

PartVerdict decide_part(const Part& part, const Plan& plan, const SearchLimits& limits,
                        const PartVerdict& earlier) {
  if (plan.engines.empty()) return not_judged(StopReason::kNoMonitor, plan.why);
  PartVerdict verdict;
  std::string why_not = earlier.why_not;
  std::uint64_t configurations = 0;
  std::span<const Engine> engines = plan.engines;
  for (; !engines.empty(); engines = engines.subspan(1)) {
    if (engines[0] == Engine::kMonitor && !why_not.empty()) continue;
    verdict = engines[0] == Engine::kFrontier && engines.size() > 1 ? search_in_turns(part, plan, limits)
                                                                    : ask(engines[0], part, plan, limits);
    verdict.configurations += configurations;
    if (verdict.why_not.empty()) break;
    configurations = verdict.configurations;
    if (why_not.empty()) why_not = verdict.why_not;
  }
  verdict.why_not = std::move(why_not);
  return verdict;
}

PlanSummary summarise(const Plan& plan, const BoundHistory& history, const CheckOptions& options,
                      std::span<const PartVerdict> verdicts) {
  PlanSummary summary;
  if (options.engine == Engine::kHitting) {
    summary = summarise_hitting(plan, verdicts);
  } else if (plan.monitor != nullptr || plan.frontiers != nullptr) {
    summary = summarise_engines(plan, history, verdicts);
  } else if (plan.engines.empty()) {
    const Engine engine = asked_engine(options);
    summary = {{engine},
               verdicts.empty() ? "the history is empty"
                                : fmt::format("no {} can judge it: {}", to_string(engine), plan.why)};
  } else {
    const bool is_empty = verdicts.empty() && asked_engine(options) == Engine::kAuto;
    summary = {{plan.engines[0]}, is_empty ? "the history is empty" : plan.why};
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
