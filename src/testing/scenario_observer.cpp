#include "testing/scenario_observer.hpp"

#include <cctype>
#include <exception>
#include <memory>

#include <fmt/format.h>

namespace plumb::testing {
namespace {

// my::Queue<int> is called queue.
std::string trace_name_of(const std::string& subject) {
  const std::string plain = subject.substr(0, subject.find('<'));
  std::string name = plain.substr(plain.rfind(':') + 1);
  if (!name.empty()) name[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(name[0])));
  return name;
}

}  // namespace

ScenarioObserver::ScenarioObserver(const ScenarioView& view)
    : view_(view), trace_name_(trace_name_of(view.test.subject())) {}

Exploration ScenarioObserver::explore(const ExploreOptions& options, engine::ExplorationMode mode) {
  return engine::explore([this](Program& p) { program(p); }, options, *this, mode);
}

bool ScenarioObserver::ends_life(std::size_t operation) const {
  const auto& invocation = view_.test.invocations()[view_.layout.invocation(operation)];
  return view_.destroys && view_.test.operations()[invocation.operation].destroys;
}

// Nobody calls an object that is destroyed already. The engine does not see that this depends on another thread, and need not: the
// operation that ended its life has returned too early then, which is a finding.
void ScenarioObserver::call_all(std::unique_ptr<test::Object>& object, std::size_t process) {
  const Layout& layout = view_.layout;
  for (std::size_t i = 0; i < layout.count(process); ++i) {
    const std::size_t operation = layout.first(process) + i;
    if ((left_out_ >> operation & 1U) != 0) continue;
    engine::call_operation(static_cast<std::uint32_t>(operation));
    if (!object) return;  // it was destroyed until this call came to be the next
    const bool recorded = engine::records_history();
    if (recorded) view_.observed.call(operation);
    const Value result = object->run(layout.invocation(operation), view_.test.values());
    engine::return_from_operation(static_cast<std::uint32_t>(operation), result.bits());
    if (recorded) view_.observed.ret(operation, result);
    if (ends_life(operation)) object.reset();
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
  call_all(object, 0);
  for (std::size_t thread = 1; thread + 1 < view_.layout.processes(); ++thread) {
    program.thread([this, &object, thread] { call_all(object, thread); });
  }
  program.run();
  call_all(object, view_.layout.processes() - 1);
}

bool ScenarioObserver::grow(SerialTree& tree, SerialTree::Node node, std::size_t operation,
                            const engine::FinishedExecution& execution) {
  const Layout& layout = view_.layout;
  std::vector<std::size_t> kept = tree.path(node);
  kept.push_back(operation);
  std::vector<int> threads;
  std::vector<std::size_t> ends(layout.processes());  // behind the last call of each process that is made
  std::uint64_t made = 0;
  for (const std::size_t each : kept) {
    const std::size_t process = layout.process(each);
    made |= std::uint64_t{1} << each;
    ends[process] = each + 1;
    // The calls before and after all threads come by themselves.
    if (process != 0 && process + 1 != layout.processes()) threads.push_back(static_cast<int>(process));
  }
  const bool after = layout.process(operation) + 1 == layout.processes();
  for (std::size_t each = 0; each < layout.size(); ++each) {
    const std::size_t process = layout.process(each);
    const bool over = each < ends[process] || (process == 0 && operation >= layout.count(0)) ||
                      (after && process + 1 != layout.processes());
    if (over && (made >> each & 1U) == 0) left_out_ |= std::uint64_t{1} << each;
  }
  ObservedHistory judged(layout);
  std::swap(judged, view_.observed);
  const auto end = execution.run_serially(std::move(threads));
  const bool is_blocked = end == engine::FinishedExecution::SerialEnd::kBlocked && view_.has_open();
  const bool is_known = end == engine::FinishedExecution::SerialEnd::kDone || is_blocked;
  // A run that was cut off may have ended before the operation.
  const bool grown =
      is_known && !tree.add(view_.observed) && tree.child(node, operation) != SerialTree::kNone;
  std::swap(judged, view_.observed);
  left_out_ = 0;
  return grown;
}

std::optional<std::string> ScenarioObserver::judge(const engine::FinishedExecution& execution) {
  if (!constructor_error_.empty()) return constructor_error_;
  is_judging_ = true;
  auto sentence = judge_history(execution);
  is_judging_ = false;
  return sentence;
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
  if (is_judging_) return "the judging of an execution" + scenario;
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
