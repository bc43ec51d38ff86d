#include "testing/concurrent_phase.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "explore/strategies.hpp"
#include "testing/model_steps.hpp"

namespace plumb::testing {
namespace {

constexpr std::size_t kMostRemembered = 1'000'000;  // histories that were judged; others are judged again

}  // namespace

CheckOptions check_options(const TestCase& test) {
  CheckOptions options;
  options.jobs = 1;
  for (const auto& [operation, distance] : test.relaxed()) options.relax.push_back({operation, distance});
  return options;
}

Exploration ConcurrentPhase::run(const ExploreOptions& options) {
  const engine::StrategyTraits traits = engine::strategy_traits(options);
  as_run_ = traits.judged_as_run || !options.replay.empty();
  reduced_ = !as_run_ && !traits.random;
  return explore(options, engine::ExplorationMode::kConcurrent);
}

engine::Monitor* ConcurrentPhase::monitor() {
  if (view_.test.chosen_model() != nullptr || !view_.test.relaxed().empty()) return nullptr;
  return &monitor_.emplace(tree_, view_.layout, view_.test.is_lock_free());
}

std::optional<std::string> ConcurrentPhase::judge_history(const engine::FinishedExecution& execution) {
  execution_ = &execution;
  if (const engine::Waiting waiting = execution.waiting_step();
      view_.test.is_lock_free() && waiting.what != nullptr) {
    return found(ViolationKind::kStuck,
                 fmt::format("{} is not lock-free: it may wait for another thread ({})",
                             view_.label(waiting.operation), waiting.what));
  }
  if (execution.is_deadlock() && !view_.has_open()) {
    // Walks do not know whether these threads end in serial runs.
    return census_ != nullptr ? std::nullopt : std::optional(judge_outside(execution, ends_serially_));
  }
  const auto happens_before = as_run_ ? happens_before_as_run(view_.observed) : execution.happens_before();
  key_.clear();
  append_key(view_.observed, happens_before, key_);
  if (census_ != nullptr) census_->note(key_, view_.observed);
  if (!met_.insert(key_).second) return std::nullopt;
  other_order_.clear();
  if (!view_.test.relaxed().empty() && !view_.has_open()) return judge_relaxed(happens_before);
  auto refuted = refuted_by(happens_before);
  if (!refuted) return std::nullopt;
  if (auto sentence = judge_as_run()) return sentence;
  other_order_ = std::move(refuted->order);
  return "another order of its steps has no serial witness";
}

// A history that keeps happens-before and is wrong.
std::optional<Refuted> ConcurrentPhase::refuted_by(std::span<const engine::HappensBefore> happens_before) {
  const ObservedHistory& observed = view_.observed;
  if (view_.test.chosen_model() == nullptr) {
    TreeSteps::Grow grows;
    if (grows_) grows = [this](SerialTree::Node node, std::size_t operation) { grow(node, operation); };
    TreeSteps steps(tree_, view_.layout, observed, std::move(grows));
    cannot_grow_ = false;
    auto refuted = refute(observed, happens_before, steps);
    if (!cannot_grow_) return refuted;
    undecided_ = "a serial run that it is compared with did not come to an end";
    return std::nullopt;
  }
  const History history = observed.history(view_.test, view_.layout);
  const auto steps = model_steps(*view_.test.chosen_model(), history, observed);
  if (!steps) return Refuted{};  // the sentence will say that the model does not fit
  return refute(observed, happens_before, **steps);
}

void ConcurrentPhase::grow(SerialTree::Node node, std::size_t operation) {
  if (cannot_grow_ || view_.limits.late() || view_.limits.asked_to_stop()) {
    cannot_grow_ = true;
    return;
  }
  std::vector<int> threads;
  const auto call = [&](std::size_t each) {
    const std::size_t process = view_.layout.process(each);
    // The calls before and after all threads come by themselves.
    if (process != 0 && process + 1 != view_.layout.processes()) threads.push_back(static_cast<int>(process));
  };
  for (const std::size_t each : tree_.path(node)) call(each);
  call(operation);
  ObservedHistory judged(view_.layout);
  std::swap(judged, view_.observed);
  const auto end = execution_->run_serially(std::move(threads));
  const bool is_blocked = end == engine::FinishedExecution::SerialEnd::kBlocked && view_.has_open();
  const bool is_known = end == engine::FinishedExecution::SerialEnd::kDone || is_blocked;
  // Serial histories that contradict each other are found by phase 1; nothing can be compared with them.
  if (!is_known || tree_.add(view_.observed)) cannot_grow_ = true;
  std::swap(judged, view_.observed);
}

// What is wrong with the history as it is.
std::optional<std::string> ConcurrentPhase::judge_as_run() {
  if (view_.test.chosen_model() != nullptr && !view_.has_open()) return judge_by_model();
  const auto refuted = refuted_by(happens_before_as_run(view_.observed));
  if (!refuted) return std::nullopt;
  if (!view_.has_open())
    return found(ViolationKind::kNotLinearizable,
                 "no serial run has these results in an order that keeps what was observed");
  blocked_ = refuted->blocked.value_or(view_.first_open());
  return found(ViolationKind::kStuck,
               fmt::format("{} blocks forever, where no serial run with these results blocks",
                           view_.label(*blocked_)));
}

// The checkers judge whole histories, one by one.
std::optional<std::string> ConcurrentPhase::judge_relaxed(
    std::span<const engine::HappensBefore> happens_before) {
  ObservedHistory& observed = view_.observed;
  const ObservedHistory as_run = observed;
  std::optional<std::string> sentence = judge_by_model();
  if (sentence) return sentence;
  each_order(as_run, happens_before, [&](const EventOrder& order) {
    if (view_.limits.asked_to_stop() || view_.limits.late()) undecided_ = "";
    if (undecided_) return false;
    observed.clear();
    for (const auto& event : order)
      event.returns ? observed.ret(event.operation, as_run.result(event.operation))
                    : observed.call(event.operation);
    key_.clear();
    observed.append_key(key_);
    const bool is_new =
        orders_.size() < kMostRemembered ? orders_.insert(key_).second : !orders_.contains(key_);
    if (is_new) sentence = judge_by_model();
    if (sentence) other_order_ = order;
    return !sentence.has_value();
  });
  observed = as_run;
  return sentence;
}

std::optional<std::string> ConcurrentPhase::judge_by_model() {
  using Clock = RunLimits::Clock;
  CheckOptions options = check_options(view_.test);
  options.stop = view_.limits.stop;
  if (view_.limits.deadline)
    options.timeout = std::max(*view_.limits.deadline - Clock::now(), Clock::duration::zero());
  const Model& model = *view_.test.chosen_model();
  const History history = view_.observed.history(view_.test, view_.layout);
  const auto verdict = plumb::check(history, model, options);
  if (!verdict)
    return wrong(
        fmt::format("the test does not fit the model {}: {}", model.name(), verdict.error().message));
  if (verdict->outcome == Outcome::kUnknown) undecided_ = verdict->why;
  if (verdict->outcome != Outcome::kViolation) return std::nullopt;
  return found(ViolationKind::kNotLinearizable,
               verdict->violation->reason + needed_distance(history, options));
}

// Of a relaxed test: how far operations would have had to move.
std::string ConcurrentPhase::needed_distance(const History& history, CheckOptions options) const {
  if (options.relax.empty()) return "";
  for (Relaxation& relax : options.relax) relax.k = std::nullopt;
  const auto verdict = plumb::check(history, *view_.test.chosen_model(), options);
  if (!verdict || verdict->outcome == Outcome::kUnknown) return "";
  if (verdict->outcome == Outcome::kViolation) return "; no distance would be enough";
  return fmt::format("; it would be right with {}", to_string(verdict->relax));
}

}  // namespace plumb::testing
