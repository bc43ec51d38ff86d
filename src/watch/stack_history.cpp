#include "watch/stack_history.hpp"

#include <algorithm>
#include <optional>

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

namespace plumb {
namespace {

using Id = StackOrder::Id;

struct StackOperation {
  bool is_push = false;
  Value value;  // of a pop: what it returns
  Moment called = 0;
  Moment returned = kNotYet;
  std::optional<WatchedOperation> name = {};  // none: it stands for others
};

// The stack as operations. Moments are spread, so that there is room between them.
class Telling {
 public:
  Telling(const OnlineSetting& setting, const WatchedStack& stack) : given_(*setting.values), stack_(stack) {}

  std::vector<StackOperation> run() {
    for (Id v = stack_.order.first(); v != StackOrder::kNone; v = stack_.order[v].after)
      tell_push(v, stack_.order[v].ir);
    for (const StackEvent& e : stack_.waiting) {
      if (e.kind == StackEvent::kPushReturn && !constrains_nothing(e.who)) tell_push(e.who, e.now);
    }
    for (const StackEvent& e : stack_.waiting) {
      if (e.kind != StackEvent::kPushReturn) tell_pop(e);
    }
    for (const std::uint32_t number : stack_.deduced) {
      const StackPop& pop = stack_.pops[number];
      if (!constrains_nothing(pop.takes)) tell_open(pop);
    }
    tell_stretches();
    return std::move(operations_);
  }
  [[nodiscard]] const std::shared_ptr<Values>& values() const { return values_; }

 private:
  static Moment spread(Moment m) { return m == kNotYet ? m : 4 * m; }

  // Its pop was called before its push returned, or it was excused.
  [[nodiscard]] bool constrains_nothing(Id v) const {
    const StackOrder::Life& life = stack_.order[v];
    return !life.counts && (life.ir != kNotYet || life.rc != kNotYet);
  }

  Value value(Id v) { return values_->import(given_, stack_.names[v].value); }

  void tell_push(Id v, Moment returned) {
    pushed_.insert(v);
    taken_names_.insert(value(v));
    operations_.push_back(
        {true, value(v), spread(stack_.order[v].ic), spread(returned), stack_.names[v].push});
  }

  void tell_pop(const StackEvent& e) {
    const StackPop& pop = stack_.pops[e.who];
    if (e.kind == StackEvent::kPopCall && pop.takes == StackPop::kOpen) return tell_open(pop);
    if (e.kind != StackEvent::kPopReturn || pop.takes == StackPop::kNever) return;
    StackOperation operation{false, kNull, spread(pop.called), spread(e.now), pop.name};
    if (pop.has_value()) {
      if (constrains_nothing(pop.takes)) return;
      if (!pushed_.contains(pop.takes)) tell_push(pop.takes, kNotYet);
      operation.value = value(pop.takes);
    } else if (pop.called <= stack_.now) {
      if (stack_.order.was_empty_since(pop.called)) return;
      operation.called = spread(stack_.now) + 2;
    }
    operations_.push_back(operation);
  }

  void tell_open(const StackPop& pop) {
    operations_.push_back({false, kNull, spread(pop.called), kNotYet, pop.name});
  }

  void tell_stretches() {
    std::int64_t count = 0;
    for (Id v = stack_.order.first(); v != StackOrder::kNone;) {
      const Moment since = stack_.order[v].since;
      Moment last = 0;
      for (; v != StackOrder::kNone && stack_.order[v].since == since; v = stack_.order[v].after)
        last = stack_.order[v].ir;
      if (last == since) continue;
      const Value name = made_up(++count);
      operations_.push_back({true, name, 0, spread(since)});
      operations_.push_back({false, name, spread(last) + 1, spread(stack_.now) + 1});
    }
  }
  Value made_up(std::int64_t number) {
    std::string text = fmt::format("out {}", number);
    while (taken_names_.contains(values_->string(text))) text += "'";
    return values_->string(text);
  }

  const Values& given_;
  const WatchedStack& stack_;
  std::shared_ptr<Values> values_ = std::make_shared<Values>();  // what is made up is not for long
  absl::flat_hash_set<Value> taken_names_;
  absl::flat_hash_set<Id> pushed_;
  std::vector<StackOperation> operations_;
};

struct End {
  Moment at;
  bool is_return;
  std::size_t operation;
};

// Only what stands for others is called or returns at the same moment, in whatever order.
std::vector<End> in_order(std::span<const StackOperation> operations) {
  std::vector<End> ends;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    ends.push_back({operations[i].called, false, i});
    if (operations[i].returned != kNotYet) ends.push_back({operations[i].returned, true, i});
  }
  std::ranges::sort(ends, {}, [](const End& e) { return std::pair(e.at, e.is_return); });
  return ends;
}

}  // namespace

StackVerdict judge_by_engines(const OnlineSetting& setting, const WatchedStack& stack,
                              std::chrono::duration<double> timeout) {
  Telling telling(setting, stack);
  const std::vector<StackOperation> operations = telling.run();
  HistoryBuilder builder(telling.values());
  std::vector<std::size_t> called;
  for (const End& end : in_order(operations)) {
    const auto& [is_push, value, from, to, name] = operations[end.operation];
    const Value process = Value::small(static_cast<std::int64_t>(end.operation));
    if (end.is_return) {
      (void)builder.complete(process, {is_push ? kNull : value, true});
    } else {
      (void)builder.call(process, builder.function(is_push ? "push" : "pop"),
                         std::span(&value, is_push ? 1 : 0));
      called.push_back(end.operation);
    }
  }
  const auto history = builder.finish();
  CheckOptions options;
  options.timeout = timeout;
  options.stop = setting.stop;
  options.memory = std::size_t{128} << 20U;
  options.jobs = 1;
  const auto verdict = history ? check(*history, *setting.model, options) : history.error();
  if (!verdict) return {Outcome::kUnknown, verdict.error().text(), {}};
  StackVerdict judged{verdict->outcome, verdict->why, {}};
  if (verdict->outcome != Outcome::kViolation) return judged;
  judged.alarm.reason = verdict->violation->reason;
  for (const OperationId i : verdict->violation->operations) {
    if (const auto& name = operations[called[i]].name) judged.alarm.operations.push_back(*name);
  }
  return judged;
}

}  // namespace plumb
