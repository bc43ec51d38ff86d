#include "explain/relaxed.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace plumb {
namespace {

// "dequeue=3 would be enough", or that nothing is; empty where it is not known soon.
std::string what_would_do(const BoundHistory& history, const Violation& violation,
                          const CheckOptions& options) {
  constexpr Seconds kPatience(2);
  CheckOptions more = options;
  more.engine = Engine::kAuto;
  more.timeout = std::min(options.timeout.value_or(kPatience), kPatience);
  more.progress = {};
  more.relax.clear();
  for (const Relaxation& one : violation.relax) more.relax.push_back({one.operation, std::nullopt});
  const auto verdict = check(history.history(), history.model(), more);
  if (!verdict || verdict->outcome == Outcome::kUnknown) return "";
  if (verdict->outcome == Outcome::kHolds)
    return fmt::format(" It would be accepted with {}.", to_string(verdict->relax));
  return fmt::format(" No K up to {} is enough.", options.max_k);
}

}  // namespace

Explanation explain_relaxed(const BoundHistory& history, const Violation& violation,
                            const CheckOptions& options) {
  Explanation explanation;
  explanation.core = violation.operations;
  explanation.rules = {Rule::kCut};
  if (const std::size_t rest = history.history().size() - explanation.core.size(); rest != 0)
    explanation.dropped.push_back({"called later, and out of reach", rest});
  explanation.impossible = violation.stuck;
  explanation.prefix = walk(history.history(), history.model(), violation.legal_prefix);
  for (std::size_t i = 0; i < explanation.prefix.size(); ++i) {
    explanation.prefix[i].legal = violation.legal_prefix[i];
    explanation.prefix[i].operation = violation.prefix[i];
  }
  explanation.allowed_complete = false;
  explanation.named = {violation.stuck};
  explanation.sentence = fmt::format(
      "With {} there is no order, and no legal history close enough to it, in which {} can return.{}",
      to_string(violation.relax), history.history().describe(violation.stuck),
      what_would_do(history, violation, options));
  return explanation;
}

}  // namespace plumb
