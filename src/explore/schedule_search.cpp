#include "explore/schedule_search.hpp"

#include "explore/from_options.hpp"
#include "explore/strategies.hpp"
#include "explore/trace_hash.hpp"

namespace plumb::engine {
namespace {

constexpr std::uint64_t kRandomExecutions = 10'000;
constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};
constexpr std::uint64_t kLookAtClock = 256;

bool has_ended(Execution::End end) {
  return end == Execution::End::kDone || end == Execution::End::kDeadlock;
}

}  // namespace

Execution::End judge(ProgramRunner& runner, Observer& observer, Execution::End end) {
  Execution& execution = runner.execution();
  runner.begin_judging();
  auto sentence = observer.judge({runner, end == Execution::End::kDeadlock});
  if (runner.was_interrupted()) return Execution::End::kInterrupted;
  if (!sentence) return end;
  if (const auto other = observer.other_order(); !other.empty()) {
    const Execution::End again = execution.run(*runner.graph().follow(other));
    if (again == Execution::End::kInterrupted) return again;
    runner.begin_judging();
    sentence = has_ended(again) ? observer.judge_other_order({runner, again == Execution::End::kDeadlock})
                                : std::nullopt;
    if (runner.was_interrupted()) return Execution::End::kInterrupted;
    if (!sentence) {
      observer.cannot_run_other_order();
      return end;
    }
  }
  if (!runner.run_again()) return Execution::End::kInterrupted;
  execution.report_observer_finding(std::move(*sentence));
  return Execution::End::kFinding;
}

void tell_cut_off(const ProgramRunner& runner, const Observer* observer, const Watch& watch,
                  Exploration& result) {
  result.ended_by = watch.ended_by();
  tell_interrupted(runner.execution(), observer, runtime::Watchdog::standstill(), result);
}

ScheduleSearch::ScheduleSearch(ProgramRunner& runner, Strategy& strategy, const ExploreOptions& options,
                               Observer* observer, const Watch& watch, Exploration& result)
    : runner_(runner),
      strategy_(strategy),
      options_(options),
      observer_(observer),
      watch_(watch),
      result_(result),
      parts_(*this, runner, options, observer, watch, result),
      limit_(options.executions.value_or(strategy_traits(options).random ? kRandomExecutions : kNoLimit)) {}

bool ScheduleSearch::run() {
  const runtime::Watchdog watchdog(runner_.execution(), watch_.terms());
  do {
    const SearchedTo to = parts_.collect(search_round());
    if (to != SearchedTo::kEnd) return to == SearchedTo::kFinding;
  } while (strategy_.next_round());
  result_.exhausted = strategy_.complete();
  result_.ended_by = result_.exhausted ? SearchEnd::kExhausted : SearchEnd::kReplayed;
  if (result_.exhausted) result_.verdict = Outcome::kHolds;
  return false;
}

SearchedTo ScheduleSearch::search_round() {
  for (;;) {
    ++runs_;
    const Execution::End end = survey() ? run_one() : Execution::End::kInterrupted;
    if (end == Execution::End::kInterrupted) {
      tell_cut_off(runner_, observer_, watch_, result_);
      return SearchedTo::kLimit;
    }
    if (end == Execution::End::kFinding) return SearchedTo::kFinding;
    if (!strategy_.end()) return SearchedTo::kEnd;
    if (limit_met()) return SearchedTo::kLimit;
    if (!parts_.wanted() || !strategy_.can_be_split()) continue;
    strategy_.prepare_split();
    if (parts_.hand_over()) strategy_.leave_last_part();
  }
}

Execution::End ScheduleSearch::run_one() {
  Execution& execution = runner_.execution();
  Execution::End end = execution.run(strategy_);
  if (observer_ != nullptr && has_ended(end)) end = judge(runner_, *observer_, end);
  if (end == Execution::End::kInterrupted) return end;
  ++(end == Execution::End::kPruned ? result_.pruned : result_.executions);
  if (end == Execution::End::kDone && runner_.observed()) ++result_.outcomes[*runner_.observed()];
  if (options_.count_traces && has_ended(end)) {
    traces_.insert(
        static_cast<std::uint64_t>(trace_hash(execution.executed_steps(), execution.data_choices())));
    result_.traces = traces_.size();
  }
  return end;
}

bool ScheduleSearch::limit_met() {
  if (runtime::Watchdog::over() || (observer_ != nullptr && observer_->enough())) {
    result_.ended_by = watch_.ended_by();
    return true;
  }
  if (parts_.all_executions() >= limit_) {
    result_.ended_by = SearchEnd::kExecutions;
    return true;
  }
  if (options_.timeout && runs_ % kLookAtClock == 0 &&
      std::chrono::steady_clock::now() - begin_ > *options_.timeout) {
    result_.ended_by = SearchEnd::kTimeout;
    return true;
  }
  return false;
}

// A survey works on the stacks of the threads, and what it leaves there counts where loops are told by what they keep: so it is never
// one of the search, whose executions follow each other's choices. The last one is run once more for it; how that ends does not
// matter. False: it was interrupted.
bool ScheduleSearch::survey() {
  if (!runner_.surveys() || !is_survey_due(runs_)) return true;
  const Schedule schedule = runner_.schedule();
  return runner_.run_beside(*replay(schedule), observer_, result_.unwatched_writes) !=
         Execution::End::kInterrupted;
}

// In another process, the last part of the round.
SearchedTo ScheduleSearch::search_last_part() {
  strategy_.keep_last_part();
  return parts_.collect(search_round());
}

void ScheduleSearch::complete(SearchedPart& part) {
  part.leaves_more = strategy_.leaves_more();
  if (part.to != SearchedTo::kFinding) return;
  part.choices = runner_.execution().schedule();
  part.figures.replay = to_token(MemoryModel::kSequential, part.choices);
}

void ScheduleSearch::note(const SearchedPart& part) {
  if (part.leaves_more) strategy_.note_more_left();
}

bool ScheduleSearch::find_again(const Schedule& choices) {
  Execution::End end = runner_.execution().run(*replay(choices));
  if (observer_ != nullptr && has_ended(end)) end = judge(runner_, *observer_, end);
  return end == Execution::End::kFinding;
}

}  // namespace plumb::engine
