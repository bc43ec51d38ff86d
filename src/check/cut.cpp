// How a cut is closed. The operations open at its end are, each
//
//   - left out, if they leave the state as it is: in an order nobody misses them;
//   - pending, if not knowing the result makes no difference: who returns nothing; who changes the state unless the result is
//     false, as one that fails is as good as one that did not happen;
//   - of a collection, removals of a value that is inside: finished after the end. There every value that is left comes out
//     too, by a removal of its own, called after the end. So an order of the cut can always be gone on with until nothing is
//     left, in the order in which the collection gives it; and of an order of the closed history what comes before the first
//     of those removals is an order of the cut, as all that returned in it comes before. One whose
//     value another removed, or nobody inserted, is left out; but not where the two run beside each other: then it is not decided
//     here, as before the other returned this one was of use;
//   - of a counter, fetch_adds: finished after the end if the counter has to pass what they found, left out if it need not. They
//     are left out, too, where another that returned passes there. Where two that are open would do, it is not decided here.
//
// Removals that never returned in the recording either might take any value: with one of these it is not decided here.
#include "check/cut.hpp"

#include <algorithm>
#include <optional>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "check/monitors/monitor.hpp"
#include "check/partition.hpp"

namespace plumb {
namespace {

class ClosedCut {
 public:
  ClosedCut(const BoundHistory& history, std::span<const Event> events)
      : bound_(history),
        history_(history.history()),
        events_(events),
        builder_(std::make_shared<Values>(&history_.values())) {}

  CutVerdict judge() {
    const ModelMonitor* monitor = find_monitor(bound_.family());
    if (monitor == nullptr || !collect() || !choose() || !build()) return {};
    auto closed = builder_.finish();
    if (!closed) return {};  // a process called at the very time of a return that is cut off
    const auto bound = BoundHistory::bind(*closed, bound_.model());
    const Partition partition(*bound, PartitionBy::kObject);
    CutVerdict verdict;
    if (partition.parts().empty()) {
      verdict.outcome = Outcome::kHolds;
      return verdict;
    }
    const MonitorVerdict answer = monitor->judge(partition.parts().front());
    if (answer.kind == MonitorVerdict::Kind::kLinearizable) verdict.outcome = Outcome::kHolds;
    if (answer.kind == MonitorVerdict::Kind::kViolation) {
      verdict.outcome = Outcome::kViolation;
      for (const OperationId id : answer.core) {
        if (id < original_.size()) verdict.core.push_back(original_[id]);
      }
      if (answer.late && *answer.late < original_.size()) verdict.late = original_[*answer.late];
    }
    return verdict;
  }

 private:
  enum class Fate : std::uint8_t { kReturned, kLeftOut, kPending, kFinished };
  struct Operation {
    OperationId id;
    Fate fate;
  };

  // Which operations there are, by call, and what is to become of those that are open where the kind of operation says it.
  bool collect() {
    absl::flat_hash_set<OperationId> open;
    for (std::size_t at = events_.size(); at-- > 0;) {
      const OperationId id = events_[at].operation();
      if (events_[at].is_return()) {  // few are open at a time
        open.insert(id);
        continue;
      }
      operations_.push_back({id, open.erase(id) != 0 ? Fate::kReturned : fate_of(id)});
      if (operations_.back().fate == Fate::kFinished) open_.push_back(id);
    }
    std::ranges::reverse(operations_);
    std::ranges::reverse(open_);
    end_ = events_.empty() ? 0 : time_of(events_.back());
    return end_ < kNever - 4 && !unclear_;
  }
  [[nodiscard]] Time time_of(Event event) const {
    return event.is_return() ? history_.ret(event.operation()) : history_.call(event.operation());
  }

  Fate fate_of(OperationId id) {
    if (history_.is_pending(id)) {
      unclear_ = unclear_ || bound_.spec(id).effect == Effect::kUnlessNull;
      return Fate::kPending;
    }
    if (bound_.leaves_state(id)) return Fate::kLeftOut;
    const OperationSpec& spec = bound_.spec(id);
    return spec.returns == Returns::kNothing || spec.effect == Effect::kUnlessFalse ? Fate::kPending
                                                                                    : Fate::kFinished;
  }

  // Which of the others are to be finished.
  bool choose() {
    if (bound_.family() == Family::kCounter) return choose_additions();
    const bool removes = std::ranges::any_of(bound_.model().operations(), [](const OperationSpec& spec) {
      return spec.effect == Effect::kUnlessNull;
    });
    return removes ? choose_removals() : open_.empty();
  }

  // Of a collection, and which values are left then. False: it is not clear.
  bool choose_removals() {
    absl::flat_hash_set<Value> inside;
    absl::flat_hash_set<Value> gone_early;  // out before they are in: the monitor will say so
    inside.reserve(operations_.size() / 16);
    const auto take = [&](Value value) {
      if (inside.erase(value) == 0) gone_early.insert(value);
    };
    for (const Operation& operation : operations_) {
      const auto args = history_.args(operation.id);
      if (!args.empty()) {
        if (gone_early.erase(args[0]) == 0) inside.insert(args[0]);
      } else if (operation.fate == Fate::kReturned && !history_.result(operation.id).is_null()) {
        take(history_.result(operation.id));
      }
    }
    std::vector<OperationId> without;
    std::erase_if(open_, [&](OperationId id) {
      const bool is_inside = inside.erase(history_.result(id)) != 0;
      if (!is_inside) without.push_back(id);
      return !is_inside;
    });
    if (std::ranges::any_of(without, [&](OperationId id) { return may_stand_in(id); })) return false;
    for (const Operation& operation : operations_) {
      const auto args = history_.args(operation.id);
      const bool left = !args.empty() && operation.fate == Fate::kReturned && inside.contains(args[0]);
      if (left) left_.push_back(args[0]);
    }
    return true;
  }
  // It might have removed its value in the place of another, of which the result is then wrong: they run beside each other.
  [[nodiscard]] bool may_stand_in(OperationId id) const {
    return std::ranges::any_of(operations_, [&](const Operation& other) {
      const bool same = other.id != id && history_.args(other.id).empty() && other.fate != Fate::kLeftOut &&
                        history_.result(other.id) == history_.result(id);
      return same && (other.fate != Fate::kReturned || history_.ret(other.id) >= history_.call(id));
    });
  }

  // What a fetch_add found, and what it left; a read finds and leaves the same.
  struct Step {
    std::int64_t number;
    std::int64_t after;
    OperationId id;
    [[nodiscard]] bool overlaps(const Step& other) const {
      return number < other.after && other.number < after;
    }
  };
  // None: the monitor would not judge it either.
  [[nodiscard]] std::optional<Step> step_of(OperationId id) const {
    const Values& values = history_.values();
    Step step{values.as_integer(history_.result(id)), values.as_integer(history_.result(id)), id};
    if (history_.args(id).empty()) return step;
    const std::int64_t amount = values.as_integer(history_.args(id)[0]);
    if (amount <= 0 || __builtin_add_overflow(step.number, amount, &step.after)) return std::nullopt;
    return step;
  }

  // Of a counter. False: it is not clear. What is open is little: so the few are sorted, not the many.
  bool choose_additions() {
    const Value initial = bound_.initial();
    const std::int64_t least = initial.is_null() ? 0 : history_.values().as_integer(initial);
    std::int64_t most = least;  // the counter came so far
    std::vector<Step> returned;
    for (const Operation& operation : operations_) {
      if (operation.fate != Fate::kReturned) continue;
      if (bound_.spec(operation.id).returns == Returns::kNothing) return false;
      const auto step = step_of(operation.id);
      if (!step) return false;
      most = std::max(most, step->after);
      if (!open_.empty()) returned.push_back(*step);
    }
    std::vector<Step> useful;
    std::int64_t longest = 0;
    for (const OperationId id : open_) {
      const auto step = step_of(id);
      if (!step) return false;
      if (step->number < least || step->number >= most) continue;
      useful.push_back(*step);
      longest = std::max(longest, step->after - step->number);
    }
    std::ranges::sort(useful, {}, &Step::number);
    if (!useful.empty()) drop_overlapping(returned, longest, useful);
    const auto both = std::ranges::adjacent_find(useful, &Step::overlaps);
    open_.clear();
    for (const Step& step : useful) open_.push_back(step.id);
    return both == useful.end();
  }
  static void drop_overlapping(std::span<const Step> returned, std::int64_t longest,
                               std::vector<Step>& useful) {
    std::vector<bool> useless(useful.size());
    for (const Step& step : returned) {
      auto at = std::ranges::lower_bound(useful, step.after, {}, &Step::number);
      while (at != useful.begin() && std::prev(at)->number > step.number - longest) {
        --at;
        if (at->overlaps(step)) useless[static_cast<std::size_t>(at - useful.begin())] = true;
      }
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < useful.size(); ++i) {
      if (!useless[i]) useful[kept++] = useful[i];
    }
    useful.resize(kept);
  }

  // False: there is no room for it in the numbers.
  bool build() {
    for (const OperationSpec& spec : bound_.model().operations())
      functions_.push_back(builder_.function(spec.name));
    builder_.set_initial(bound_.initial());
    builder_.reserve_columns(operations_.size() + left_.size(), operations_.size());
    const absl::flat_hash_set<OperationId> finished(open_.begin(), open_.end());
    for (const auto [id, fate] : operations_) {
      if (fate == Fate::kLeftOut || (fate == Fate::kFinished && !finished.contains(id))) continue;
      const Time ret = fate == Fate::kReturned  ? history_.ret(id)
                       : fate == Fate::kPending ? kNever
                                                : end_ + 2;
      const bool has_result = fate != Fate::kPending && history_.has_result(id);
      builder_.add(history_.process(id), functions_[bound_.operation(id)], history_.args(id),
                   {history_.result(id), has_result}, history_.call(id), ret);
      original_.push_back(id);
    }
    return left_.empty() || add_removals();
  }

  // Of all values that are left, each by a process of its own.
  bool add_removals() {
    const auto operations = bound_.model().operations();
    const auto removal = std::ranges::find(operations, Effect::kUnlessNull, &OperationSpec::effect);
    const FunctionId function = functions_[static_cast<std::size_t>(removal - operations.begin())];
    std::int64_t process = 0;
    for (const Operation& operation : operations_) {
      const Value other = history_.process(operation.id);
      if (other.is_small()) process = std::max(process, other.small_integer() + 1);
    }
    if (!Value::fits(process + static_cast<std::int64_t>(left_.size()))) return false;
    for (const Value value : left_)
      builder_.add(Value::small(process++), function, {}, {value, true}, end_ + 1, end_ + 2);
    return true;
  }

  const BoundHistory& bound_;
  const History& history_;
  std::span<const Event> events_;
  HistoryBuilder builder_;
  std::vector<FunctionId> functions_;  // of the closed history, by the model's operation
  std::vector<Operation> operations_;  // by call
  std::vector<OperationId> open_;      // of these, those to be finished
  std::vector<Value> left_;            // values inside that nobody of these removes
  Time end_ = 0;
  bool unclear_ = false;
  std::vector<OperationId> original_;  // by operation of the closed history; what was added has none
};

}  // namespace

CutVerdict judge_cut(const BoundHistory& history, std::span<const Event> events) {
  return ClosedCut(history, events).judge();
}

}  // namespace plumb
