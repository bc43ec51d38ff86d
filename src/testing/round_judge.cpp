#include "testing/round_judge.hpp"

#include <algorithm>
#include <span>
#include <unordered_set>

#include <fmt/format.h>

#include "testing/lenient_model.hpp"
#include "testing/observed_model.hpp"
#include "testing/reorderings.hpp"
#include "testing/silent_failures.hpp"

namespace plumb::testing {
namespace {

constexpr Seconds kTimeForOne{20};  // what is not judged by then is unknown: rounds are to be shorter

// Whether an operation was called while another was open.
bool overlaps(std::span<const Event> events) {
  bool open = false;
  for (const Event event : events) {
    if (open && !event.is_return()) return true;
    open = !event.is_return();
  }
  return false;
}

Result<Judgement> by_checkers(History history, std::shared_ptr<const Model> model,
                              const CheckOptions& options) {
  auto verdict = check(history, *model, options);
  if (!verdict)
    return Error{
        fmt::format("the test does not fit the model {}: {}", model->name(), verdict.error().message)};
  Judgement judgement{.outcome = verdict->outcome,
                      .engine = to_string(verdict->engines),
                      .why = verdict->why,
                      .histories = 1,
                      .overlapping = overlaps(history.events()) ? 1U : 0U};
  if (verdict->outcome == Outcome::kViolation)
    judgement.wrong = {std::move(history), std::move(model), std::move(*verdict)};
  return judgement;
}

class ModelJudge final : public RoundJudge {
 public:
  ModelJudge(const TestCase& test, CheckOptions options) : test_(test), options_(std::move(options)) {}
  Result<Judgement> judge(History history, const Round& /*round*/, std::size_t /*objects*/) override {
    if (auto sentence = unstated_failure(history, *test_.chosen_model(), test_))
      return Error{*std::move(sentence)};
    Lenient judged = lenient(std::move(history), *test_.chosen_model(), test_);
    return by_checkers(std::move(judged.history), std::move(judged.model), options_);
  }

 private:
  const TestCase& test_;
  CheckOptions options_;
};

class ScenarioJudge final : public RoundJudge {
 public:
  ScenarioJudge(const TestCase& test, CheckOptions options, std::vector<std::unique_ptr<LineUp>> line_ups)
      : test_(test), options_(std::move(options)), line_ups_(std::move(line_ups)), met_(line_ups_.size()) {}

  Result<Judgement> judge(History history, const Round& round, std::size_t objects) override {
    const std::size_t number = round.number % line_ups_.size();
    const LineUp& line_up = *line_ups_[number];
    Judgement judgement{.outcome = Outcome::kHolds,
                        .engine = "line-up",
                        .why = "the object, run serially, is the specification"};
    for (const ObservedHistory& observed : split(history, line_up.layout(), objects)) {
      if (observed.events().empty()) continue;
      key_.clear();
      observed.append_key(key_);
      if (!met_[number].insert(key_).second) continue;
      ++judgement.histories;
      if (overlaps(observed.events())) ++judgement.overlapping;
      if (test_.chosen_model() == nullptr && has_witness(line_up, observed)) continue;
      auto one = judge_one(line_up, observed);
      if (!one) return one.error();
      one->histories = judgement.histories;
      one->overlapping = judgement.overlapping;
      if (one->outcome != Outcome::kHolds) return one;
      if (test_.chosen_model() == nullptr)
        return Error{"the witnesses and the checkers disagree; please report this"};
      judgement.engine = one->engine;
      judgement.why = one->why;
    }
    return judgement;
  }

 private:
  [[nodiscard]] Result<Judgement> judge_one(const LineUp& line_up, const ObservedHistory& observed) const {
    History history = observed.history(test_, line_up.layout());
    if (test_.chosen_model() == nullptr) {
      auto model =
          observed_model(test_, line_up.layout(), line_up.tree(), line_up.failures().permitted(observed));
      return by_checkers(std::move(history), std::move(model), options_);
    }
    if (auto sentence = unstated_failure(history, *test_.chosen_model(), test_))
      return Error{*std::move(sentence)};
    Lenient judged = lenient(std::move(history), *test_.chosen_model(), test_);
    return by_checkers(std::move(judged.history), std::move(judged.model), options_);
  }

  static bool has_witness(const LineUp& line_up, const ObservedHistory& observed) {
    TreeSteps steps(line_up.tree(), observed);
    return !refute(observed, happens_before_as_run(observed), steps, line_up.failures().of(observed));
  }

  // What happened to each object. Every thread goes through the objects in their order, and so does the one that runs what is before
  // and after: the place of an operation in its process says which object and which call it is. Where a clock does not tell a return
  // from the next call of the same thread, the object is left out.
  std::vector<ObservedHistory> split(const History& history, const Layout& layout,
                                     std::size_t objects) const {
    std::vector<ObservedHistory> logs(objects, ObservedHistory(layout));
    std::vector<bool> unclear(objects);
    std::vector<std::size_t> passed(layout.processes());
    std::vector<std::pair<std::size_t, std::size_t>> place(history.size());  // object, operation
    const std::size_t last = layout.processes() - 1;
    for (const Event event : history.events()) {
      const OperationId id = event.operation();
      if (!event.is_return()) {
        std::size_t process = static_cast<std::size_t>(history.values().as_integer(history.process(id))) + 1;
        if (process >= last) process = passed[0] < objects * layout.count(0) ? 0 : last;
        const std::size_t nth = passed[process]++;
        const std::size_t count = layout.count(process);
        const auto [object, operation] = place[id] = {nth / count, layout.first(process) + nth % count};
        if (nth % count != 0 && !logs[object].returned(operation - 1)) unclear[object] = true;
        logs[object].call(operation);
      } else {
        logs[place[id].first].ret(place[id].second,
                                  test_.values().import(history.values(), history.result(id)));
      }
    }
    for (std::size_t i = 0; i < objects; ++i) {
      if (unclear[i]) logs[i].clear();
    }
    return logs;
  }

  const TestCase& test_;
  CheckOptions options_;
  std::vector<std::unique_ptr<LineUp>> line_ups_;
  std::vector<std::unordered_set<std::string>> met_;  // of each scenario: histories that were judged
  std::string key_;
};

}  // namespace

CheckOptions round_check_options(const TestCase& test, unsigned jobs, const std::atomic<bool>* stop) {
  CheckOptions options;
  options.jobs = jobs;
  options.stop = stop;
  options.timeout = kTimeForOne;
  for (const auto& [operation, distance] : test.relaxed()) options.relax.push_back({operation, distance});
  return options;
}

std::unique_ptr<RoundJudge> judge_by_model(const TestCase& test, CheckOptions options) {
  return std::make_unique<ModelJudge>(test, std::move(options));
}

std::unique_ptr<RoundJudge> judge_by_scenario(const TestCase& test, CheckOptions options,
                                              std::vector<std::unique_ptr<LineUp>> line_ups) {
  return std::make_unique<ScenarioJudge>(test, std::move(options), std::move(line_ups));
}

}  // namespace plumb::testing
