// The search by frontiers of a priority queue (priority_content.hpp): of the family, and of that of java.util.concurrent, whose
// users may also look and count.
#include <algorithm>

#include <absl/container/flat_hash_map.h>

#include "check/frontier/content_part.hpp"
#include "check/frontier/frontier.hpp"
#include "check/frontier/priority_content.hpp"
#include "spec/list_form.hpp"
#include "spec/typed_model.hpp"

namespace plumb {
namespace {

using Kind = PriorityContent::Kind;

class PriorityPart {
 public:
  explicit PriorityPart(const Part& part) : part_(part), history_(*part.history) {
    if (history_.family() == Family::kPriorityQueue) {
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
    PriorityContent content(by_rank_);
    for (const Value item : initial_) content.put_in(ranks_.at(item));
    FrontierOps operations;
    for (const Operation& op : operations_) {
      const Kind kind = kind_of(op.step);
      const bool has_value = !op.step.value.is_null();
      const std::uint32_t rank = has_value ? ranks_.at(op.step.value) : PriorityContent::kNothing;
      const bool changes =
          kind == Kind::kInserts || kind == Kind::kLost || (kind == Kind::kExtracts && has_value);
      operations.operations.push_back({op.call, op.ret, alike(kind, rank, op.step.count), !changes});
      operations.ids.push_back(op.id);
      content.add(kind, rank, op.step.count);
    }
    verdict = search_content(part_, operations, content, limits);
    if (verdict.outcome == Outcome::kViolation) {
      const auto stuck = std::ranges::find(operations_, verdict.stuck.operation, &Operation::id);
      ListStep step = stuck->step;
      if (kind_of(step) == Kind::kCounts) step.asks = ListStep::Kind::kNothing;
      tell_allowed(step, verdict.stuck);
    }
    return verdict;
  }

 private:
  struct Operation {
    OperationId id;
    std::uint32_t call;
    std::uint32_t ret;
    ListStep step;
  };

  [[nodiscard]] const Values& values() const { return history_.history().values(); }

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
  void add(OperationId id, std::uint32_t call, std::uint32_t ret, const ListStep& step) {
    operations_.push_back({id, call, ret, step});
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
  std::uint32_t alike(Kind kind, std::uint32_t rank, std::int64_t count) {
    if (kind != Kind::kCounts) return PriorityContent::kind_of(kind, rank);
    const auto next = static_cast<std::uint32_t>(by_rank_.size() + counts_.size());
    return PriorityContent::kind_of(kind, counts_.try_emplace(count, next).first->second);
  }

  void rank_values() {
    by_rank_ = initial_;
    for (const Operation& op : operations_) {
      const Value value = op.step.value;
      if (!value.is_null() && ranks_.try_emplace(value, 0).second) by_rank_.push_back(value);
    }
    std::ranges::sort(by_rank_, [&](Value a, Value b) { return values().compare(a, b) < 0; });
    by_rank_.erase(std::unique(by_rank_.begin(), by_rank_.end()), by_rank_.end());
    for (std::uint32_t rank = 0; rank < by_rank_.size(); ++rank) ranks_[by_rank_[rank]] = rank;
  }

  const Part& part_;
  const BoundHistory& history_;
  std::string why_not_;
  std::vector<Operation> operations_;
  std::vector<Value> initial_;
  std::vector<Value> by_rank_;
  absl::flat_hash_map<Value, std::uint32_t> ranks_;
  absl::flat_hash_map<std::int64_t, std::uint32_t> counts_;
};

}  // namespace

PartVerdict search_frontier_priority_queue(const Part& part, const SearchLimits& limits) {
  return PriorityPart(part).search(limits);
}

}  // namespace plumb
