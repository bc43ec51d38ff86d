#include "testing/judging_phase.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/message.hpp"
#include "testing/coverage_message.hpp"
#include "testing/lenient_model.hpp"
#include "testing/model_steps.hpp"
#include "testing/silent_failures.hpp"

namespace plumb::testing {

CheckOptions check_options(const TestCase& test) {
  CheckOptions options;
  options.jobs = 1;
  for (const auto& [operation, distance] : test.relaxed()) options.relax.push_back({operation, distance});
  return options;
}

std::string JudgingPhase::learnt() const {
  MessageWriter to;
  to.number(undecided_ ? 1 : 0).text(undecided_.value_or(""));
  write_coverage(coverage_ != nullptr ? coverage_->notes() : CoverageNotes{}, to);
  return to.take();
}

void JudgingPhase::learn(std::string_view learnt) {
  MessageReader from(learnt);
  const bool is_undecided = from.number() != 0;
  const std::string why(from.text());
  if (is_undecided && !undecided_) undecided_ = why;
  const CoverageNotes covered = read_coverage(from);
  if (coverage_ != nullptr) coverage_->add(covered);
}

std::unique_ptr<SerialSteps> JudgingPhase::specification() {
  cannot_grow_ = false;
  if (view_.test.chosen_model() == nullptr) {
    TreeSteps::Grow grows;
    if (grows_) grows = [this](SerialTree::Node node, std::size_t operation) { grow(node, operation); };
    return std::make_unique<TreeSteps>(tree_, view_.observed, std::move(grows));
  }
  history_ = view_.observed.history(view_.test, view_.layout);
  if (unstated_failure(*history_, *view_.test.chosen_model(), view_.test)) return nullptr;
  auto steps = model_steps(*view_.test.chosen_model(), *history_, view_.observed, view_.test);
  return steps ? std::move(*steps) : nullptr;
}

bool JudgingPhase::is_decided() {
  if (!cannot_grow_) return true;
  undecided_ = "a serial run that it is compared with did not end";
  return false;
}

void JudgingPhase::grow(SerialTree::Node node, std::size_t operation) {
  // Serial histories that contradict each other are found by phase 1; nothing can be compared with them.
  cannot_grow_ = cannot_grow_ || view_.limits.late() || view_.limits.asked_to_stop() ||
                 !ScenarioObserver::grow(tree_, node, operation, *execution_);
}

// Walks do not know whether the threads of the object end in serial runs.
std::optional<std::string> JudgingPhase::judge_closed_deadlock() {
  if (census_ != nullptr) return std::nullopt;
  return judge_outside(*execution_, ends_serially_);
}

std::string JudgingPhase::tell_blocked(std::size_t operation) {
  blocked_ = operation;
  return found(ViolationKind::kStuck,
               fmt::format("{} blocks forever, where no serial run with these results blocks",
                           view_.label(operation)));
}

std::optional<std::string> JudgingPhase::judge_by_model() {
  using Clock = RunLimits::Clock;
  CheckOptions options = check_options(view_.test);
  options.stop = view_.limits.stop;
  if (view_.limits.deadline)
    options.timeout = std::max(*view_.limits.deadline - Clock::now(), Clock::duration::zero());
  const Model& model = *view_.test.chosen_model();
  History as_run = view_.observed.history(view_.test, view_.layout);
  if (auto sentence = unstated_failure(as_run, model, view_.test)) return wrong(*std::move(sentence));
  const Lenient judged = lenient(std::move(as_run), model, view_.test);
  const auto verdict = plumb::check(judged.history, *judged.model, options);
  if (!verdict)
    return wrong(
        fmt::format("the test does not fit the model {}: {}", model.name(), verdict.error().message));
  if (verdict->outcome == Outcome::kUnknown) undecided_ = verdict->why;
  if (verdict->outcome != Outcome::kViolation) return std::nullopt;
  return found(ViolationKind::kNotLinearizable,
               verdict->violation->reason + needed_distance(judged.history, options));
}

std::optional<std::string> JudgingPhase::judge_what_does_not_fit() {
  auto sentence = judge_by_model();
  if (!sentence && !undecided_) undecided_ = "the model does not fit what was observed";
  return sentence;
}

bool JudgingPhase::is_beyond_judging() {
  if (view_.test.relaxed().empty() || !view_.has_open()) return false;
  undecided_ = "an operation blocks, and relaxed models do not say whether it may";
  return true;
}

// Of a relaxed test: how far operations would have had to move.
std::string JudgingPhase::needed_distance(const History& history, CheckOptions options) const {
  if (options.relax.empty()) return "";
  for (Relaxation& relax : options.relax) relax.k = std::nullopt;
  const auto verdict = plumb::check(history, *view_.test.chosen_model(), options);
  if (!verdict || verdict->outcome == Outcome::kUnknown) return "";
  if (verdict->outcome == Outcome::kViolation) return "; no distance would be enough";
  return fmt::format("; it would be right with {}", to_string(verdict->relax));
}

}  // namespace plumb::testing
