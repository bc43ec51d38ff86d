// The whole check, step by step: bind the history to the model, split it, decide the parts, and put the answers together.
#include <plumb/check.hpp>

#include <algorithm>
#include <tuple>

#include "check/clocks/clock_check.hpp"
#include "check/partition.hpp"
#include "check/plan.hpp"
#include "check/reason.hpp"
#include "check/relaxed/relaxed_check.hpp"
#include "check/replay.hpp"
#include "check/runner.hpp"

namespace plumb {
namespace {

using Clock = std::chrono::steady_clock;

// The parts' orders as one, up to the event `until`: each operation has a point in time, and points of one part never go
// back. A counting sort by the event that an operation takes effect before. `size(part)`, `point(part, k)`: their orders.
template <class Size, class At>
std::vector<OperationId> merge_orders(std::span<const Part> parts, std::size_t events, std::size_t until,
                                      const Size& size, const At& point) {
  std::vector<std::uint32_t> count(events + 2);
  const auto each = [&](const auto& take) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      for (std::size_t k = 0; k < size(i); ++k) {
        const Point at = point(i, k);
        if (const std::size_t position = parts[i].position_among_all(at.position); position <= until)
          take(at.operation, position);
      }
    }
  };
  each([&](OperationId, std::size_t position) { ++count[position + 1]; });
  for (std::size_t i = 1; i < count.size(); ++i) count[i] += count[i - 1];
  std::vector<OperationId> order(count.back());
  each([&](OperationId operation, std::size_t position) { order[count[position]++] = operation; });
  return order;
}

std::vector<OperationId> merge_linearizations(const History& history, std::span<const Part> parts,
                                              std::span<PartVerdict> verdicts) {
  if (parts.size() == 1) return std::move(verdicts[0].linearization).take_order();
  const auto size = [&](std::size_t i) { return verdicts[i].linearization.size(); };
  const auto point = [&](std::size_t i, std::size_t k) -> Point {
    return {verdicts[i].linearization.order()[k], verdicts[i].linearization.position(k)};
  };
  return merge_orders(parts, history.events().size(), history.events().size(), size, point);
}

// What all parts together explain: up to the first event that an undecided one does not.
Explained merge_explained(const History& history, std::span<const Part> parts,
                          std::span<const PartVerdict> verdicts) {
  std::size_t until = history.events().size();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (verdicts[i].outcome == Outcome::kHolds) continue;
    until = std::min(until, parts[i].position_among_all(reached_in(parts[i], verdicts[i])));
  }
  const auto size = [&](std::size_t i) {
    const auto& [linearization, reached] = std::tie(verdicts[i].linearization, verdicts[i].reached);
    return reached ? reached->order.size() : linearization.size();
  };
  const auto point = [&](std::size_t i, std::size_t k) -> Point {
    const auto& [linearization, reached] = std::tie(verdicts[i].linearization, verdicts[i].reached);
    return reached ? reached->order[k] : Point{linearization.order()[k], linearization.position(k)};
  };
  Explained explained = explained_before(history, until);
  explained.order = merge_orders(parts, history.events().size(), until, size, point);
  return explained;
}

// A budget was spent, and more of it would have brought the search further.
bool is_ended(StopReason spent) {
  return spent == StopReason::kTime || spent == StopReason::kMemory || spent == StopReason::kStopped;
}

Verdict combine(const BoundHistory& history, const Partition& partition, std::span<PartVerdict> verdicts) {
  Verdict verdict;
  verdict.outcome = Outcome::kHolds;
  std::optional<StopReason> spent;
  const PartVerdict* earliest = nullptr;  // of those with a violation, by the impossible return
  std::uint32_t earliest_at = 0;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const PartVerdict& part = verdicts[i];
    verdict.parts += part.parts;
    verdict.configurations += part.configurations;
    if (part.outcome == Outcome::kUnknown) {
      verdict.outcome = Outcome::kUnknown;
      spent = part.spent;
    } else if (part.outcome == Outcome::kViolation) {
      const std::uint32_t at = violated_at(partition.parts()[i], part);
      if (earliest != nullptr && earliest_at < at) continue;
      earliest = &part;
      earliest_at = at;
    }
  }
  if (earliest != nullptr) {
    verdict.outcome = Outcome::kViolation;
    verdict.violation = describe_violation(history, *earliest);
  }
  if (verdict.outcome == Outcome::kUnknown) {
    verdict.why = to_text(*spent);
    if (is_ended(*spent)) verdict.explained = merge_explained(history.history(), partition.parts(), verdicts);
  }
  if (verdict.outcome == Outcome::kHolds) {
    verdict.linearization = merge_linearizations(history.history(), partition.parts(), verdicts);
    if (verdicts.size() > 1 && !respects_time(history.history(), verdict.linearization)) {
      verdict.outcome = Outcome::kUnknown;
      verdict.linearization.clear();
      verdict.why = to_text(StopReason::kInternalError);
    }
  }
  return verdict;
}

// The largest of any part; none if a part was not proved by hitting families.
std::optional<unsigned> depth_of(std::span<const PartVerdict> verdicts) {
  unsigned depth = 0;
  for (const PartVerdict& verdict : verdicts) {
    if (!verdict.depth) return std::nullopt;
    depth = std::max(depth, *verdict.depth);
  }
  return depth;
}

// Nothing, if only the first round was wanted and did not decide it.
Result<std::optional<Verdict>> check_parts(const History& history, const Model& model,
                                           const CheckOptions& options, const DecideOptions& how);

// By the times as they are, and then with those that may be.
Result<std::optional<Verdict>> check_with_clock_error(const History& history, const Model& model,
                                                      const CheckOptions& options, const DecideOptions& how) {
  if (auto status = accepts_clock_error(history, options); !status) return status.error();
  CheckOptions plain = options;
  plain.clock_error = std::nullopt;
  auto verdict = check_parts(history, model, plain, how);
  if (!verdict || !*verdict) return verdict;
  const auto bound = BoundHistory::bind(history, model);
  if (!bound) return bound.error();
  return std::optional(check_clocks(*bound, options, std::move(**verdict)));
}

Result<std::optional<Verdict>> check_parts(const History& history, const Model& model,
                                           const CheckOptions& options, const DecideOptions& how) {
  if (options.clock_error) return check_with_clock_error(history, model, options, how);
  const auto start = Clock::now();
  const auto bound = options.relax.empty() ? BoundHistory::bind_as_family(history, model)
                                           : BoundHistory::bind(history, model);
  if (!bound) return bound.error();
  // What begins in no particular state and does nothing is fine, even for a model that must be told its state.
  const bool is_nothing = history.empty() && history.initial().is_null();
  if (auto states = model.states(history.values(), history.initial()); !states && !is_nothing) {
    return states.error();
  }
  if (!options.relax.empty()) {
    auto verdict = check_relaxed(*bound, options);
    if (!verdict) return verdict.error();
    return std::optional(std::move(verdict).value());
  }

  const Plan plan = make_plan(*bound, options);
  const Partition partition(*bound, plan.partition);
  auto verdicts = decide_parts(plan, *bound, partition, options, how);
  const auto wrong = std::ranges::find(verdicts, StopReason::kWrongClaim, &PartVerdict::spent);
  if (wrong != verdicts.end()) return Error{wrong->wrong_claim};

  Verdict verdict = combine(*bound, partition, verdicts);
  const bool left = std::ranges::find(verdicts, StopReason::kRound, &PartVerdict::spent) != verdicts.end();
  if (left && how.one_round) return std::optional<Verdict>();
  if (options.engine == Engine::kHitting) verdict.depth = depth_of(verdicts);
  const PlanSummary summary = summarise(plan, *bound, options, verdicts);
  verdict.engines = summary.engines;
  if (verdict.why.empty()) verdict.why = summary.why;
  verdict.elapsed = Clock::now() - start;
  return std::optional(std::move(verdict));
}

Result<Verdict> check_to_the_end(const History& history, const Model& model, const CheckOptions& options,
                                 const DecideOptions& how) {
  auto verdict = check_parts(history, model, options, how);
  if (!verdict) return verdict.error();
  return std::move(**verdict);
}

}  // namespace

Result<Verdict> check(const History& history, const Model& model, const CheckOptions& options) {
  return check_to_the_end(history, model, options, {});
}

Result<Verdict> check_with(const History& history, const Model& model, const CheckOptions& options,
                           PartExecutor& executor) {
  return check_to_the_end(history, model, options, {.executor = &executor});
}

Result<Verdict> check_watched(const History& history, const Model& model, const CheckOptions& options,
                              ReachedWatch& watch) {
  return check_to_the_end(history, model, options, {.watch = &watch});
}

Explained explained_before(const History& history, std::size_t position) {
  const auto before = history.events().first(position);
  Explained explained;
  explained.returned = static_cast<std::size_t>(std::ranges::count_if(before, &Event::is_return));
  explained.next = history.events()[position].operation();
  return explained;
}

Result<std::optional<Verdict>> check_if_easy(const History& history, const Model& model,
                                             const CheckOptions& options) {
  return check_parts(history, model, options, {.one_round = true});
}

std::string_view to_string(const Verdict& verdict) { return to_string(verdict.outcome, "linearizable"); }

std::string_view to_string(Engine engine) {
  switch (engine) {
    case Engine::kAuto:
      return "auto";
    case Engine::kMonitor:
      return "monitor";
    case Engine::kFrontier:
      return "frontier";
    case Engine::kWgl:
      return "wgl";
    case Engine::kHitting:
      return "hitting";
    case Engine::kBrute:
      return "brute";
    case Engine::kRelaxed:
      return "relaxed";
    case Engine::kClocks:
      return "clocks";
  }
  return "";
}

std::string to_string(std::span<const Engine> engines) {
  std::string text;
  for (const Engine engine : engines) (text += text.empty() ? "" : "+") += to_string(engine);
  return text;
}

}  // namespace plumb
