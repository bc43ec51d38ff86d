// A stress run from end to end: rounds, one after another; each recorded, and judged by another thread while the next
// one runs. Recordings are few: when all wait for their verdict, the runner waits too, so that checking is never far behind.
#include "plumb/stress.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <limits>
#include <thread>

#include <fmt/format.h>

#include "base/count_of.hpp"
#include "runtime/end_of_process.hpp"
#include "testing/error_result.hpp"
#include "testing/round_judge.hpp"
#include "testing/round_runner.hpp"
#include "testing/stress_report.hpp"
#include "testing/stress_scenarios.hpp"
#include "testing/time_shares.hpp"

namespace plumb {
namespace testing {
namespace {

using Now = std::chrono::steady_clock;

constexpr Seconds kDuration{5};                    // of a run that is told neither rounds nor a time
constexpr std::size_t kOperationsOfRound = 4'000;  // of all objects of a scenario together
constexpr std::size_t kFirstObjects = 50;          // of the first round, where the time is what counts
constexpr Seconds kTimeOfRound{0.05};              // from then on, if that is not too many objects
constexpr std::size_t kMostAhead = 1'000;          // rounds, of which each has its memory
constexpr std::array<std::uint32_t, 4> kPauses{1'000, 200, 50, 10};

Seconds since(Now::time_point begin) { return Now::now() - begin; }

class Stress {
 public:
  Stress(TestCase& test, const StressOptions& options) : test_(test), options_(options) {
    result_.test = test.name();
    result_.stress.emplace();
  }

  TestResult run() {
    if (auto status = prepare(); !status) return failed(status.error().text());
    if (!decided_) run_rounds();
    result_.elapsed = since(begin_);
    if (!error_.empty()) return failed(error_);
    finish_stress_report(test_, options_, wrong_, result_);
    return std::move(result_);
  }

 private:
  // A recording, free, in use by the runner, or waiting for its verdict.
  struct Waiting {
    Recording* recording;
    Round round;
    std::size_t objects;
    Now::time_point ended;
  };

  Status prepare();
  Status prepare_scenarios();
  void judge_the_sum();
  Status make_recordings();
  void run_rounds();
  Round next_round();
  bool run_one(Recording& recording);
  Recording* free_recording();
  void judge_all();
  [[nodiscard]] Result<Judgement> judged(const Waiting& waiting);
  void take(const Waiting& waiting, Result<Judgement> judgement);
  void give_up(std::unique_ptr<Round> round, const Recording& recording, RoundRunner::End end);
  [[nodiscard]] bool wants_more() const;
  [[nodiscard]] bool interrupted() const {
    return (options_.stop != nullptr && options_.stop->load()) ||
           (options_.timeout && since(begin_) > *options_.timeout);
  }
  [[nodiscard]] std::string why_interrupted() const {
    const bool asked = options_.stop != nullptr && options_.stop->load();
    return asked ? "it was interrupted"
                 : fmt::format("--timeout {} came", seconds_text(options_.timeout.value_or(Seconds::zero())));
  }
  TestResult failed(const std::string& message) { return error_result(std::move(result_), test_, message); }

  TestCase& test_;
  const StressOptions& options_;
  Now::time_point begin_ = Now::now();
  Now::time_point first_round_;
  std::optional<Seconds> duration_;  // none: no limit
  TestResult result_;
  std::string error_;
  std::vector<Scenario> scenarios_;
  std::string blocks_;  // how a scenario that was left out does
  std::unique_ptr<Workload> workload_;
  std::unique_ptr<RoundRunner> runner_;
  std::unique_ptr<RoundJudge> judge_;
  std::vector<std::unique_ptr<Recording>> recordings_;
  bool decided_ = false;                 // without a round
  std::uint64_t started_ = 0;            // rounds
  std::size_t objects_ = kFirstObjects;  // of the next round of a scenario

  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::vector<Recording*> free_;
  std::deque<Waiting> waiting_;
  bool over_ = false;     // no more rounds come
  bool settled_ = false;  // the verdict does not change any more
  std::optional<WrongRound> wrong_;
};

Status Stress::prepare() {
  if (auto status = test_.finish(); !status) return status;
  if (test_.destroys())
    return Error{
        "test.destroys_after(…): real threads share an object until all have ended; this is tested without "
        "--mode stress"};
  if (options_.threads == 0 || options_.operations == 0)
    return Error{"a round needs a thread and an operation"};
  if (options_.ahead > kMostAhead)
    return Error{fmt::format("at most {} rounds may wait for their verdict", kMostAhead)};
  duration_ = options_.duration || options_.rounds ? options_.duration : kDuration;
  std::size_t threads = options_.threads;
  if (!test_.scenarios().empty() || test_.chosen_model() == nullptr) {
    if (auto status = prepare_scenarios(); !status || decided_) return status;
    threads = 0;
    for (const Scenario& scenario : scenarios_) threads = std::max(threads, scenario.threads.size());
  } else {
    judge_ = judge_by_model(test_, round_check_options(test_, options_.jobs, options_.stop));
  }
  auto workload = make_workload(test_, threads);
  if (!workload) return workload.error();
  workload_ = std::make_unique<Workload>(std::move(*workload));
  if (auto status = make_recordings(); !status) return status;
  runner_ = std::make_unique<RoundRunner>(test_, *workload_, options_.pin);
  return Ok{};
}

// Small programs, those of the test or a sample; without a model each is run serially first.
Status Stress::prepare_scenarios() {
  std::optional<Seconds> left;
  if (options_.timeout) left = std::max(*options_.timeout - since(begin_), Seconds::zero());
  auto chosen = stress_scenarios(test_, options_, left);
  if (!chosen) return chosen.error();
  scenarios_ = std::move(chosen->scenarios);
  result_.scenarios = scenarios_.size();
  result_.stress->left_out = chosen->left_out;
  result_.stress->released = chosen->released;
  if (chosen->found.verdict == Outcome::kViolation || chosen->found.cut || scenarios_.empty()) {
    decided_ = true;
    result_.verdict = chosen->found.verdict;
    result_.kind = chosen->found.kind;
    result_.message = why_nothing_runs(*chosen, options_);
    return Ok{};
  }
  blocks_ = std::move(chosen->blocks);
  judge_ = judge_by_scenario(test_, round_check_options(test_, options_.jobs, options_.stop),
                             std::move(chosen->line_ups));
  return Ok{};
}

Status Stress::make_recordings() {
  RecorderOptions how;
  how.clock = options_.clock;
  if (test_.chosen_model() != nullptr && find_model(test_.chosen_model()->name()).ok())
    how.model = test_.chosen_model()->name();
  for (std::size_t i = 0; i < options_.ahead + 1; ++i) {
    auto recorder = Recorder::in_memory(how);
    if (!recorder) return recorder.error();
    Recording& recording = *recordings_.emplace_back(std::make_unique<Recording>());
    recording.recorder = std::move(*recorder);
    for (const auto& operation : test_.operations())
      recording.functions.push_back(recording.recorder->function(operation.name));
    for (std::size_t log = 0; log < workload_->threads + 1; ++log)
      recording.logs.push_back(&recording.recorder->thread());
    free_.push_back(&recording);
  }
  result_.stress->clock = recordings_.front()->recorder->clock();
  return Ok{};
}

bool Stress::wants_more() const {
  if (interrupted()) return false;
  if (options_.rounds && started_ >= *options_.rounds) return false;
  return !duration_ || since(first_round_) < *duration_;
}

void Stress::run_rounds() {
  result_.verdict = Outcome::kHolds;
  first_round_ = Now::now();
  std::thread judging([this] { judge_all(); });
  bool ended = true;
  while (ended && wants_more()) {
    Recording* const recording = free_recording();
    if (recording == nullptr) break;
    ended = run_one(*recording);
    if (options_.progress) {
      const std::scoped_lock lock(mutex_);
      options_.progress(fmt::format("{}: {}, {}", test_.name(), count_of(started_, "round"),
                                    count_of(result_.stress->operations, "operation")));
    }
  }
  {
    const std::scoped_lock lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  judging.join();
  result_.stress->rounds = started_;
  result_.executions = started_;
  judge_the_sum();
}

// Little that was run is not a pass, and neither is less than what was asked for.
void Stress::judge_the_sum() {
  if (result_.verdict != Outcome::kHolds) return;
  const StressFigures& figures = *result_.stress;
  std::string why;
  if (interrupted() && (options_.rounds ? started_ < *options_.rounds : since(first_round_) < *duration_)) {
    why = why_interrupted() + " before everything requested was run";
  } else if (test_.scenarios().size() > scenarios_.size()) {
    why = fmt::format("{} of the scenarios of the test may deadlock, and were not run: {}", figures.left_out,
                      blocks_);
  } else if (started_ < scenarios_.size()) {
    why = fmt::format("only {} of {} scenarios were run: more {} would run all", started_, scenarios_.size(),
                      options_.rounds ? "--samples" : "--seconds");
  } else if (result_.histories == 0) {
    why = "nothing was judged: the clock did not separate one operation from the next (use --clock counter)";
  } else if (figures.overlapping == 0 && workload_->threads > 1) {
    why = "no two operations overlapped in what was judged: more --seconds or --samples, or --pauses 10";
  } else {
    return;
  }
  result_.verdict = Outcome::kUnknown;
  result_.message = std::move(why);
}

// Waits for one, unless the verdict is found.
Recording* Stress::free_recording() {
  const auto begin = Now::now();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return settled_ || !free_.empty(); });
  result_.stress->waiting_time += since(begin);
  if (settled_) return nullptr;
  Recording* const recording = free_.back();
  free_.pop_back();
  return recording;
}

Round Stress::next_round() {
  Round round;
  round.number = started_;
  round.seed = options_.seed * 0xBF58'476D'1CE4'E5B9ULL + started_;
  const auto every_other = started_ % 2 == 0 ? 0 : kPauses[started_ / 2 % kPauses.size()];
  round.pauses = options_.pauses.value_or(every_other);
  std::size_t objects = 1;
  if (scenarios_.empty()) {
    round.operations = options_.operations;
  } else {
    round.scenario = &scenarios_[started_ % scenarios_.size()];
    objects = std::max<std::size_t>(1, kOperationsOfRound / std::max<std::size_t>(1, round.scenario->size()));
    // Where the time is what counts, it is not spent on one scenario: threads may be slow to meet.
    if (!options_.rounds) objects = std::min(objects, objects_);
  }
  const runtime::RunsUnderTest constructor([&] { return "the constructor of " + test_.name(); });
  for (std::size_t i = 0; i < objects; ++i) round.objects.push_back(test_.make());
  ++started_;
  return round;
}

bool Stress::run_one(Recording& recording) {
  auto round = std::make_unique<Round>();
  try {
    *round = next_round();
  } catch (const std::exception& error) {
    const std::scoped_lock lock(mutex_);
    error_ = fmt::format("the constructor of {} throws: {}", test_.name(), error.what());
    return false;
  }
  const std::size_t objects = round->objects.size();
  const auto begin = Now::now();
  const RoundRunner::End end = runner_->run(*round, options_.record ? &recording : nullptr, options_.stuck,
                                            [this] { return interrupted(); });
  if (end != RoundRunner::End::kEnded) {
    give_up(std::move(round), recording, end);
    return false;
  }
  const Seconds time = since(begin);
  result_.stress->running_time += time;
  const double in_time = static_cast<double>(objects) * (kTimeOfRound / std::max(time, Seconds(1e-6)));
  objects_ = static_cast<std::size_t>(std::clamp<double>(in_time, 1, kOperationsOfRound));
  {
    const runtime::RunsUnderTest destructor([&] { return "the destructor of " + test_.name(); });
    round->objects.clear();
  }
  {
    const std::scoped_lock lock(mutex_);
    waiting_.push_back({&recording, std::move(*round), objects, Now::now()});
    result_.stress->lag_rounds = std::max<std::uint64_t>(result_.stress->lag_rounds, waiting_.size());
  }
  changed_.notify_all();
  return true;
}

// The threads may be at it forever: what they use stays.
void Stress::give_up(std::unique_ptr<Round> round, const Recording& recording, RoundRunner::End end) {
  const std::string open = end == RoundRunner::End::kBusy ? "" : open_operations(*recording.recorder);
  // NOLINTBEGIN(bugprone-unused-return-value)
  (void)round.release();
  (void)runner_.release();
  (void)workload_.release();
  for (auto& each : recordings_) (void)each.release();
  // NOLINTEND(bugprone-unused-return-value)
  const std::scoped_lock lock(mutex_);
  result_.verdict = Outcome::kUnknown;
  if (end != RoundRunner::End::kStuck) {
    result_.message = fmt::format("{} in the middle of round {}{}", why_interrupted(), started_,
                                  open.empty() ? "" : "; these have not returned:" + open);
    return;
  }
  result_.message = fmt::format(
      "round {} was given up: no operation has returned for {} seconds (--stuck); these have not:{}{}",
      started_, options_.stuck.count(), open,
      scenarios_.empty() || test_.chosen_model() != nullptr
          ? ""
          : "\nRun serially, these calls always return: look for a lost wake-up or a deadlock, "
            "without "
            "--mode stress.");
}

void Stress::judge_all() {
  for (;;) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return over_ || !waiting_.empty(); });
    if (waiting_.empty() || settled_) return;
    const Waiting& next = waiting_.front();  // stays where it is while others come behind it
    lock.unlock();
    const auto begin = Now::now();
    auto judgement = judged(next);
    next.recording->recorder->clear();
    lock.lock();
    result_.stress->checking_time += since(begin);
    take(next, std::move(judgement));
    free_.push_back(next.recording);
    waiting_.pop_front();
    lock.unlock();
    changed_.notify_all();
  }
}

Result<Judgement> Stress::judged(const Waiting& waiting) {
  const Recorder& recorder = *waiting.recording->recorder;
  if (auto status = recorder.status(); !status) return status.error();
  if (!options_.record) return Judgement{.why = "nothing was recorded"};
  auto history = recorder.history();
  if (!history) return history.error();
  return judge_->judge(std::move(*history), waiting.round, waiting.objects);
}

void Stress::take(const Waiting& waiting, Result<Judgement> judgement) {
  StressFigures& figures = *result_.stress;
  if (!judgement) {
    error_ = judgement.error().message;
    settled_ = true;
    return;
  }
  figures.lag = std::max(figures.lag, since(waiting.ended));
  if (judgement->outcome != Outcome::kUnknown) {
    ++figures.judged;
    figures.operations += waiting.round.scenario == nullptr
                              ? options_.threads * options_.operations
                              : waiting.objects * waiting.round.scenario->size();
  }
  figures.overlapping += judgement->overlapping;
  figures.engine = judgement->engine;
  figures.why = judgement->why;
  result_.histories += judgement->histories;
  if (judgement->outcome == Outcome::kUnknown) {
    result_.verdict = Outcome::kUnknown;
    result_.message = fmt::format("round {} could not be judged: {}; fewer --operations make rounds shorter",
                                  waiting.round.number + 1, judgement->why);
  } else if (judgement->outcome == Outcome::kViolation) {
    result_.verdict = Outcome::kViolation;
    wrong_ = std::move(judgement->wrong);
    settled_ = true;
  }
}

}  // namespace
}  // namespace testing

TestResult run_stress(TestCase& test, const StressOptions& options) {
  return testing::Stress(test, options).run();
}

}  // namespace plumb
