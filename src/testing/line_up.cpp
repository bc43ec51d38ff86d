#include "testing/line_up.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "plumb/check.hpp"
#include "testing/model_steps.hpp"

namespace plumb::testing {
namespace {

using Verdict = TestResult::Verdict;

constexpr std::uint64_t kSoloExecutions = 2'000;  // of a scenario
constexpr unsigned kSerialWatchdog = 1;           // seconds without a step: nothing holds up what runs alone
constexpr double kForever = 1e9;                  // seconds
constexpr std::size_t kMostRemembered = 1'000'000;  // histories that were judged; others are judged again

double since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// The kinds of the interface; what the engine finds has more names.
std::string kind_of(FindingKind kind) {
  switch (kind) {
#define PLUMB_FINDING(name, text, test_kind) \
  case FindingKind::name:                    \
    return test_kind;
#include "plumb/detail/findings.def"
#undef PLUMB_FINDING
  }
  return "";
}

}  // namespace

CheckOptions check_options(const TestCase& test) {
  CheckOptions options;
  options.jobs = 1;
  for (const auto& [operation, distance] : test.relaxed()) options.relax.push_back({operation, distance});
  return options;
}

LineUp::LineUp(const TestCase& test, Scenario scenario)
    : test_(test), scenario_(std::move(scenario)), layout_(scenario_), observed_(layout_), tree_(layout_) {
  // my::Queue<int> is called queue.
  const std::string plain = test.name().substr(0, test.name().find('<'));
  trace_name_ = plain.substr(plain.rfind(':') + 1);
  if (!trace_name_.empty())
    trace_name_[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(trace_name_[0])));
}

std::optional<SerialTree::Contradiction> LineUp::use(const std::vector<SerialHistory>& observed) {
  given_ = true;
  for (const SerialHistory& history : observed) {
    if (auto contradiction = tree_.add(history.order, history.results)) return contradiction;
  }
  return std::nullopt;
}

void LineUp::call_all(test::Object& object, std::size_t process) {
  for (std::size_t i = 0; i < layout_.count(process); ++i) {
    const std::size_t operation = layout_.first(process) + i;
    engine::call_operation(static_cast<std::uint32_t>(operation));
    observed_.call(operation);
    const Value result = object.run(layout_.invocation(operation), test_.values());
    engine::return_from_operation(static_cast<std::uint32_t>(operation));
    observed_.ret(operation, result);
  }
}

void LineUp::program(Program& p) {
  observed_.clear();
  std::unique_ptr<test::Object> object;
  try {
    object = test_.make();
  } catch (const std::exception& error) {
    const test::Aside aside;
    constructor_error_ = fmt::format("the constructor of {} throws: {}", test_.name(), error.what());
    return;
  } catch (...) {
    const test::Aside aside;
    constructor_error_ = fmt::format("the constructor of {} throws", test_.name());
    return;
  }
  object->name(p, trace_name_);
  call_all(*object, 0);
  for (std::size_t thread = 1; thread + 1 < layout_.processes(); ++thread) {
    p.thread([this, &object, thread] { call_all(*object, thread); });
  }
  p.run();
  call_all(*object, layout_.processes() - 1);
}

std::optional<std::string> LineUp::judge(bool deadlock) {
  if (!constructor_error_.empty()) return constructor_error_;
  if (phase_ == engine::ExplorationMode::kSolo) return std::nullopt;  // results were judged before
  if (phase_ == engine::ExplorationMode::kSerial) return judge_serial(deadlock);
  if (const engine::Waiting waiting = engine::waiting_step();
      test_.is_lock_free() && waiting.what != nullptr) {
    kind_ = "stuck";
    return fmt::format("{} is not lock-free: it may wait for another thread ({})", label(waiting.operation),
                       waiting.what);
  }
  const bool open = observed_.called() != observed_.returned();
  if (deadlock && !open) return judge_outside();
  const auto happens_before = as_run_ ? happens_before_as_run(observed_) : engine::happens_before();
  key_.clear();
  append_key(observed_, happens_before, key_);
  if (!met_.insert(key_).second) return std::nullopt;
  other_order_.clear();
  if (!test_.relaxed().empty() && !open) return judge_relaxed(happens_before);
  auto refuted = refuted_by(happens_before);
  if (!refuted) return std::nullopt;
  if (auto sentence = judge_as_run()) return sentence;
  other_order_ = std::move(refuted->order);
  return "another order of its steps has no serial witness";
}

void LineUp::note_ends(bool stuck) {
  const auto operations_of = [&](std::uint64_t calls) {
    std::uint64_t all = 0;
    for (; calls != 0; calls &= calls - 1) {
      const auto call = static_cast<std::size_t>(std::countr_zero(calls));
      all |= std::uint64_t{1} << (test_.invocations()[layout_.invocation(call)].operation % kMaxOperations);
    }
    return all;
  };
  ever_returned_ |= operations_of(observed_.returned());
  if (stuck && engine::ended_in_spin_loop())
    spun_forever_ |= operations_of(observed_.called() & ~observed_.returned());
}

// A history that the happens_before allow and that is wrong.
std::optional<Refuted> LineUp::refuted_by(std::span<const engine::HappensBefore> happens_before) {
  if (test_.chosen_model() == nullptr) {
    TreeSteps steps(tree_, layout_, observed_);
    return refute(observed_, happens_before, steps);
  }
  const History history = observed_.history(test_, layout_);
  const auto steps = model_steps(*test_.chosen_model(), history, observed_);
  if (!steps) return Refuted{};  // the sentence will say that the model does not fit
  return refute(observed_, happens_before, **steps);
}

// What is wrong with the history as it is.
std::optional<std::string> LineUp::judge_as_run() {
  const bool open = observed_.called() != observed_.returned();
  if (test_.chosen_model() != nullptr && !open) return judge_by_model();
  const auto refuted = refuted_by(happens_before_as_run(observed_));
  if (!refuted) return std::nullopt;
  if (!open) {
    kind_ = "not-linearizable";
    return "no serial run has these results in an order that keeps what was observed";
  }
  kind_ = "stuck";
  blocked_ = refuted->blocked.value_or(first_open());
  return fmt::format("{} blocks forever, where no serial run with these results blocks", label(*blocked_));
}

// The checkers judge whole histories, one by one.
std::optional<std::string> LineUp::judge_relaxed(std::span<const engine::HappensBefore> happens_before) {
  const ObservedHistory as_run = observed_;
  std::optional<std::string> sentence = judge_by_model();
  if (sentence) return sentence;
  each_order(as_run, happens_before, [&](const EventOrder& order) {
    if (asked_to_stop() || late()) undecided_ = true;
    if (undecided_) return false;
    observed_.clear();
    for (const auto& event : order)
      event.returns ? observed_.ret(event.operation, as_run.result(event.operation))
                    : observed_.call(event.operation);
    key_.clear();
    observed_.append_key(key_);
    const bool is_new =
        orders_.size() < kMostRemembered ? orders_.insert(key_).second : !orders_.contains(key_);
    if (is_new) sentence = judge_by_model();
    if (sentence) other_order_ = order;
    return !sentence.has_value();
  });
  observed_ = as_run;
  return sentence;
}

std::optional<std::string> LineUp::judge_serial(bool stuck) {
  if (stuck && observed_.called() == observed_.returned()) return judge_outside();
  note_ends(stuck);
  contradiction_ = tree_.add(observed_);
  if (!contradiction_) return std::nullopt;
  kind_ = "nondeterministic";
  const auto returned = [&](const std::optional<Value>& result) {
    return result ? "returned " + test_.values().to_json(*result) : std::string("blocked");
  };
  return fmt::format(
      "the object is not deterministic: after the same operations, one after another, {} once {} and once {}",
      label(contradiction_->order.back()), returned(contradiction_->before), returned(contradiction_->now));
}

std::optional<std::string> LineUp::judge_by_model() {
  CheckOptions options = check_options(test_);
  options.stop = stop_;
  if (deadline_) options.timeout = std::max(*deadline_ - Clock::now(), Clock::duration::zero());
  const History history = observed_.history(test_, layout_);
  const auto verdict = plumb::check(history, *test_.chosen_model(), options);
  if (!verdict) {
    kind_ = "error";
    return fmt::format("the test does not fit the model {}: {}", test_.chosen_model()->name(),
                       verdict.error().message);
  }
  if (verdict->outcome == plumb::Outcome::kUnknown) {
    undecided_ = true;
    undecided_why_ = verdict->why;
  }
  if (verdict->outcome != plumb::Outcome::kViolation) return std::nullopt;
  kind_ = "not-linearizable";
  return verdict->violation->reason + needed_distance(history, options);
}

// Of a relaxed test: how far operations would have had to move.
std::string LineUp::needed_distance(const History& history, CheckOptions options) const {
  if (options.relax.empty()) return "";
  for (Relax& relax : options.relax) relax.k = std::nullopt;
  const auto verdict = plumb::check(history, *test_.chosen_model(), options);
  if (!verdict || verdict->outcome == plumb::Outcome::kUnknown) return "";
  if (verdict->outcome == plumb::Outcome::kViolation) return "; no distance would be enough";
  return fmt::format("; it would be right with {}", to_string(verdict->relax));
}

ExploreOptions LineUp::engine_options(const Settings& settings) const {
  ExploreOptions options;
  options.order = settings.order;
  options.preemptions = settings.preemptions;
  options.executions = settings.executions;
  options.seed = settings.seed;
  options.seconds = settings.seconds;
  options.real_threads = settings.real_threads;
  options.races = test_.races();
  options.plain_points = !test_.races();  // else the order of plain accesses that race would not be known
  options.leaks = test_.leaks();
  options.replay = settings.replay;
  options.stop = settings.stop;
  options.note_after = settings.note_after;
  options.note = settings.note;
  return options;
}

void LineUp::take_over(const Exploration& found, Outcome& outcome) const {
  outcome.verdict = Verdict::kViolation;
  outcome.kind = found.kind == FindingKind::kCheck ? kind_ : kind_of(found.kind);
  outcome.message = found.message;
  outcome.trace = found.trace;
  outcome.evidence = found.evidence;
  outcome.token = found.replay;
  if (found.refused || !constructor_error_.empty() || outcome.kind == "error")
    outcome.verdict = Verdict::kError;
}

bool LineUp::serial_phase(const Settings& settings, Outcome& outcome) {
  const auto begin = Clock::now();
  phase_ = engine::ExplorationMode::kSerial;
  tree_ = SerialTree(layout_);
  Settings serial = settings;
  serial.order = SearchOrder::kDepthFirst;
  serial.preemptions = 0;
  serial.executions = 0;
  serial.replay.clear();
  // Races and leaks are faults of phase 2, too, and found there with an interleaving.
  ExploreOptions options = engine_options(serial);
  options.races = options.leaks = false;
  options.watchdog = kSerialWatchdog;
  const Exploration found = engine::explore([this](Program& p) { program(p); }, options, *this, phase_);
  outcome.serial_seconds = since(begin);
  outcome.serial_histories = tree_.full() + tree_.stuck();
  outcome.returned = ever_returned_;
  outcome.spun_forever = spun_forever_;
  if (found.verdict == Exploration::Verdict::kPass) return true;
  outcome.serial = true;
  outcome.cut = cut_of(found, settings);
  if (found.verdict == Exploration::Verdict::kUnknown) outcome.standing = found.message;
  if (found.verdict == Exploration::Verdict::kViolation) take_over(found, outcome);
  if (found.kind == FindingKind::kLivelock) {
    outcome.verdict = Verdict::kError;
    const std::size_t open = first_open();
    outcome.message = fmt::format("{} does not return although nothing else runs: {}",
                                  open < layout_.size() ? label(open) : "the object", found.message);
  }
  return false;
}

// What ended a search that has found nothing.
Cut LineUp::cut_of(const Exploration& ended, const Settings& settings) const {
  if (undecided_) return late() ? Cut::kTime : asked_to_stop() ? Cut::kStopped : Cut::kChecker;
  if (ended.verdict != Exploration::Verdict::kUnknown || ended.ended_by == "replay") return Cut::kNothing;
  if (ended.ended_by == "seconds") return Cut::kTime;
  if (ended.ended_by != "executions") return Cut::kStopped;
  const bool random = settings.order == SearchOrder::kRandom || settings.order == SearchOrder::kPct;
  return random ? Cut::kRandom : Cut::kExecutions;
}

Settings LineUp::with_time_left(const Settings& settings) const {
  constexpr double kLeast = 0.001;  // 0 would be no limit
  Settings rest = settings;
  if (deadline_)
    rest.seconds = std::max(std::chrono::duration<double>(*deadline_ - Clock::now()).count(), kLeast);
  return rest;
}

// The orders of independent steps are worked out, not run; but code that the engine does not see may make steps depend on each other
// that look independent. When an order turns out not to be one, nothing that was left out can be relied on: all are run.
void LineUp::concurrent_phase(const Settings& settings, Outcome& outcome) {
  explore_concurrently(settings, outcome);
  const bool found = outcome.verdict == Verdict::kViolation || outcome.verdict == Verdict::kError;
  if (!unseen_ || !reduced_ || found || asked_to_stop()) return;
  const Outcome reduced = outcome;
  Settings every = with_time_left(settings);
  every.order = SearchOrder::kDepthFirst;
  explore_concurrently(every, outcome);
  outcome.unseen = true;
  outcome.executions += reduced.executions;
  outcome.concurrent_seconds += reduced.concurrent_seconds;
}

void LineUp::explore_concurrently(const Settings& settings, Outcome& outcome) {
  const auto begin = Clock::now();
  phase_ = engine::ExplorationMode::kConcurrent;
  met_.clear();
  orders_.clear();
  as_run_ = settings.order == SearchOrder::kDepthFirst || !settings.replay.empty();
  reduced_ = settings.order == SearchOrder::kReduced && settings.replay.empty();
  const Exploration found =
      engine::explore([this](Program& p) { program(p); }, engine_options(settings), *this, phase_);
  outcome.concurrent_seconds = since(begin);
  outcome.executions = found.executions;
  outcome.histories = met_.size();
  outcome.exhausted = found.exhausted;
  outcome.unwatched_writes = found.unwatched_writes;
  outcome.fuses_call_with_first_step = engine::fuses_call_with_first_step(engine_options(settings));
  const bool all = found.verdict == Exploration::Verdict::kPass && !undecided_;
  outcome.verdict = all ? Verdict::kPass : Verdict::kUnknown;
  outcome.cut = cut_of(found, settings);
  if (outcome.cut == Cut::kChecker) outcome.message = undecided_why_;
  if (found.verdict == Exploration::Verdict::kUnknown) outcome.standing = found.message;
  if (found.verdict == Exploration::Verdict::kViolation) take_over(found, outcome);
}

void LineUp::progress_phase(const Settings& settings, Outcome& outcome) {
  phase_ = engine::ExplorationMode::kSolo;
  ExploreOptions options = engine_options(settings);
  options.order = SearchOrder::kRandom;
  options.executions = kSoloExecutions;
  const Exploration found = engine::explore([this](Program& p) { program(p); }, options, *this, phase_);
  outcome.executions += found.executions;
  if (found.verdict == Exploration::Verdict::kViolation) {
    take_over(found, outcome);
    outcome.solo = true;
  } else if (found.executions < kSoloExecutions && settings.replay.empty()) {
    outcome.verdict = Verdict::kUnknown;
    outcome.cut = asked_to_stop() ? Cut::kStopped : Cut::kTime;
    outcome.standing = found.message;
  }
}

void LineUp::begin(const Settings& settings) {
  stop_ = settings.stop;
  trace_ = settings.trace;
  cannot_end_ = settings.cannot_end;
  deadline_.reset();
  if (settings.seconds > 0 && settings.seconds < kForever)
    deadline_ = Clock::now() +
                std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(settings.seconds));
}

Outcome LineUp::run(const Settings& settings) {
  Outcome outcome;
  begin(settings);
  if (!given_ && test_.chosen_model() == nullptr) {
    if (!serial_phase(settings, outcome)) return outcome;
  }
  const bool claims = test_.is_lock_free() || test_.is_obstruction_free();
  if (settings.replay.empty() || !settings.solo) concurrent_phase(with_time_left(settings), outcome);
  if (claims && outcome.verdict != Verdict::kViolation && outcome.verdict != Verdict::kError &&
      (settings.replay.empty() || settings.solo)) {
    progress_phase(with_time_left(settings), outcome);
  }
  return outcome;
}

}  // namespace plumb::testing
