// The search by frontiers of a priority queue (priority_content.hpp): of the family, and of that of java.util.concurrent, whose
// users may also look and count.
#include <algorithm>

#include <absl/container/flat_hash_map.h>

#include "check/frontier/content_part.hpp"
#include "check/frontier/frontier.hpp"
#include "check/frontier/priority_content.hpp"
#include "check/monitors/value_numbers.hpp"
#include "spec/list_form.hpp"
#include "spec/typed_model.hpp"

namespace plumb {
namespace {

using Kind = PriorityContent::Kind;

class PriorityPart {
 public:
  explicit PriorityPart(const Part& part) : part_(part), history_(*part.history) {
    operations_.reserve((part.events.size() + 1) / 2);
    steps_.reserve((part.events.size() + 1) / 2);
    if (is_of_family()) {
      initial_ = initial_items("priority-queue", values(), history_.initial()).value();
      each_operation(part, 0, [&](OperationId id, std::uint32_t call, std::uint32_t ret) {
        const ListStep step = step_of_family(id);
        if (step.kind != ListStep::Kind::kNothing) add(id, call, ret, step);
      });
    } else {
      read_form();
    }
  }

  PartVerdict search(const SearchLimits& limits) {
    PartVerdict verdict;
    verdict.why_not = why_not_;
    if (!why_not_.empty()) return verdict;
    rank_values();
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      PriorityContent::Operation& step = steps_[i];
      const Value value = Value::from_bits(step.rank);
      const bool has_value = !value.is_null();
      step.rank = has_value ? rank(value) : PriorityContent::kNothing;
      operations_.operations[i].value = alike(step);
      operations_.operations[i].keeps = step.kind != Kind::kInserts && step.kind != Kind::kLost &&
                                        (step.kind != Kind::kExtracts || !has_value);
    }
    PriorityContent content(by_rank_, std::move(steps_));
    for (const Value item : initial_) content.put_in(rank(item));
    verdict = search_content(part_, std::move(operations_), content, limits);
    if (verdict.outcome == Outcome::kViolation) {
      ListStep step = step_of(verdict.stuck.operation);
      if (kind_of(step) == Kind::kCounts) step.asks = ListStep::Kind::kNothing;
      tell_allowed(step, verdict.stuck);
    }
    return verdict;
  }

 private:
  [[nodiscard]] const Values& values() const { return history_.history().values(); }

  [[nodiscard]] bool is_of_family() const { return history_.family() == Family::kPriorityQueue; }

  void read_form() {
    ListForm form(history_);
    initial_ = form.initial();
    const auto is_number = [&](Value item) { return values().kind(item) == ValueKind::kInteger; };
    if (!std::ranges::all_of(initial_, is_number)) why_not_ = "what it begins with is no integer";
    each_operation(part_, 0, [&](OperationId id, std::uint32_t call, std::uint32_t ret) {
      if (!why_not_.empty()) return;
      const auto step = form.step(id);
      if (!step) {
        why_not_ = form.why_not();
      } else if (step->kind == ListStep::Kind::kPush && values().kind(step->value) != ValueKind::kInteger) {
        why_not_ = "what is inserted is no integer";
      } else if (ret != FrontierOp::kNever || step->kind != ListStep::Kind::kNothing) {
        add(id, call, ret, *step);
      }
    });
  }
  [[nodiscard]] ListStep step_of_family(OperationId id) const {
    const auto result = history_.result(id);
    ListStep step;
    if (history_.role(id) == Role::kInsert) {
      step.kind = ListStep::Kind::kPush;
      step.value = history_.history().args(id)[0];
      return step;
    }
    const bool looks = is_peek(history_.role(id));
    if (looks && !result) return step;  // nobody knows what it found
    step.asks = looks ? ListStep::Kind::kPeek : ListStep::Kind::kPop;
    step.kind = !result ? ListStep::Kind::kPopAny : result->is_null() ? ListStep::Kind::kCount : step.asks;
    step.value = result.value_or(kNull);
    step.when_empty = "null";
    return step;
  }
  // One that could be read before.
  [[nodiscard]] ListStep step_of(OperationId id) const {
    return is_of_family() ? step_of_family(id) : *ListForm(history_).step(id);
  }
  // Its rank is known when all values are: until then the value stands there.
  void add(OperationId id, std::uint32_t call, std::uint32_t ret, const ListStep& step) {
    operations_.operations.push_back({call, ret, 0});
    operations_.ids.push_back(id);
    steps_.push_back({kind_of(step), step.value.bits(), step.count});
  }

  // Who asks for a value and finds none is one who takes, or looks at, nothing.
  static Kind kind_of(const ListStep& step) {
    const bool asks = step.asks != ListStep::Kind::kNothing;
    switch (asks && step.count == 0 && step.kind == ListStep::Kind::kCount ? step.asks : step.kind) {
      case ListStep::Kind::kPush:
        return Kind::kInserts;
      case ListStep::Kind::kPop:
        return Kind::kExtracts;
      case ListStep::Kind::kPopAny:
        return Kind::kLost;
      case ListStep::Kind::kPeek:
        return Kind::kLooks;
      case ListStep::Kind::kCount:
        return Kind::kCounts;
      case ListStep::Kind::kSome:
        return Kind::kSome;
      case ListStep::Kind::kNothing:
        break;
    }
    return Kind::kAnytime;
  }
  // Counts have numbers of their own, above those of all ranks.
  std::uint32_t alike(const PriorityContent::Operation& step) {
    if (step.kind != Kind::kCounts) return PriorityContent::kind_of(step.kind, step.rank);
    const auto next = static_cast<std::uint32_t>(by_rank_.size() + counts_.size());
    return PriorityContent::kind_of(step.kind, counts_.try_emplace(step.count, next).first->second);
  }

  void rank_values() {
    const auto each_value = [&](auto&& visit) {
      for (const Value item : initial_) visit(item);
      for (const PriorityContent::Operation& step : steps_) {
        if (const Value value = Value::from_bits(step.rank); !value.is_null()) visit(value);
      }
    };
    each_value([&](Value value) { numbers_.expect(value); });
    numbers_.begin();
    each_value([&](Value value) {
      if (numbers_.number(value) == by_rank_.size()) by_rank_.push_back(value);
    });
    std::ranges::sort(by_rank_, [&](Value a, Value b) { return values().compare(a, b) < 0; });
    ranks_.resize(by_rank_.size());
    for (std::uint32_t at = 0; at < by_rank_.size(); ++at) ranks_[numbers_.number(by_rank_[at])] = at;
  }
  std::uint32_t rank(Value value) { return ranks_[numbers_.number(value)]; }

  const Part& part_;
  const BoundHistory& history_;
  std::string why_not_;
  FrontierOps operations_;
  std::vector<PriorityContent::Operation> steps_;  // of these
  std::vector<Value> initial_;
  ValueNumbers numbers_;  // of the values, as they are met
  std::vector<Value> by_rank_;
  std::vector<std::uint32_t> ranks_;  // by number
  absl::flat_hash_map<std::int64_t, std::uint32_t> counts_;
};

}  // namespace

PartVerdict search_frontier_priority_queue(const Part& part, const SearchLimits& limits) {
  return PriorityPart(part).search(limits);
}

}  // namespace plumb
