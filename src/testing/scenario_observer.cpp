#include "testing/scenario_observer.hpp"

#include <cctype>
#include <exception>
#include <memory>

#include <fmt/format.h>

namespace plumb::testing {
namespace {

// my::Queue<int> is called queue.
std::string trace_name_of(const std::string& test) {
  const std::string plain = test.substr(0, test.find('<'));
  std::string name = plain.substr(plain.rfind(':') + 1);
  if (!name.empty()) name[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(name[0])));
  return name;
}

}  // namespace

ScenarioObserver::ScenarioObserver(const ScenarioView& view)
    : view_(view), trace_name_(trace_name_of(view.test.name())) {}

Exploration ScenarioObserver::explore(const ExploreOptions& options, engine::ExplorationMode mode) {
  return engine::explore([this](Program& p) { program(p); }, options, *this, mode);
}

void ScenarioObserver::call_all(test::Object& object, std::size_t process) {
  const Layout& layout = view_.layout;
  for (std::size_t i = 0; i < layout.count(process); ++i) {
    const std::size_t operation = layout.first(process) + i;
    engine::call_operation(static_cast<std::uint32_t>(operation));
    const bool recorded = engine::records_history();
    if (recorded) view_.observed.call(operation);
    const Value result = object.run(layout.invocation(operation), view_.test.values());
    engine::return_from_operation(static_cast<std::uint32_t>(operation), result.bits());
    if (recorded) view_.observed.ret(operation, result);
  }
}

void ScenarioObserver::program(Program& program) {
  view_.observed.clear();
  std::unique_ptr<test::Object> object;
  try {
    object = view_.test.make();
  } catch (const std::exception& error) {
    const test::UninstrumentedScope scope;
    constructor_error_ = fmt::format("the constructor of {} throws: {}", view_.test.name(), error.what());
    return;
  } catch (...) {
    const test::UninstrumentedScope scope;
    constructor_error_ = fmt::format("the constructor of {} throws", view_.test.name());
    return;
  }
  object->name(program, trace_name_);
  call_all(*object, 0);
  for (std::size_t thread = 1; thread + 1 < view_.layout.processes(); ++thread) {
    program.thread([this, &object, thread] { call_all(*object, thread); });
  }
  program.run();
  call_all(*object, view_.layout.processes() - 1);
}

std::optional<std::string> ScenarioObserver::judge(const engine::FinishedExecution& execution) {
  if (!constructor_error_.empty()) return constructor_error_;
  return judge_history(execution);
}

// What the object does in threads of its own until it is destroyed cannot be run: run() waits for them, too. But threads that ended
// without the destructor when the operations came one after another are to do so always.
std::string ScenarioObserver::judge_outside(const engine::FinishedExecution& execution, bool ends_serially) {
  if (!execution.waits_for_threads())
    return found(
        ViolationKind::kStuck,
        "deadlock: no thread is enabled, and no operation is open: a constructor or destructor blocks");
  if (ends_serially)
    return found(
        ViolationKind::kStuck,
        "deadlock: threads that the object started never end, where they do in serial runs: no thread is "
        "enabled, and no operation is open");
  return wrong(
      "a thread that the object started has not ended after all operations have returned, and waits: "
      "plumb destroys the object only after all threads have ended, so a thread that the destructor is to "
      "end cannot be tested");
}

// Asked by the thread that watches, while another runs (explore/standstill.hpp): only what does not change is looked at, and the two
// words of the observed history.
std::string ScenarioObserver::who(int thread, std::optional<std::uint32_t> operation) const {
  const std::string scenario = " of the scenario " + described(view_.scenario, view_.test);
  if (thread != 0 || operation) {
    const std::string what = operation ? view_.label(*operation) : "what comes between two operations";
    const bool after = thread == 0 && view_.layout.process(*operation) != 0;
    const std::string where = thread != 0 ? fmt::format("in thread {}", thread)
                              : after     ? "after the threads"
                                          : "before the threads";
    return fmt::format("{} {}{}", what, where, scenario);
  }
  const char* what = view_.observed.called() == 0 ? "constructor" : "destructor";
  return fmt::format("a {} of {}{}", what, view_.test.name(), scenario);
}

std::string ScenarioObserver::operation_name(std::uint32_t operation) const {
  const auto& invocation = view_.test.invocations()[view_.layout.invocation(operation)];
  return view_.test.operations()[invocation.operation].name + "()";
}

void ScenarioObserver::cannot_be_ended(const std::string& sentence) {
  if (view_.limits.cannot_end) view_.limits.cannot_end(sentence);
}

}  // namespace plumb::testing
