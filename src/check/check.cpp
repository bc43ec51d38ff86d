// The whole check, step by step: bind the history to the model, split it, decide the parts, and put the answers together.
#include <plumb/check.hpp>

#include "base/huge_pages.hpp"
#include "check/partition.hpp"
#include "check/plan.hpp"
#include "check/reason.hpp"
#include "check/replay.hpp"
#include "check/runner.hpp"

namespace plumb {
namespace {

using Clock = std::chrono::steady_clock;

std::string_view to_text(Spent spent) {
  switch (spent) {
    case Spent::kTime:
      return "the time limit was reached";
    case Spent::kMemory:
      return "the memory limit was reached";
    case Spent::kStopped:
      return "interrupted";
    case Spent::kTooLarge:
      return "too many operations for brute force";
    case Spent::kInternalError:
      return "internal error: the linearization found does not replay; please report it";
    case Spent::kNothing:
    case Spent::kNoMonitor:
    case Spent::kRound:
    case Spent::kCancelled:
      break;
  }
  return "";
}

// The parts' linearizations as one: each operation has a point in time, and points of one part never go back. A counting
// sort by the event that an operation takes effect before.
std::vector<OperationId> merge_linearizations(const History& history, std::span<const Part> parts,
                                              std::span<const PartVerdict> verdicts) {
  if (parts.size() == 1) {
    std::vector<OperationId> order;
    reserve_large(order, verdicts[0].linearization.size());
    for (const Point& point : verdicts[0].linearization) order.push_back(point.operation);
    return order;
  }
  std::vector<std::uint32_t> count(history.events().size() + 2);
  const auto position = [&](const Part& part, const Point& point) {
    if (point.position == part.events.size()) return history.events().size();
    return std::size_t{part.positions.empty() ? point.position : part.positions[point.position]};
  };
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (const Point& point : verdicts[i].linearization) ++count[position(parts[i], point) + 1];
  }
  for (std::size_t i = 1; i < count.size(); ++i) count[i] += count[i - 1];
  std::vector<OperationId> order(count.back());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (const Point& point : verdicts[i].linearization) {
      order[count[position(parts[i], point)]++] = point.operation;
    }
  }
  return order;
}

Verdict combine(const BoundHistory& history, const Partition& partition,
                std::span<const PartVerdict> verdicts) {
  Verdict verdict;
  verdict.outcome = Outcome::kLinearizable;
  std::optional<Spent> spent;
  for (const PartVerdict& part : verdicts) {
    verdict.parts += part.parts;
    verdict.configurations += part.configurations;
    if (verdict.outcome == Outcome::kViolation) continue;
    if (part.outcome == Outcome::kViolation) {
      verdict.outcome = Outcome::kViolation;
      verdict.violation = describe_violation(history, part);
    } else if (part.outcome == Outcome::kUnknown) {
      verdict.outcome = Outcome::kUnknown;
      spent = part.spent;
    }
  }
  if (verdict.outcome == Outcome::kUnknown && *spent != Spent::kNoMonitor) verdict.why = to_text(*spent);
  if (verdict.outcome == Outcome::kLinearizable) {
    verdict.linearization = merge_linearizations(history.history(), partition.parts(), verdicts);
    if (verdicts.size() > 1 && !respects_time(history.history(), verdict.linearization)) {
      verdict.outcome = Outcome::kUnknown;
      verdict.linearization.clear();
      verdict.why = to_text(Spent::kInternalError);
    }
  }
  return verdict;
}

}  // namespace

Result<Verdict> check(const History& history, const Model& model, const CheckOptions& options) {
  const auto start = Clock::now();
  const auto bound = BoundHistory::bind(history, model);
  if (!bound) return bound.error();
  // What begins in no particular state and does nothing is fine, even for a model that must be told its state.
  const bool is_nothing = history.empty() && history.initial().is_null();
  if (auto states = model.states(history.values(), history.initial()); !states && !is_nothing) {
    return states.error();
  }

  const Partition partition(*bound, choose_partition(*bound, options));
  const auto verdicts = decide_parts(*bound, partition, options);

  Verdict verdict = combine(*bound, partition, verdicts);
  const PlanSummary plan = summarise_plan(*bound, options, verdicts);
  verdict.engine = plan.engine;
  if (verdict.why.empty()) verdict.why = plan.why;
  verdict.elapsed_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  return verdict;
}

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::kLinearizable:
      return "linearizable";
    case Outcome::kViolation:
      return "violation";
    case Outcome::kUnknown:
      return "unknown";
  }
  return "";
}

}  // namespace plumb
