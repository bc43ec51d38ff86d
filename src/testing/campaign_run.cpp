#include "testing/campaign_run.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/count_of.hpp"
#include "explore/memory_models.hpp"
#include "testing/scenario_answer.hpp"
#include "testing/test_run.hpp"

namespace plumb::testing {

CampaignRun::CampaignRun(RunContext& context, MemoryModel memory_model)
    : context_(context),
      memory_model_(memory_model),
      campaign_(*context.runner.plan(),
                {.budget = *context.time.limit(),
                 .workers = context.pool != nullptr ? context.pool->width() : context.jobs(),
                 .preemptions = context.options.explore.preemptions,
                 .shard = context.shard,
                 .memory_model = memory_model}) {
  take_known();
}

// What was done before counts as if it had been done now.
void CampaignRun::take_known() {
  for (const ScenarioPiece* piece : context_.known(memory_model_)) {
    const Task task{.number = piece->request.number,
                    .effort = piece->request.effort,
                    .share = piece->request.timeout.value_or(Seconds::zero())};
    campaign_.handed_out_before(task);
    take(task, piece->outcome, piece->took);
  }
}

std::optional<std::size_t> CampaignRun::run(Until until) {
  until_ = until;
  context_.go_on();
  if (failed_ || context_.merges()) {
    // Nothing is to be run.
  } else if (context_.pool != nullptr) {
    hand_out(*context_.pool);
  } else if (context_.jobs() > 1) {
    work::WorkerPool here = context_.workers(context_.jobs(), [this] { return fetch(); });
    hand_out(here);
  } else {
    run_here();
  }
  if (memory_model_ == models_of(context_.options).front()) {
    context_.result.scenarios = campaign_.begun();
    context_.result.campaign = campaign_.figures();
  }
  if (failed_) context_.result.executions = executions_;
  return failed_;
}

bool CampaignRun::fetch() {
  const Seconds passed = context_.time.passed();
  const bool is_far_enough =
      (until_.everything_small && !campaign_.first_part_waits()) || (until_.time && passed >= *until_.time);
  const bool goes_on = !failed_ && !context_.asked() && !is_far_enough;
  waits_ = goes_on && !next_ && may_wait_ && campaign_.waits(passed);
  if (goes_on && !next_ && !waits_) next_ = campaign_.next(passed);
  return next_.has_value() || waits_;
}

void CampaignRun::run_here() {
  while (!context_.stopped() && fetch()) {
    const Task task = *std::exchange(next_, std::nullopt);
    const Seconds begin = context_.time.passed();
    running_ = task.number;
    ScenarioResult outcome = context_.runner.run(task.number, task.share, task.effort);
    finish(task, std::move(outcome), context_.time.passed() - begin);
    running_.reset();
  }
}

void CampaignRun::hand_out(work::WorkerPool& pool) {
  struct Begun {
    Task task;
    Seconds at{};
  };
  std::map<std::size_t, Begun> begun;    // by item
  may_wait_ = context_.pool == nullptr;  // whose processes help each other
  const auto request = [&](std::size_t item) -> std::optional<std::string> {
    // A pool that does not ask first has an item over at the end: one that is done at once.
    Task task{.effort = {.kind = Effort::Kind::kWalks, .memory_model = memory_model_},
              .share = Seconds::zero()};
    const bool goes_on = fetch();
    if (waits_) return std::nullopt;
    if (goes_on) task = *std::exchange(next_, std::nullopt);
    begun[item] = {.task = task, .at = context_.time.passed()};
    return ScenarioRequest{context_.test.name(), task.number, task.share, task.effort}.message();
  };
  const auto taken = [&](const work::WorkDone& done) -> std::size_t {
    const auto [task, at] = begun.extract(done.item).mapped();
    auto outcome = done.died ? context_.of_dead(task.number, *done.died) : from_answer(done.answer);
    if (!outcome) outcome = context_.runner.run(task.number, task.share, task.effort);
    finish(task, std::move(*outcome), context_.time.passed() - at);
    context_.is_over = failed_ && std::ranges::none_of(begun, [&](const auto& each) {
                         return may_come_first(each.second.task);
                       });
    return failed_ || context_.stopped() || !fetch() ? 0 : std::numeric_limits<std::size_t>::max();
  };
  pool.run(std::numeric_limits<std::size_t>::max(), request, taken);
  if (failed_) return;
  for (const auto& [_, left] : begun)
    take(left.task, context_.without_end("a process that ran a scenario did not end, and was killed"), {});
}

// The smallest scenario that fails counts, not the fastest: a smaller one that was begun before is waited for.
bool CampaignRun::may_come_first(const Task& task) const {
  return task.effort.kind == Effort::Kind::kProof && task.number < *failed_;
}

void CampaignRun::finish(const Task& task, ScenarioResult outcome, Seconds took) {
  context_.keep({context_.test.name(), task.number, task.share, task.effort}, outcome, took);
  take(task, std::move(outcome), took);
}

void CampaignRun::take(const Task& task, ScenarioResult outcome, Seconds took) {
  campaign_.take(task, outcome, took);
  executions_ += outcome.executions;
  // What a pass counts is what was exhausted: that is the same in each run. Walks have figures of their own.
  const bool counts = outcome.verdict == Outcome::kHolds;
  if (counts) exhausted_ += outcome.executions;
  if (!counts) outcome.executions = outcome.histories = outcome.serial_histories = 0;
  context_.add(task.number, outcome);
  const bool passes_over = outcome.refused && memory_model_ != MemoryModel::kSequential;
  if (passes_over) refused_.try_emplace(task.number, outcome);
  if (outcome.has_finding() && !passes_over) {
    if (failed_ && *failed_ < task.number) return;
    failed_ = task.number;
    found_ = std::move(outcome);
  } else if (task.number < context_.runner.plan()->first_size() && task.effort.kind == Effort::Kind::kProof) {
    context_.result.unseen += outcome.unseen ? 1 : 0;
    open_.insert_or_assign(task.number, std::move(outcome));
  }
  if (context_.options.progress) say_progress();
}

void CampaignRun::say_progress() const {
  const CampaignFigures figures = campaign_.figures();
  std::size_t small = 0;
  std::size_t further = 0;
  for (const ExhaustedShape& shape : figures.first) small += shape.scenarios;
  for (const ExhaustedShape& shape : figures.further) further += shape.scenarios;
  context_.options.progress(
      fmt::format("{}: {} of {} small scenarios and {} larger ones exhausted, {}, {}, at most {:.0f} s left",
                  context_.test.name(), small, context_.runner.plan()->first_size(), further,
                  count_of(executions_, "execution"), count_of(context_.result.histories, "history"),
                  context_.time.left()->count()));
}

void CampaignRun::name_missing(std::size_t end) {
  const std::size_t small = std::min(end, context_.runner.plan()->first_size());
  for (std::size_t number = 0; context_.merges() && number < small; ++number) {
    if (!open_.contains(number)) open_.emplace(number, context_.missing(number));
  }
}

bool CampaignRun::is_all_refused() const {
  return !refused_.empty() && exhausted_ == 0 && campaign_.figures().walks == 0;
}

ModelFigures CampaignRun::figures() const {
  ModelFigures figures{.memory_model = memory_model_,
                       .executions = exhausted_,
                       .exhausted = campaign_.first_part_done(),
                       .not_run = not_run()};
  const CampaignFigures all = campaign_.figures();
  figures.shapes = all.first;
  figures.further = all.further;
  for (const auto* shapes : {&figures.shapes, &figures.further}) {
    for (const ExhaustedShape& shape : *shapes) figures.scenarios += shape.scenarios;
  }
  figures.walks = all.walks;
  return figures;
}

void CampaignRun::conclude(const std::string& standing) {
  TestResult& result = context_.result;
  if (running_ && !standing.empty()) open_.insert_or_assign(*running_, context_.without_end(standing));
  result.models.push_back(figures());
  if (result.models.size() == 1) {
    result.scenarios = campaign_.begun();
    result.campaign = campaign_.figures();
    result.verdict = Outcome::kHolds;
    result.exhausted = true;
  } else if (result.verdict != Outcome::kHolds) {
    return;  // it is unknown already, and why
  }
  const std::span small = std::span(context_.runner.scenarios()).first(context_.runner.plan()->first_size());
  note_unfinished(context_.options, small, open_, result, context_.shard);
  if (result.verdict == Outcome::kHolds) return;
  if (memory_model_ != MemoryModel::kSequential)
    result.message = fmt::format("under {} {}", engine::word_of(memory_model_), result.message);
  constexpr std::size_t kShown = 3;
  for (std::size_t i = 0; i < std::min(kShown, result.unfinished.size()); ++i)
    result.message +=
        fmt::format("{}{}", i == 0 ? "; not exhausted: " : ", ",
                    described(context_.runner.scenarios()[result.unfinished[i] - 1], context_.test));
  if (result.unfinished.size() > kShown)
    result.message += fmt::format(" and {} more", result.unfinished.size() - kShown);
}

}  // namespace plumb::testing
