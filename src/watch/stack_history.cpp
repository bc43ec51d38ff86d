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
  Value process = kNull;
};

constexpr Moment kSpread = 4;  // so that there is room between moments

// The stack as operations.
class Telling {
 public:
  // What is made up goes into these values, and all others, too.
  Telling(const OnlineSetting& setting, const WatchedStack& stack, std::shared_ptr<Values> values)
      : given_(*setting.values), stack_(stack), values_(std::move(values)) {}

  // These have not returned: told even where they constrain nothing.
  void tell_open_pushes(std::span<const Id> open) {
    for (const Id v : open) {
      tell_push(v, kNotYet);
      const Moment gone = std::max(stack_.order[v].rc, stack_.order[v].ic);
      if (stack_.order[v].rc == kNotYet || is_popped_later(v)) continue;
      operations_.push_back({false, value(v), kSpread * gone + 1, kSpread * gone + 2});
    }
  }
  // Some pop has to find the stack empty although it was not, from its call up to what has been told.
  [[nodiscard]] bool has_late_empty() const { return has_late_empty_; }

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
  static Moment spread(Moment m) { return m == kNotYet ? m : kSpread * m; }

  // Its pop was called before its push returned, or it was excused.
  [[nodiscard]] bool constrains_nothing(Id v) const {
    const StackOrder::Life& life = stack_.order[v];
    return !life.counts && (life.ir != kNotYet || life.rc != kNotYet) && !pushed_.contains(v);
  }
  // Its pop has returned, but has not been told.
  [[nodiscard]] bool is_popped_later(Id v) const {
    return std::ranges::any_of(stack_.waiting, [&](const StackEvent& e) {
      return e.kind == StackEvent::kPopReturn && stack_.pops[e.who].takes == v;
    });
  }

  Value value(Id v) {
    const Value named = stack_.names[v].value;
    return values_.get() == &given_ ? named : values_->import(given_, named);
  }

  void tell_push(Id v, Moment returned) {
    pushed_.insert(v);
    taken_names_.insert(value(v));
    operations_.push_back({true, value(v), spread(stack_.order[v].ic), spread(returned), stack_.names[v].push,
                           stack_.names[v].process});
  }

  void tell_pop(const StackEvent& e) {
    const StackPop& pop = stack_.pops[e.who];
    if (e.kind == StackEvent::kPopCall && pop.takes == StackPop::kOpen) return tell_open(pop);
    if (e.kind != StackEvent::kPopReturn || pop.takes == StackPop::kNever) return;
    StackOperation operation{false, kNull, spread(pop.called), spread(e.now), pop.name, pop.process};
    if (pop.has_value()) {
      if (constrains_nothing(pop.takes)) return;
      if (!pushed_.contains(pop.takes)) tell_push(pop.takes, kNotYet);
      operation.value = value(pop.takes);
    } else if (pop.called <= stack_.now) {
      if (stack_.order.was_empty_since(pop.called)) return;
      operation.called = spread(stack_.now) + 2;
      has_late_empty_ = true;
    }
    operations_.push_back(operation);
  }

  void tell_open(const StackPop& pop) {
    operations_.push_back({false, kNull, spread(pop.called), kNotYet, pop.name, pop.process});
  }

  void tell_stretches() {
    std::int64_t count = 0;
    for (Id v = stack_.order.first(); v != StackOrder::kNone;) {
      const Moment since = stack_.order[v].since;
      Moment last = 0;
      bool is_left = false;  // by one that is being popped: before the stretch ends, if it was pushed in it
      for (; v != StackOrder::kNone && stack_.order[v].since == since; v = stack_.order[v].after) {
        last = stack_.order[v].ir;
        is_left = is_left || stack_.order[v].rc != kNotYet;
      }
      if (last == since) continue;
      const Value name = made_up(++count);
      operations_.push_back({true, name, spread(since) - 2, spread(since) - 1});
      operations_.push_back(
          {false, name, spread(last) + 1, is_left ? spread(stack_.now) + 1 : spread(last) + 2});
    }
  }
  Value made_up(std::int64_t number) {
    std::string text = fmt::format("out {}", number);
    while (taken_names_.contains(values_->string(text))) text += "'";
    return values_->string(text);
  }

  const Values& given_;
  const WatchedStack& stack_;
  std::shared_ptr<Values> values_;
  bool has_late_empty_ = false;
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

// Of these pushes, those that are lost.
void lose_again(const WatchedStack& stack, std::span<const Id> pushes, Moment start,
                std::vector<OnlineEvent>& events) {
  for (const Id v : pushes) {
    if (stack.names[v].push_is_open) continue;
    OnlineEvent lost = *std::ranges::find_if(events, [&](const OnlineEvent& e) {
      return e.op.role == Role::kInsert && e.op.called == stack.order[v].ic - start;
    });
    lost.kind = OnlineEvent::kLose;
    lost.now = events.back().now;
    events.push_back(std::move(lost));
  }
}

}  // namespace

StackVerdict judge_by_engines(const OnlineSetting& setting, const WatchedStack& stack,
                              std::chrono::duration<double> timeout) {
  Telling telling(setting, stack, std::make_shared<Values>());  // what is made up is not for long
  const std::vector<StackOperation> operations = telling.run();
  HistoryBuilder builder(telling.values());
  std::vector<std::size_t> called;
  for (const End& end : in_order(operations)) {
    const auto& [is_push, value, from, to, name, of] = operations[end.operation];
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

std::optional<RetoldRun> retell_stack(const OnlineSetting& setting, const WatchedStack& stack,
                                      std::span<const StackOrder::Id> open_pushes, Moment start) {
  Telling telling(setting, stack, setting.values);
  telling.tell_open_pushes(open_pushes);
  const std::vector<StackOperation> operations = telling.run();
  if (telling.has_late_empty()) return std::nullopt;
  const auto specs = setting.model->operations();
  const auto operation_of = [&](Role role) {
    return static_cast<std::uint32_t>(std::ranges::find(specs, role, &OperationSpec::role) - specs.begin());
  };
  // What stands for others is called when something else returned: an operation is known by the moment of its call.
  const auto moment = [&](const StackOperation& operation, Moment at) {
    const Moment up = !operation.name && operation.is_push ? kSpread - 1 : 0;
    return std::max((at + up) / kSpread, start) - start;
  };
  RetoldRun run;
  for (const End& end : in_order(operations)) {
    const StackOperation& told = operations[end.operation];
    OnlineEvent event;
    event.now = moment(told, end.at);
    event.op.name = told.name.value_or(WatchedOperation{});
    event.op.role = told.is_push ? Role::kInsert : Role::kRemove;
    event.op.operation = operation_of(event.op.role);
    event.op.process = told.name ? told.process : told.value;
    event.op.called = moment(told, told.called);
    if (told.is_push) event.op.args.push_back(told.value);
    if (end.is_return) {
      event.kind = OnlineEvent::kReturn;
      event.result = told.is_push ? kNull : told.value;
    }
    run.events.push_back(std::move(event));
  }
  lose_again(stack, open_pushes, start, run.events);
  return run;
}

}  // namespace plumb
