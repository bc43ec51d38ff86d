#include "check/audit.hpp"

#include <fmt/format.h>

#include "check/earliest.hpp"
#include "check/replay.hpp"

namespace plumb {
namespace {

// Events of a core that the class itself is searched for; the built-in model is, of any.
constexpr std::size_t kMostOfCore = 20'000;

Part with_own_model(const Part& part) {
  Part own = part;
  own.history = &part.history->own();
  return own;
}

bool replays_in(const Part& part, std::span<const OperationId> order) {
  return replays(part, order, *fresh_states(*part.history));
}

PartVerdict wrong_claim(const BoundHistory& history, const std::string& what) {
  PartVerdict verdict = PartVerdict::unknown(StopReason::kWrongClaim);
  verdict.wrong_claim = fmt::format("the model '{}' does not behave as a {}: {}",
                                    history.own().model().name(), to_string(history.family()), what);
  return verdict;
}

// In an order that does not replay: the operation that cannot come next.
std::string not_replayed(const BoundHistory& own, std::span<const OperationId> order) {
  const auto states = fresh_states(own);
  const auto run = states->start_run();
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (run->apply(own.call(order[i]), own.result(order[i]))) continue;
    return fmt::format(
        "after {} operations, in an order that explains the history, {} cannot come next in it", i,
        own.history().describe(order[i]));
  }
  return "it does not give the results of an order that explains the history";
}

PartVerdict audit_order(const Part& part, PartVerdict verdict) {
  const auto order = verdict.linearization.order();
  if (replays_in(with_own_model(part), order)) return verdict;
  if (part.history->is_by_claim() && replays_in(part, order))
    return wrong_claim(*part.history, not_replayed(part.history->own(), order));
  return PartVerdict::unknown(StopReason::kInternalError);
}

// The core of a violation that was found as one of the family's, by the class itself.
PartVerdict audit_core(const Part& part, PartVerdict verdict, const SearchLimits& limits) {
  if (!part.history->is_by_claim() || verdict.core.size() > kMostOfCore) return verdict;
  Part core = with_own_model(part);
  core.events = verdict.core;
  core.positions = {};
  SearchLimits own_limits = limits;
  own_limits.watch = nullptr;
  own_limits.configurations = kMostOfCore;
  const PartVerdict again = search_wgl(core, *fresh_states(*core.history), own_limits);
  if (again.outcome != Outcome::kHolds) return verdict;
  return wrong_claim(*part.history, fmt::format("it explains {}, which no {} does",
                                                part.history->history().describe(verdict.stuck.operation),
                                                to_string(part.history->family())));
}

}  // namespace

PartVerdict audit(const Part& part, PartVerdict verdict, const SearchLimits& limits) {
  switch (verdict.outcome) {
    case Outcome::kHolds:
      return audit_order(part, std::move(verdict));
    case Outcome::kViolation:
      return audit_core(part, std::move(verdict), limits);
    case Outcome::kUnknown:
      break;
  }
  return verdict;
}

PartVerdict audit_monitor(const Part& part, MonitorVerdict answer, const SearchLimits& limits) {
  PartVerdict verdict;
  verdict.outcome = Outcome::kHolds;
  if (answer.kind == MonitorVerdict::Kind::kViolation) {
    verdict = find_earliest(part, answer, limits);
    if (verdict.outcome == Outcome::kHolds)  // the search explains what the monitor says is impossible
      verdict = PartVerdict::unknown(StopReason::kInternalError);
  } else {
    verdict.linearization = std::move(answer.linearization);
  }
  verdict.parts = answer.parts;
  return audit(part, std::move(verdict), limits);
}

}  // namespace plumb
