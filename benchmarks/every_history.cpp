#include "every_history.hpp"

#include <chrono>
#include <unordered_set>

#include <plumb/check.hpp>

#include "explore/observer.hpp"
#include "testing/observed_history.hpp"
#include "testing/scenario.hpp"

namespace plumb_bench {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

plumb::testing::Scenario scenario_of(const plumb::TestCase& test) {
  plumb::testing::Scenario scenario;
  scenario.before.assign(test.invocations_before().begin(), test.invocations_before().end());
  for (const auto& thread : test.scenarios().front())
    scenario.threads.emplace_back(thread.begin(), thread.end());
  scenario.after.assign(test.invocations_after().begin(), test.invocations_after().end());
  return scenario;
}

class EveryHistory final : public plumb::engine::Observer {
 public:
  explicit EveryHistory(const plumb::TestCase& test)
      : test_(test), layout_(scenario_of(test)), observed_(layout_) {
    options_.jobs = 1;
    for (const auto& [operation, distance] : test.relaxed()) options_.relax.push_back({operation, distance});
  }

  void program(plumb::Program& p) {
    observed_.clear();
    const auto object = test_.make();
    call_all(*object, 0);
    p.thread([&] { call_all(*object, 1); });
    p.thread([&] { call_all(*object, 2); });
    p.run();
    call_all(*object, 3);
  }

  std::optional<std::string> judge(const plumb::engine::FinishedExecution& execution) override {
    if (execution.is_deadlock()) return "deadlock";
    std::string key;
    observed_.append_key(key);
    if (!met_.insert(key).second) return std::nullopt;
    const plumb::History history = observed_.history(test_, layout_);
    const auto begin = Clock::now();
    const auto verdict = plumb::check(history, *test_.chosen_model(), options_);
    counts_.check_ms += milliseconds_since(begin);
    if (!verdict) return verdict.error().message;
    if (verdict->outcome == plumb::Outcome::kUnknown) return verdict->why;
    counts_.nodes += verdict->configurations;
    ++counts_.histories;
    if (verdict->outcome == plumb::Outcome::kViolation) ++counts_.wrong;
    return std::nullopt;
  }

  bool wants_trace() const override { return false; }
  Counts& counts() { return counts_; }

 private:
  void call_all(plumb::test::Object& object, std::size_t process) {
    for (std::size_t i = 0; i < layout_.count(process); ++i) {
      const std::size_t operation = layout_.first(process) + i;
      plumb::engine::call_operation(static_cast<std::uint32_t>(operation));
      observed_.call(operation);
      const plumb::Value result = object.run(layout_.invocation(operation), test_.values());
      plumb::engine::return_from_operation(static_cast<std::uint32_t>(operation), result.bits());
      observed_.ret(operation, result);
    }
  }

  const plumb::TestCase& test_;
  plumb::testing::Layout layout_;
  plumb::testing::ObservedHistory observed_;
  plumb::CheckOptions options_;
  std::unordered_set<std::string> met_;
  Counts counts_;
};

}  // namespace

Counts every_history(plumb::TestCase& test, double seconds) {
  if (!test.finish()) return {};
  const auto begin = Clock::now();
  EveryHistory every(test);
  plumb::ExploreOptions options;
  options.timeout = plumb::Seconds(seconds);
  const plumb::Exploration found =
      plumb::engine::explore([&](plumb::Program& p) { every.program(p); }, options, every,
                             plumb::engine::ExplorationMode::kConcurrent);
  every.counts().executions = found.executions;
  every.counts().elapsed_ms = milliseconds_since(begin);
  every.counts().complete = found.passed() && found.exhausted;
  return every.counts();
}

}  // namespace plumb_bench
