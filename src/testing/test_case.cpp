#include "plumb/detail/test_case.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <typeindex>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <plumb/object_model.hpp>

#include "base/count_of.hpp"
#include "base/suggest.hpp"
#include "runtime/control.hpp"
#include "testing/lenient_model.hpp"

namespace plumb {
namespace test {

// runtime::EngineScope, for headers that know nothing of the engine. Elsewhere nothing is a step anyway, and threads of a stress run would
// meet at the variable.
UninstrumentedScope::UninstrumentedScope()
    : before_(runtime::t_fiber >= 0 && std::exchange(runtime::g_in_engine, true)) {}
UninstrumentedScope::~UninstrumentedScope() {
  if (runtime::t_fiber >= 0) runtime::g_in_engine = before_;
}

namespace {
std::mutex& print_mutex() {
  static std::mutex mutex;
  return mutex;
}
}  // namespace

PrintLock::PrintLock() {
  if (runtime::t_fiber < 0) print_mutex().lock();
}
PrintLock::~PrintLock() {
  if (runtime::t_fiber < 0) print_mutex().unlock();
}

std::any& printed_values(const std::type_info& type) {
  static std::map<std::type_index, std::any> tables;
  return tables[type];
}

std::string name_of(const std::type_info& type) {
  int status = 0;
  char* readable = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
  std::string text = status == 0 ? readable : type.name();
  std::free(readable);  // NOLINT(cppcoreguidelines-no-malloc)
  // Which namespace without a name does not matter.
  static constexpr std::string_view kNameless = "(anonymous namespace)::";
  for (auto at = text.find(kNameless); at != std::string::npos; at = text.find(kNameless))
    text.erase(at, kNameless.size());
  return text;
}

Value thrown(const std::exception* error, Values& values) {
  const UninstrumentedScope scope;
  const std::string text = error == nullptr ? std::string("something that is not a std::exception")
                                            : fmt::format("{}: {}", name_of(typeid(*error)), error->what());
  const std::array member{Member{values.string("throws"), values.string(text)}};
  return values.object(member);
}

std::optional<std::string_view> what_was_thrown(Value result, const Values& values) {
  if (values.kind(result) != ValueKind::kObject) return std::nullopt;
  const auto members = values.as_object(result);
  if (members.size() != 2 || values.as_string(members[0]) != "throws" ||
      values.kind(members[1]) != ValueKind::kString)
    return std::nullopt;
  return values.as_string(members[1]);
}

}  // namespace test

TestCase::TestCase(std::string name, std::uint64_t seed)
    : random_(seed), values_(std::make_shared<Values>()), name_(std::move(name)), subject_(name_) {}
TestCase::~TestCase() = default;

void TestCase::model(const std::string& name) {
  auto found = find_model(name);
  if (found) {
    model_ =
        std::shared_ptr<const Model>(std::shared_ptr<const Model>(), *found);  // plumb's own live forever
  } else {
    mistakes_.push_back(found.error().message);
  }
}

void TestCase::model(std::shared_ptr<const Model> model) { model_ = std::move(model); }

void TestCase::use_described_model(const std::type_info& type) {
  if (auto made = object::described_model(type)) return model(std::move(made));
  const std::string name = test::name_of(type);
  mistakes_.push_back(
      fmt::format("test.model<{0}>(): {0} is no plumb::Model, and no file of the program describes it: "
                  "PLUMB_MODEL({0}, model) {{ model.operation(…); }}",
                  name));
}

void TestCase::let_fail(std::size_t operation, Value result, bool only_contended) {
  test::Operation& it = operations_[operation];
  if (it.returns_nothing)
    mistakes_.push_back(
        fmt::format("{}() may fail, says the test, but it returns nothing that could say so", it.name));
  it.may_fail = {.result = result, .only_contended = only_contended};
}

void TestCase::let_fail(std::size_t operation, bool only_contended) {
  const test::Operation& it = operations_[operation];
  if (!it.failing && !it.returns_nothing)
    mistakes_.push_back(
        fmt::format("{0}() may fail, says the test, but not with which result, and {0}() returns neither a "
                    "bool nor an optional: .{1}(-1), if -1 means that it failed",
                    it.name, only_contended ? "may_fail_when_contended" : "may_fail"));
  let_fail(operation, it.failing.value_or(kNull), only_contended);
}

bool TestCase::any_may_fail() const {
  return std::ranges::any_of(operations_,
                             [](const test::Operation& each) { return each.may_fail.has_value(); });
}

std::string TestCase::label(std::size_t invocation) const {
  const test::Invocation& called = invocations_[invocation];
  std::vector<std::string> args;
  for (const Value arg : called.args) args.push_back(values_->to_json(arg));
  return fmt::format("{}({})", operations_[called.operation].name, fmt::join(args, ", "));
}

Result<std::size_t> TestCase::find_operation(const std::string& name) const {
  std::vector<std::string> names;
  for (const test::Operation& each : operations_) names.push_back(each.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    return Error{fmt::format("there is no operation \"{}\"{}", name, did_you_mean(name, names))};
  return static_cast<std::size_t>(found - names.begin());
}

Result<std::size_t> TestCase::find(const TestCall& call) {
  const auto found = find_operation(call.name());
  if (!found) return found.error();
  const std::size_t index = *found;
  const std::vector<Value> args = call.args(*values_);
  for (std::size_t i = 0; i < invocations_.size(); ++i) {
    if (invocations_[i].operation == index && invocations_[i].args == args) return i;
  }
  if (args.size() != operations_[index].parameters) {
    return Error{fmt::format("{} takes {}, but a scenario calls it with {}", call.name(),
                             count_of(operations_[index].parameters, "argument"), args.size())};
  }
  if (!add_invocation(index, args)) {
    std::vector<std::string> texts;
    texts.reserve(args.size());
    for (const Value arg : args) texts.push_back(values_->to_json(arg));
    return Error{fmt::format("{}({}): the arguments are not of the types that {} takes", call.name(),
                             fmt::join(texts, ", "), call.name())};
  }
  return invocations_.size() - 1;
}

bool TestCase::is_to_synchronise(std::size_t giver, std::size_t taker) const {
  return synchronises_all_ || std::ranges::any_of(synchronises_, [&](const auto& names) {
           return operations_[giver].name == names.first && operations_[taker].name == names.second;
         });
}

// What makes no sense together with the end of the object's life.
Status TestCase::finish_destruction() {
  if (!destroys_after_) return Ok{};
  const auto found = find_operation(*destroys_after_);
  if (!found) return found.error();
  const std::string what = fmt::format("test.destroys_after(\"{}\")", *destroys_after_);
  if (!after_.empty()) return Error{what + ": test.after() would call an object that is destroyed already"};
  if (model_ != nullptr)
    return Error{
        what +
        ": when the object may be destroyed is known from its serial runs, and a test with a model has none"};
  const bool is_before =
      std::ranges::any_of(before_, [&](const TestCall& call) { return call.name() == *destroys_after_; });
  if (is_before) return Error{what + ": test.before() calls it, when no thread has begun"};
  operations_[*found].destroys = true;
  return Ok{};
}

// Operations of one group are called by one thread.
Status TestCase::check_groups(const std::vector<std::vector<std::size_t>>& threads) const {
  std::map<std::string, std::pair<std::size_t, std::string>>
      callers;  // by group: the thread, and what it calls
  for (std::size_t thread = 0; thread < threads.size(); ++thread) {
    for (const std::size_t call : threads[thread]) {
      const test::Operation& operation = operations_[invocations_[call].operation];
      if (operation.group.empty()) continue;
      const auto known = callers.try_emplace(operation.group, thread, operation.name).first->second;
      if (known.first != thread)
        return Error{
            fmt::format("a scenario calls {}() in thread {} and {}() in thread {}, but one_thread(\"{}\") "
                        "says that one thread "
                        "calls them all",
                        known.second, known.first + 1, operation.name, thread + 1, operation.group)};
    }
  }
  return Ok{};
}

Status TestCase::finish() {
  if (!mistakes_.empty()) return Error{mistakes_.front()};
  if (operations_.empty())
    return Error{"the test names no operations: test.operation(\"push\", &Subject::push, …)"};
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (operations_[i].name == operations_[j].name)
        return Error{fmt::format("the operation \"{}\" is registered twice", operations_[i].name)};
    }
  }
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    if (std::none_of(invocations_.begin(), invocations_.end(),
                     [&](const test::Invocation& each) { return each.operation == i; }))
      return Error{fmt::format("a parameter of the operation \"{}\" takes no values", operations_[i].name)};
  }
  const auto find_all = [&](const std::vector<TestCall>& calls, std::vector<std::size_t>& out) -> Status {
    for (const TestCall& call : calls) {
      auto found = find(call);
      if (!found) return found.error();
      out.push_back(*found);
    }
    return Ok{};
  };
  for (const auto& [giver, taker] : synchronises_) {
    for (const std::string& name : {giver, taker}) {
      if (const auto found = find_operation(name); !found) return found.error();
    }
  }
  if (auto status = finish_destruction(); !status) return status;
  if (auto status = find_all(before_, before_ids_); !status) return status;
  if (auto status = find_all(after_, after_ids_); !status) return status;
  for (const TestMatrix& matrix : scenarios_) {
    if (matrix.empty()) return Error{"a scenario has no threads"};
    if (std::ranges::all_of(matrix, [](const auto& thread) { return thread.empty(); }))
      return Error{"a scenario calls no operation: there is nothing to test in it"};
    auto& threads = scenario_ids_.emplace_back();
    for (const auto& thread : matrix) {
      if (auto status = find_all(thread, threads.emplace_back()); !status) return status;
    }
    if (auto status = check_groups(threads); !status) return status;
  }
  if (!relaxed_.empty() && model_ == nullptr)
    return Error{"relax() needs to know what is right without it: test.model(\"queue\")"};
  for (const auto& [operation, distance] : relaxed_) {
    if (auto found = find_operation(operation); !found) return found.error();
  }
  return relaxed_.empty() ? Status(Ok{}) : testing::check_failures_change_nothing(*model_, *this);
}

}  // namespace plumb
