// An explanation, step by step: find the core, ask what it allowed, walk through what came before, say it.
#include <plumb/explain.hpp>

#include <algorithm>
#include <cassert>
#include <memory>

#include <absl/container/flat_hash_map.h>

#include "check/frontier/frontier.hpp"
#include "explain/clocks.hpp"
#include "explain/core.hpp"
#include "explain/narrative.hpp"
#include "explain/relaxed.hpp"
#include "history/same_spelling.hpp"
#include "proof/rules.hpp"

namespace plumb {
namespace {

// For the search for a core, unless the caller says how long.
constexpr Seconds kPatience(10);
constexpr std::size_t kMemory = std::size_t{1} << 30U;

// What the core alone says about its impossible return.
DeadEnd look_at(const BoundHistory& history, const Core& core, const Budget& budget, std::size_t memory) {
  std::vector<std::uint32_t> scratch(history.history().size());
  const Part part{&history, core.events, {}, scratch};
  const SearchLimits limits{.budget = &budget, .memory = memory, .configurations = 1'000'000};
  if (const auto* frontiers = find_frontier_search(history.family())) {
    PartVerdict verdict = frontiers->search(part, limits);
    if (verdict.outcome == Outcome::kViolation && verdict.stuck.operation == core.impossible)
      return std::move(verdict.stuck);
  }
  DeadEnd stuck;
  stuck.operation = core.impossible;
  explain_dead_end(part, *fresh_states(history), limits, stuck);
  return stuck;
}

// The times as they are do not show it: it was decided with a clock error.
bool is_by_clocks(const Verdict& verdict) {
  return std::ranges::find(verdict.engines, Engine::kClocks) != verdict.engines.end();
}

// One part of a history along an order: the states it may be in.
struct Walked {
  std::unique_ptr<States> states;
  std::vector<StateId> now;
};

// Without a look at what other times would make of it.
Result<Explanation> explain_in_time(const History& history, const Model& model, const Verdict& verdict,
                                    const CheckOptions& options) {
  assert(verdict.outcome == Outcome::kViolation && verdict.violation);
  const bool by_clocks = options.clock_error && is_by_clocks(verdict);
  const bool is_plain = verdict.violation->relax.empty() && !by_clocks;
  const auto bound =
      is_plain ? BoundHistory::bind_as_family(history, model) : BoundHistory::bind(history, model);
  if (!bound) return bound.error();
  if (auto states = model.states(history.values(), history.initial()); !states) return states.error();
  if (by_clocks) return explain_with_clock_error(*bound, *verdict.violation, options);
  if (!is_plain) return explain_relaxed(*bound, *verdict.violation, options);
  const Budget budget(options.timeout.value_or(kPatience), options.stop);
  const std::size_t memory = std::min(options.memory.value_or(kMemory), kMemory);
  const Core core = find_core(*bound, *verdict.violation, budget, memory);
  const DeadEnd stuck = look_at(*bound, core, budget, memory);

  Explanation explanation;
  explanation.core = operations_of(core.events);
  explanation.dropped = core.dropped;
  explanation.rules = core.rules;
  explanation.minimal = core.minimal;
  explanation.impossible = core.impossible;
  std::vector<OperationId> order;
  for (const Point point : stuck.prefix) order.push_back(point.operation);
  explanation.prefix = walk(history, model, order);
  explanation.allowed = stuck.allowed;
  explanation.allowed_complete = stuck.allowed_complete;
  Sentence told = narrate(*bound, core, stuck);
  explanation.sentence = std::move(told.text);
  if (const std::string hint = same_spelling(history, core.impossible); !hint.empty())
    explanation.sentence += "; note that " + hint;
  explanation.named = std::move(told.named);
  return explanation;
}

}  // namespace

Result<Explanation> explain(const History& history, const Model& model, const Verdict& verdict,
                            const CheckOptions& options) {
  auto explanation = explain_in_time(history, model, verdict, options);
  if (!explanation || !verdict.violation->relax.empty() || is_by_clocks(verdict)) return explanation;
  const auto bound = BoundHistory::bind(history, model);
  if (bound) explanation->sentence += what_clocks_would_do(*bound, *verdict.violation, options);
  return explanation;
}

std::vector<ExplainedStep> walk(const History& history, const Model& model,
                                std::span<const OperationId> order, std::size_t from, std::size_t count) {
  constexpr std::size_t kMostMemory = std::size_t{1} << 28U;  // of the states of one part
  std::vector<ExplainedStep> steps;
  const auto bound = BoundHistory::bind(history, model);
  if (!bound) return steps;
  absl::flat_hash_map<std::pair<Value, Value>, Walked> parts;  // by object and key
  std::vector<StateId> next;
  for (std::size_t i = 0; i < order.size() && steps.size() < count; ++i) {
    const Call call = bound->call(order[i]);
    Walked& part = parts[{history.object(order[i]), model.key(call).value_or(kNull)}];
    if (!part.states) {
      auto states = model.states(history.values(), history.initial());
      if (!states) return steps;
      part.states = std::move(*states);
      part.now = {part.states->initial()};
    }
    next.clear();
    for (const StateId state : part.now) part.states->step(state, call, bound->result(order[i]), next);
    std::ranges::sort(next);
    next.erase(std::unique(next.begin(), next.end()), next.end());
    if (next.empty() || part.states->memory() > kMostMemory) return steps;
    part.now.swap(next);
    if (i >= from) steps.push_back({order[i], part.states->describe(part.now.front()), std::nullopt});
  }
  return steps;
}

Result<Certificate> certify(const History& history, const Model& model, const Verdict& verdict,
                            const CheckOptions& options) {
  if (is_by_clocks(verdict)) {
    return Error{
        "a verdict that depends on a clock error has no certificate: the rules of proofs are about the times "
        "as they are"};
  }
  const auto digest = digest_of(history, model);
  if (!digest) return digest.error();
  Certificate certificate;
  certificate.model = model.name();
  certificate.initial = history.values().to_json(history.initial());
  certificate.operations = history.size();
  certificate.digest = *digest;
  certificate.outcome = verdict.outcome;
  if (verdict.outcome == Outcome::kHolds) {
    certificate.order = verdict.linearization;
    if (verdict.legal != verdict.linearization && !verdict.relax.empty()) {
      certificate.relax = verdict.relax;
      certificate.legal = verdict.legal;
    }
  }
  if (verdict.outcome == Outcome::kViolation && !verdict.violation->relax.empty()) {
    certificate.core = verdict.violation->operations;
    certificate.impossible = verdict.violation->stuck;
    certificate.relax = verdict.violation->relax;
    certificate.rules = {Rule::kCut};
  } else if (verdict.outcome == Outcome::kViolation) {
    const auto explanation = explain_in_time(history, model, verdict, options);
    if (!explanation) return explanation.error();
    certificate.core = explanation->core;
    certificate.impossible = explanation->impossible;
    certificate.rules = explanation->rules;
  }
  return certificate;
}

}  // namespace plumb
