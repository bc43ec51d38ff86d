#include "testing/concurrent_phase.hpp"

#include <fmt/format.h>

#include "base/message.hpp"
#include "explore/strategies.hpp"

namespace plumb::testing {
namespace {

constexpr std::size_t kMostRemembered = 1'000'000;  // histories that were judged; others are judged again

}  // namespace

Exploration ConcurrentPhase::run(const ExploreOptions& options) {
  const engine::StrategyTraits traits = engine::strategy_traits(options);
  as_run_ = traits.judged_as_run || !options.replay.empty();
  reduced_ = !as_run_ && !traits.random;
  return explore(options, engine::ExplorationMode::kConcurrent);
}

engine::Monitor* ConcurrentPhase::monitor() {
  if (view_.test.chosen_model() != nullptr || !view_.test.relaxed().empty()) return nullptr;
  return &monitor_.emplace(tree_, view_.layout, view_.failures, view_.test.is_lock_free(), coverage_);
}

std::optional<std::string> ConcurrentPhase::judge_history(const engine::FinishedExecution& execution) {
  execution_ = &execution;
  if (const engine::Waiting waiting = execution.waiting_step();
      view_.test.is_lock_free() && waiting.what != nullptr) {
    return found(ViolationKind::kStuck,
                 fmt::format("{} is not lock-free: it may wait for another thread ({})",
                             view_.label(waiting.operation), waiting.what));
  }
  if (execution.is_deadlock() && !view_.has_open()) return judge_closed_deadlock();
  const auto happens_before = as_run_ ? happens_before_as_run(view_.observed) : execution.happens_before();
  const Hash128 key = key_of(view_.observed, happens_before, result_keys_, key_);
  if (census_ != nullptr) census_->note(key);
  if (!met_.insert(key).second) return std::nullopt;
  if (coverage_ != nullptr) coverage_->note(view_.observed, happens_before);
  other_order_.clear();
  if (judges_whole_orders()) return judge_relaxed(happens_before);
  const auto steps = specification();
  if (!steps) return judge_what_does_not_fit();
  auto refuted = refuted_by(*steps, happens_before);
  if (!refuted || is_beyond_judging()) return std::nullopt;
  if (auto sentence = judge_as_run()) return sentence;
  other_order_ = std::move(refuted->order);
  return "another order of its steps has no serial witness";
}

// A history that keeps happens-before and is wrong.
std::optional<Refuted> ConcurrentPhase::refuted_by(SerialSteps& steps,
                                                   std::span<const engine::HappensBefore> happens_before) {
  auto refuted = refute(view_.observed, happens_before, steps, view_.failures.of(view_.observed));
  return is_decided() ? std::move(refuted) : std::nullopt;
}

// What is wrong with the history as it is.
std::optional<std::string> ConcurrentPhase::judge_as_run() {
  if (view_.test.chosen_model() != nullptr && !view_.has_open()) return judge_by_model();
  const auto steps = specification();
  if (!steps) return judge_what_does_not_fit();
  const auto refuted = refuted_by(*steps, happens_before_as_run(view_.observed));
  if (!refuted) return std::nullopt;
  if (!view_.has_open())
    return found(ViolationKind::kNotLinearizable,
                 "no serial run has these results in an order that keeps what was observed");
  return tell_blocked(refuted->blocked.value_or(view_.first_open()));
}

std::string ConcurrentPhase::learnt() const {
  const std::vector<Hash128> met(met_.begin(), met_.end());
  return MessageWriter().text(JudgingPhase::learnt()).number(unseen_ ? 1 : 0).list<Hash128>(met).take();
}

void ConcurrentPhase::learn(std::string_view learnt) {
  MessageReader from(learnt);
  JudgingPhase::learn(from.text());
  if (from.number() != 0) cannot_run_other_order();
  for (const Hash128& key : from.list<Hash128>()) met_.insert(key);
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

}  // namespace plumb::testing
