// The stack, watched: exact, as long as no value is inside twice; in memory for the values inside and for what has happened
// since the oldest open pop was called.
//
// What a pop took is known when it returns, but counts from its call on. So events wait until every pop called before
// them has ended, and are then told in order to a StackOrder, which knows what matters. A violation is heard when the pops
// that were open beside it have ended, and those that were called until then.
//
// When that takes more than half a second, and at the end, it is judged as it is. If all is well without the pops that are open, it is well.
// Otherwise one of them may have taken what is in the way; the engines decide.
//
// A lost pop never returns. A more general monitor should be told everything from the start then; if that cannot be, this one
// carries on, and all the rest of the run waits.
//
// A value that is wholly out may come again: a pop that returns it later is of a push called later. Only a second one
// while the first may be inside is too much.
#include <algorithm>
#include <utility>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "check/online_stack_told.hpp"

namespace plumb {
namespace {

using Seconds = std::chrono::duration<double>;
using Id = StackOrder::Id;

class OnlineStack final : public OnlineMonitor {
 public:
  explicit OnlineStack(const OnlineSetting& setting) : setting_(setting), values_(*setting.values) {
    if (setting.initial.is_null()) return;
    for (const Value item : values_.as_array(setting.initial)) {
      const Id v = add(item, {}, ++start_);
      stack_.names[v].push_is_open = false;
      stack_.order.push_returned(v, ++start_);
    }
  }

  OnlineAnswer call(const OnlineOp& op, Moment now) override {
    if (is_over_) return OnlineAnswer::kFine;
    if (op.operation == kPush) {
      open_pushes_.push_back(add(op.args[0], op.name, at(now)));
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
    if (op.operation == kPush) {
      stack_.waiting.push_back({StackEvent::kPushReturn, end_push(op), at(now)});
      return go_on();
    }
    if (result.is_null()) {
      end_pop(op, StackPop::kEmpty, now);
      return go_on();
    }
    if (const auto it = inside_.find(result); it != inside_.end()) {
      stack_.names[it->second].pop = op.name;
      end_pop(op, it->second, now);
      inside_.erase(it);
      return go_on();
    }
    end_pop(op, StackPop::kNever, now);
    return violation(fmt::format("{} is impossible: {} is not inside; it was never pushed, or is already out",
                                 pop_text(op.process, result), text(result)),
                     {op.name});
  }

  OnlineAnswer fail(const OnlineOp& op, Moment now) override {
    if (is_over_) return OnlineAnswer::kFine;
    if (op.operation == kPop) {
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
    if (op.operation == kPush) {
      push_ended(end_push(op));
      return OnlineAnswer::kFine;
    }
    open_pops_.erase(find_pop(op));
    return std::exchange(has_lost_, true) ? OnlineAnswer::kFine : cannot_judge("a pop is lost");
  }

  OnlineAnswer settle(Moment now) override {
    (void)now;
    if (is_over_) return OnlineAnswer::kFine;
    if (const auto answer = go_on(); answer != OnlineAnswer::kFine) return answer;
    return stack_.waiting.empty() ? OnlineAnswer::kFine : judge(kLastPatience, true);
  }

  [[nodiscard]] bool is_fresh() const override {
    return !is_over_ && start_ == 0 && stack_.order.size() == 0 && stack_.waiting.empty();
  }
  [[nodiscard]] bool carry_on() override { return has_lost_ && !twice_ && !is_over_; }

 private:
  enum Operation : std::uint32_t { kPush, kPop };

  // What the order says of an event.
  struct Finding {
    std::optional<StackOrder::Conflict> conflict = {};
    bool is_not_empty = false;

    [[nodiscard]] bool is_bad() const { return conflict || is_not_empty; }
  };

  [[nodiscard]] Moment at(Moment now) const { return start_ + now; }
  [[nodiscard]] std::string text(Value value) const { return values_.to_json(value); }
  [[nodiscard]] std::string pop_text(Value process, Value result) const {
    return fmt::format("`pop → {}` by process {}", result.is_null() ? "empty" : text(result), text(process));
  }

  Id add(Value value, const WatchedOperation& name, Moment now) {
    const Id v = stack_.order.add(now);
    if (v == stack_.names.size()) stack_.names.emplace_back();
    stack_.names[v] = {value, name};
    if (!inside_.emplace(value, v).second) twice_ = value;
    return v;
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
      const Finding found = tell(stack_.order, e);
      const auto answer = found.is_bad() ? report(stack_.pops[e.who], found) : OnlineAnswer::kFine;
      told(e);
      if (answer != OnlineAnswer::kFine) return answer;
    }
    return OnlineAnswer::kFine;
  }

  Finding tell(StackOrder& order, const StackEvent& e) const {
    if (e.kind == StackEvent::kPushReturn) return order.push_returned(e.who, e.now), Finding();
    const StackPop& pop = stack_.pops[e.who];
    if (pop.takes == StackPop::kOpen || pop.takes == StackPop::kNever) return {};
    if (e.kind == StackEvent::kPopCall) return {order.pop_called(pop.takes, e.now)};
    if (pop.takes == StackPop::kEmpty) return {{}, !order.was_empty_since(pop.called)};
    return {order.pop_returned(pop.takes)};
  }

  void told(const StackEvent& e) {
    if (e.kind == StackEvent::kPushReturn) return push_ended(e.who);
    if (e.kind != StackEvent::kPopReturn) return;
    const StackPop& pop = stack_.pops[e.who];
    if (pop.has_value()) pop_ended(pop.takes);
    free_numbers_.push_back(e.who);
  }

  // For the oldest open pop. The clock is looked at now and then only, and what is put off is judged for a fraction of the time.
  OnlineAnswer wait() {
    const std::size_t count = stack_.waiting.size();
    if (count >= kMostWaiting) {
      is_over_ = true;
      stack_ = {};
      return cannot_judge(fmt::format(
          "a pop did not return for {} events; what has happened since cannot be kept any longer", count));
    }
    if (count % kSome != 0) return OnlineAnswer::kFine;
    const auto clock = std::chrono::steady_clock::now();
    if (std::exchange(oldest_, stack_.waiting.front().now) != oldest_) judge_from_ = clock + kShortWait;
    if (clock < judge_from_) return OnlineAnswer::kFine;
    const auto answer = judge(kPatience, false);
    const auto after = std::chrono::steady_clock::now();
    judge_from_ = after + std::max<std::chrono::steady_clock::duration>(kShortWait, 8 * (after - clock));
    return answer;
  }

  // With the open pops pending.
  OnlineAnswer judge(Seconds timeout, bool is_last) {
    StackOrder without = stack_.order;
    const auto is_bad = [&](const StackEvent& e) { return tell(without, e).is_bad(); };
    if (std::ranges::none_of(stack_.waiting, is_bad)) return OnlineAnswer::kFine;
    StackVerdict verdict = judge_by_engines(setting_, stack_, timeout);
    if (verdict.outcome == Outcome::kUnknown && is_last) return cannot_judge(std::move(verdict.why));
    if (verdict.outcome != Outcome::kViolation) return OnlineAnswer::kFine;
    is_over_ = true;  // who took what is not known
    stack_ = {};
    return violation(std::move(verdict.alarm.reason), std::move(verdict.alarm.operations));
  }

  OnlineAnswer report(const StackPop& pop, const Finding& found) {
    std::vector<WatchedOperation> operations = {pop.name};
    if (found.is_not_empty) {
      const Id first = stack_.order.first();
      std::string witness;
      if (first != StackOrder::kNone && stack_.order[first].ir < pop.called) {
        witness = fmt::format(" ({} was)", text(stack_.names[first].value));
        operations.push_back(stack_.names[first].push);
      }
      return violation(
          fmt::format("{} is impossible: at each moment while it ran a value was surely inside{}",
                      pop_text(pop.process, kNull), witness),
          std::move(operations));
    }
    operations.push_back(stack_.names[pop.takes].push);
    for (const Id v : found.conflict->values) {
      if (v == pop.takes) continue;
      operations.push_back(stack_.names[v].push);
      if (!found.conflict->are_inside) operations.push_back(stack_.names[v].pop);
    }
    if (operations.size() > kMostNamed) operations.resize(kMostNamed);
    std::string reason = found.conflict->are_inside ? still_inside(pop, found.conflict->values)
                                                    : held_up(pop, found.conflict->values);
    for (const Id v : found.conflict->values) stack_.order.excuse(v, stack_.now);
    return violation(std::move(reason), std::move(operations));
  }

  [[nodiscard]] std::string still_inside(const StackPop& pop, std::span<const Id> above) const {
    const Value out = stack_.names[pop.takes].value;
    const Value first = stack_.names[above[0]].value;
    const std::string more = above.size() == 1 ? "" : fmt::format(" (so are {} more)", above.size() - 1);
    if (stack_.order[above[0]].ic > stack_.order[pop.takes].ir) {
      return fmt::format("{} is impossible: {} was pushed after {} and is still inside{}",
                         pop_text(pop.process, out), text(first), text(out), more);
    }
    return fmt::format(
        "{} is impossible: {} is still inside{}, and at each moment at which it can have been pushed {} or a "
        "value that "
        "is out by now was there, below it",
        pop_text(pop.process, out), text(first), more, text(out));
  }

  [[nodiscard]] std::string held_up(const StackPop& pop, std::span<const Id> held) const {
    std::string others;
    std::size_t count = 0;
    for (const Id v : held) {
      if (v == pop.takes || ++count > kMostShown) continue;
      others += (others.empty() ? "" : ", ") + text(stack_.names[v].value);
    }
    if (count > kMostShown) others += fmt::format(" and {} more", count - kMostShown);
    const Value late = stack_.names[pop.takes].value;
    return fmt::format(
        "{} is called too late: {} and {} were each pushed above another of them or above a value that was "
        "out by then",
        pop_text(pop.process, late), text(late), others);
  }

  static constexpr std::size_t kSome = 256;  // events between two looks at the clock
  static constexpr std::size_t kMostWaiting = 2'000'000;
  static constexpr std::size_t kMostNamed = 20;
  static constexpr std::size_t kMostShown = 8;
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
  bool has_lost_ = false;
  bool is_over_ = false;
};

}  // namespace

std::unique_ptr<OnlineMonitor> online_stack(const OnlineSetting& setting) {
  return std::make_unique<OnlineStack>(setting);
}

}  // namespace plumb
