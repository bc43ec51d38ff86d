// The stack, watched: exact, as long as no value is inside twice; in memory for the values inside and for what has happened
// since the oldest open pop was called.
//
// What a pop took is known when it returns, but counts from its call on. So events wait until every pop called before
// them has ended, and are then told in order to a StackOrder, which knows what matters. A violation is heard when the pops
// that were open beside it have ended, and those that were called until then.
//
// When that takes more than half a second, and at the end, it is judged as it is. If all is well without the pops that are
// open, it is well. A value that is in the way then must have been taken by a pop that was open: too many such values are a
// violation, and if only one pop can have taken it, that is now known of this pop. Otherwise the engines decide.
//
// A pop that never returns, because it is lost, say, would make all the rest of the run wait. After very many events it is
// supposed to have taken nothing, or what must have been taken. All that fits this is fine; what does not fit is then not
// known to be a violation. (When a pop is lost, a more general monitor should rather be told everything from the start.)
//
// A value that is wholly out may come again: a pop that returns it later is of a push called later. Only a second one
// while the first may be inside is too much.
#include <algorithm>
#include <utility>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "watch/online_stack_report.hpp"
#include "watch/stack_history.hpp"

namespace plumb {
namespace {

using Seconds = std::chrono::duration<double>;
using Id = StackOrder::Id;

class OnlineStack final : public OnlineMonitor {
 public:
  OnlineStack(const OnlineSetting& setting, std::size_t most_waiting)
      : setting_(setting), values_(*setting.values), most_waiting_(most_waiting) {
    if (setting.initial.is_null()) return;
    for (const Value item : values_.as_array(setting.initial)) {
      const auto v = add(item, {}, kNull, ++start_);
      if (!v) return;
      stack_.names[*v].push_is_open = false;
      stack_.order.push_returned(*v, ++start_);
    }
  }

  OnlineAnswer call(const OnlineOp& op, Moment now) override {
    if (is_over_) return OnlineAnswer::kFine;
    if (op.role == Role::kPeek) {
      has_peeks_ = true;
      return cannot_judge("a peek");
    }
    if (op.role == Role::kInsert) {
      if (const auto v = add(op.args[0], op.name, op.process, at(now))) open_pushes_.push_back(*v);
    } else {
      const std::uint32_t number = free_number();
      stack_.pops[number] = {at(now), op.name, op.process};
      open_pops_.push_back(number);
      stack_.waiting.push_back({StackEvent::kPopCall, number, at(now)});
    }
    if (!twice_) return OnlineAnswer::kFine;
    return cannot_judge(fmt::format("{} may be inside twice", text(*twice_)));
  }

  OnlineAnswer ret(const OnlineOp& op, Value result, Moment now) override {
    if (is_over_) return OnlineAnswer::kFine;
    if (op.role == Role::kInsert) {
      stack_.waiting.push_back({StackEvent::kPushReturn, end_push(op), at(now)});
      return go_on();
    }
    const StackPop::Guess guess = stack_.pops[*find_pop(op)].guess;
    if (guess == StackPop::kDeduced) return deduced_ended(op, result, now);
    if (result.is_null()) {
      end_pop(op, StackPop::kEmpty, now);
      return go_on();
    }
    if (guess == StackPop::kReleased) return doubt(pop_text(values_, op.process, result) + " comes too late");
    if (const auto it = inside_.find(result); it != inside_.end()) {
      stack_.names[it->second].pop = op.name;
      end_pop(op, it->second, now);
      inside_.erase(it);
      return go_on();
    }
    end_pop(op, StackPop::kNever, now);
    std::string reason =
        fmt::format("{} is impossible: {} is not inside; it was never pushed, or is already out",
                    pop_text(values_, op.process, result), text(result));
    return guessed_ == 0 ? violation(std::move(reason), {op.name}) : doubt(reason);
  }

  OnlineAnswer fail(const OnlineOp& op, Moment now) override {
    if (is_over_) return OnlineAnswer::kFine;
    if (op.role == Role::kRemove) {
      if (stack_.pops[*find_pop(op)].guess == StackPop::kDeduced) return deduced_ended(op, kNull, now);
      end_pop(op, StackPop::kNever, now);
      return go_on();
    }
    const Id v = end_push(op);
    if (const auto it = inside_.find(op.args[0]); it != inside_.end() && it->second == v) {
      inside_.erase(it);
      stack_.order.drop(v);
      return OnlineAnswer::kFine;
    }
    push_ended(v);
    return violation(fmt::format("{} was popped, but its push by process {} has failed", text(op.args[0]),
                                 text(op.process)),
                     {op.name, stack_.names[v].pop});
  }

  OnlineAnswer lose(const OnlineOp& op, Moment now) override {
    (void)now;
    if (is_over_) return OnlineAnswer::kFine;
    if (op.role == Role::kInsert) {
      push_ended(end_push(op));
      return OnlineAnswer::kFine;
    }
    const auto it = find_pop(op);
    const bool is_open = stack_.pops[*it].takes == StackPop::kOpen;
    open_pops_.erase(it);
    if (!is_open) return OnlineAnswer::kFine;
    return std::exchange(has_lost_, true) ? OnlineAnswer::kFine : cannot_judge("a pop is lost");
  }

  OnlineAnswer settle(Moment now) override {
    (void)now;
    if (is_over_) return OnlineAnswer::kFine;
    if (const auto answer = go_on(); answer != OnlineAnswer::kFine) return answer;
    return stack_.waiting.empty() && stack_.deduced.empty() ? OnlineAnswer::kFine
                                                            : judge(kLastPatience, true);
  }

  [[nodiscard]] bool is_fresh() const override {
    return !is_over_ && start_ == 0 && stack_.order.size() == 0 && stack_.waiting.empty() && unsure() == 0;
  }
  // Not where something is known, or supposed, of a pop that has not returned. One that is lost is open for good.
  [[nodiscard]] std::optional<RetoldRun> retell() const override {
    if (is_over_ || unsure() != 0 || !stack_.deduced.empty()) return std::nullopt;
    std::vector<Id> open = open_pushes_;
    for (const auto& [value, v] : inside_) {
      const bool is_lost = stack_.order[v].ir == kNotYet && !stack_.names[v].push_is_open && !is_waiting(v);
      if (is_lost) open.push_back(v);
    }
    return retell_stack(setting_, stack_, open, start_);
  }
  [[nodiscard]] bool retells_late() const override { return true; }
  [[nodiscard]] bool carry_on() override { return has_lost_ && !twice_ && !has_peeks_ && !is_over_; }

 private:
  [[nodiscard]] Moment at(Moment now) const { return start_ + now; }
  [[nodiscard]] std::string text(Value value) const { return values_.to_json(value); }
  // So many pops may have taken something else than is supposed.
  [[nodiscard]] std::size_t unsure() const { return released_ + guessed_; }

  // None: it may be inside already, and is not added.
  std::optional<Id> add(Value value, const WatchedOperation& name, Value process, Moment now) {
    const auto [it, is_new] = inside_.try_emplace(value, StackOrder::kNone);
    if (!is_new) {
      twice_ = value;
      return std::nullopt;
    }
    const Id v = stack_.order.add(now);
    if (v == stack_.names.size()) stack_.names.emplace_back();
    stack_.names[v] = {.value = value, .push = name, .process = process};
    return it->second = v;
  }
  std::uint32_t free_number() {
    if (free_numbers_.empty()) {
      stack_.pops.emplace_back();
      return static_cast<std::uint32_t>(stack_.pops.size() - 1);
    }
    const std::uint32_t number = free_numbers_.back();
    free_numbers_.pop_back();
    return number;
  }

  // Its push has returned, but has not been told.
  [[nodiscard]] bool is_waiting(Id v) const {
    return std::ranges::any_of(
        stack_.waiting, [&](const StackEvent& e) { return e.kind == StackEvent::kPushReturn && e.who == v; });
  }
  Id end_push(const OnlineOp& op) {
    const auto it = std::ranges::find(open_pushes_, at(op.called), [&](Id v) { return stack_.order[v].ic; });
    const Id v = *it;
    open_pushes_.erase(it);
    stack_.names[v].push.returned_line = op.name.returned_line;
    return v;
  }
  std::vector<std::uint32_t>::iterator find_pop(const OnlineOp& op) {
    return std::ranges::find(open_pops_, at(op.called),
                             [&](std::uint32_t p) { return stack_.pops[p].called; });
  }
  void end_pop(const OnlineOp& op, Id takes, Moment now) {
    const auto it = find_pop(op);
    stack_.pops[*it].takes = takes;
    stack_.pops[*it].name = op.name;
    stack_.waiting.push_back({StackEvent::kPopReturn, *it, at(now)});
    open_pops_.erase(it);
  }
  // The number of a value may be used again when no event of it can come any more, nor waits.
  void push_ended(Id v) {
    stack_.names[v].push_is_open = false;
    if (stack_.names[v].is_out) stack_.order.drop(v);
  }
  void pop_ended(Id v) {
    stack_.names[v].is_out = true;
    if (!stack_.names[v].push_is_open) stack_.order.drop(v);
  }

  // Tells what need not wait any longer.
  OnlineAnswer go_on() {
    while (!stack_.waiting.empty()) {
      const StackEvent e = stack_.waiting.front();
      if (e.kind == StackEvent::kPopCall && stack_.pops[e.who].takes == StackPop::kOpen) return wait();
      stack_.waiting.pop_front();
      stack_.now = e.now;
      const StackFinding found = stack_.tell(stack_.order, e);
      const auto answer = found.is_bad() ? report(stack_.pops[e.who], found) : OnlineAnswer::kFine;
      if (is_over_) return answer;
      told(e);
      if (answer != OnlineAnswer::kFine) return answer;
    }
    return OnlineAnswer::kFine;
  }

  void told(const StackEvent& e) {
    if (e.kind == StackEvent::kPushReturn) return push_ended(e.who);
    if (e.kind != StackEvent::kPopReturn) return;
    const StackPop& pop = stack_.pops[e.who];
    if (pop.has_value()) pop_ended(pop.takes);
    free_numbers_.push_back(e.who);
  }

  OnlineAnswer report(const StackPop& pop, const StackFinding& found) {
    WatchViolation alarm = stack_alarm(values_, stack_, stack_.order, pop, found);
    const bool is_sure =
        unsure() == 0 || (found.is_about_values_inside() && !may_be_taken(*found.conflict, unsure()));
    if (!is_sure) return doubt(alarm.reason);
    if (found.conflict) {
      for (const Id v : found.conflict->values) stack_.order.excuse(v, stack_.now);
    }
    return violation(std::move(alarm.reason), std::move(alarm.operations));
  }

  // Can so many pops have taken these values? Not those that another has returned, later.
  [[nodiscard]] bool may_be_taken(const StackOrder::Conflict& conflict, std::size_t pops) const {
    return conflict.values.size() <= pops && std::ranges::all_of(conflict.values, [&](Id v) {
             const auto it = inside_.find(stack_.names[v].value);
             return it != inside_.end() && it->second == v;
           });
  }

  // In what state it goes on is not known.
  void give_up() {
    is_over_ = true;
    stack_ = {};
  }
  OnlineAnswer doubt(const std::string& reason) {
    give_up();
    return cannot_judge(reason + ", unless a pop that did not return for very long took what is in the way");
  }

  OnlineAnswer deduced_ended(const OnlineOp& op, Value result, Moment now) {
    const std::uint32_t number = *find_pop(op);
    const Id v = stack_.pops[number].takes;
    end_pop(op, v, now);
    std::erase(stack_.deduced, number);
    stack_.pops[number].guess = StackPop::kNoGuess;
    if (result == stack_.names[v].value) return go_on();
    std::string reason = fmt::format(
        "`pop` by process {} did not take {}, which is no longer inside, and no other can have taken it",
        text(op.process), text(stack_.names[v].value));
    return unsure() == 0 ? violation(std::move(reason), {op.name, stack_.names[v].push}) : doubt(reason);
  }

  // For the oldest open pop. The clock is looked at now and then only, and what is put off is judged for a fraction of the time.
  OnlineAnswer wait() {
    const std::size_t count = stack_.waiting.size();
    if (count >= most_waiting_) return release();
    if (count % kSome != 0) return OnlineAnswer::kFine;
    const auto clock = std::chrono::steady_clock::now();
    if (std::exchange(oldest_, stack_.waiting.front().now) != oldest_) judge_from_ = clock + kShortWait;
    if (clock < judge_from_) return OnlineAnswer::kFine;
    const auto answer = judge(kPatience, false);
    const auto after = std::chrono::steady_clock::now();
    judge_from_ = after + std::max<std::chrono::steady_clock::duration>(kShortWait, 8 * (after - clock));
    return answer;
  }

  // Does not wait any longer for the oldest open pop.
  OnlineAnswer release() {
    std::optional<Id> taken;
    if (const auto answer = deduce(taken); answer && *answer != OnlineAnswer::kFine) return *answer;
    const std::uint32_t oldest = stack_.waiting.front().who;
    StackPop& pop = stack_.pops[oldest];
    if (pop.takes != StackPop::kOpen) return OnlineAnswer::kFine;
    if (taken) {
      ++guessed_;
      suppose(oldest, *taken);
    } else {
      ++released_;
      pop.takes = StackPop::kNever;
      pop.guess = StackPop::kReleased;
    }
    return OnlineAnswer::kFine;
  }

  void suppose(std::uint32_t number, Id v) {
    stack_.pops[number].takes = v;
    stack_.pops[number].guess = StackPop::kDeduced;
    stack_.deduced.push_back(number);
    stack_.names[v].pop = stack_.pops[number].name;
    inside_.erase(stack_.names[v].value);
  }

  // What waits, told without the open pops.
  struct Replay {
    StackOrder order;
    StackFinding found = {};
    const StackPop* pop = nullptr;         // where something is found
    std::vector<std::uint32_t> open = {};  // so far
  };
  [[nodiscard]] Replay replay() const {
    Replay now{stack_.order};
    for (const StackEvent& e : stack_.waiting) {
      if (e.kind == StackEvent::kPopCall && stack_.pops[e.who].takes == StackPop::kOpen)
        now.open.push_back(e.who);
      now.found = stack_.tell(now.order, e);
      if (!now.found.is_bad()) continue;
      now.pop = &stack_.pops[e.who];
      return now;
    }
    // A pop that took something and has not returned took it by now: what stays must not lie above.
    for (const std::uint32_t number : stack_.deduced) {
      now.pop = &stack_.pops[number];
      now.found = {now.order.pop_returned(now.pop->takes)};
      if (now.found.is_bad()) return now;
    }
    return now;
  }

  // Finds out what is certain with the open pops pending: it is fine, or a violation. None: neither is; `taken` is then a
  // value that one of them must have taken, if there is one.
  std::optional<OnlineAnswer> deduce(std::optional<Id>& taken) {
    while (true) {
      taken.reset();
      const Replay now = replay();
      if (!now.found.is_bad()) return OnlineAnswer::kFine;
      if (!now.found.is_about_values_inside()) return std::nullopt;
      if (!may_be_taken(*now.found.conflict, now.open.size() + unsure())) {
        WatchViolation alarm = stack_alarm(values_, stack_, now.order, *now.pop, now.found);
        if (now.pop->guess == StackPop::kDeduced)
          alarm.reason += " (it has not returned, but no other can have taken this value)";
        give_up();
        return violation(std::move(alarm.reason), std::move(alarm.operations));
      }
      taken = now.found.conflict->values[0];
      if (now.open.size() != 1 || unsure() != 0) return std::nullopt;
      suppose(now.open[0], *taken);
    }
  }

  OnlineAnswer judge(Seconds timeout, bool is_last) {
    std::optional<Id> taken;
    if (const auto answer = deduce(taken)) return *answer;
    StackVerdict verdict = judge_by_engines(setting_, stack_, timeout);
    if (verdict.outcome == Outcome::kUnknown && is_last)
      return cannot_judge("what the open pops have taken cannot be decided: " + verdict.why);
    if (verdict.outcome != Outcome::kViolation) return OnlineAnswer::kFine;
    if (unsure() != 0) return doubt(verdict.alarm.reason);
    give_up();
    return violation(std::move(verdict.alarm.reason), std::move(verdict.alarm.operations));
  }

  static constexpr std::size_t kSome = 256;  // events between two looks at the clock
  static constexpr std::chrono::milliseconds kShortWait{500};
  static constexpr Seconds kPatience{0.5};
  static constexpr Seconds kLastPatience{20.0};

  OnlineSetting setting_;
  Values& values_;
  Moment start_ = 0;  // the initial values are pushed before
  WatchedStack stack_;
  absl::flat_hash_map<Value, Id> inside_;  // from the call of its push to the return of its pop
  std::vector<Id> open_pushes_;
  std::vector<std::uint32_t> open_pops_;
  std::vector<std::uint32_t> free_numbers_;
  Moment oldest_ = 0;  // the call of the oldest open pop, as far as it was looked at
  std::chrono::steady_clock::time_point judge_from_;
  std::optional<Value> twice_;
  std::size_t most_waiting_;  // events
  std::size_t released_ = 0;  // pops that are supposed to have taken nothing
  std::size_t guessed_ = 0;   // and those that are supposed to have taken a value
  bool has_lost_ = false;
  bool has_peeks_ = false;  // which are nothing to it
  bool is_over_ = false;
};

}  // namespace

std::unique_ptr<OnlineMonitor> online_stack(const OnlineSetting& setting) {
  constexpr std::size_t kMostWaiting = 1'000'000;
  return online_stack_waiting(setting, kMostWaiting);
}

std::unique_ptr<OnlineMonitor> online_stack_waiting(const OnlineSetting& setting, std::size_t most_waiting) {
  return std::make_unique<OnlineStack>(setting, most_waiting);
}

}  // namespace plumb
