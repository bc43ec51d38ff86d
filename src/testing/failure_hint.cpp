#include "testing/failure_hint.hpp"

#include <optional>

#include <fmt/format.h>

#include "testing/reorderings.hpp"
#include "testing/spurious_failures.hpp"

namespace plumb::testing {
namespace {

constexpr Seconds kTime{1};  // for serial runs of a scenario that has been made small

// The scenario without one of its calls.
Scenario without(const LineUp& line_up, std::size_t operation) {
  const Layout& layout = line_up.layout();
  const std::size_t process = layout.process(operation);
  Scenario scenario = line_up.scenario();
  auto& calls = scenario.threads[process - 1];
  calls.erase(calls.begin() + static_cast<std::ptrdiff_t>(operation - layout.first(process)));
  return scenario;
}

// What was observed of all other calls, in the layout that they have then.
ObservedHistory without(const ObservedHistory& observed, const Layout& layout, std::size_t operation) {
  ObservedHistory others(layout);
  for (const Event event : observed.events()) {
    const std::size_t each = event.operation();
    if (each == operation) continue;
    const std::size_t number = each > operation ? each - 1 : each;
    event.is_return() ? others.ret(number, observed.result(each)) : others.call(number);
  }
  return others;
}

bool is_explained_without(const TestCase& test, const LineUp& failed, std::size_t operation) {
  LineUp rest(test, without(failed, operation));
  Settings settings{.trace = false};
  settings.explore.timeout = kTime;
  ScenarioResult outcome;
  if (!rest.run_serially(settings, outcome)) return false;
  const ObservedHistory observed = without(failed.observed(), rest.layout(), operation);
  TreeSteps steps(rest.tree(), observed);
  return !refute(observed, happens_before_as_run(observed), steps, rest.failures().of(observed));
}

}  // namespace

std::string may_fail_hint(const TestCase& test, const LineUp& failed) {
  const ObservedHistory& observed = failed.observed();
  const Layout& layout = failed.layout();
  if (test.chosen_model() != nullptr || test.destroys() || observed.called() != observed.returned())
    return "";
  // A call that fails alone fails by a fault, mostly: nobody is to be told how to hide that.
  const std::uint64_t contended = SpuriousFailures::contended(observed);
  for (std::size_t i = layout.count(0); i < layout.first(layout.processes() - 1); ++i) {
    const auto& operation = test.operations()[test.invocations()[layout.invocation(i)].operation];
    const bool has_failed = operation.failing && !operation.may_fail && (contended >> i & 1U) != 0 &&
                            observed.result(i) == *operation.failing;
    if (!has_failed || !is_explained_without(test, failed, i)) continue;
    return fmt::format(
        "Without {0}() of thread {1}, a serial run explains the rest. If it may return {2} while another "
        "operation runs, say so: test.operation(\"{0}\", …).may_fail_when_contended().",
        operation.name, layout.process(i), test.values().to_json(*operation.failing));
  }
  return "";
}

}  // namespace plumb::testing
