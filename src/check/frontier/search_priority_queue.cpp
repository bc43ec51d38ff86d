// The search by frontiers of a priority queue: how many of each value are inside is told by what has been
// inserted and extracted.
//
// An extraction that never returned may have taken whatever was the smallest then: its contents are told by
// the order, too. Such parts are left to the general search.
#include <algorithm>

#include <absl/container/flat_hash_map.h>

#include "base/number_set.hpp"
#include "check/frontier/content_part.hpp"
#include "check/frontier/frontier.hpp"
#include "spec/typed_model.hpp"

namespace plumb {
namespace {

// Values by rank, the smallest 0.
class PriorityContent {
 public:
  explicit PriorityContent(std::vector<Value> values) : values_(std::move(values)), inside_(values_.size()) {
    if (!values_.empty()) present_.cover(0, static_cast<std::uint32_t>(values_.size() - 1));
  }

  void put_in(std::uint32_t rank) {
    if (inside_[rank]++ == 0) present_.insert(rank);
  }
  void take_out(std::uint32_t rank) {
    if (--inside_[rank] == 0) present_.erase(rank);
  }
  void add(bool inserts, std::uint32_t rank) { operations_.push_back({inserts, rank}); }

  [[nodiscard]] bool fits(std::uint32_t op) const {
    return operations_[op].inserts || operations_[op].rank == least();
  }
  void apply(std::uint32_t op) { move(op, operations_[op].inserts); }
  void undo(std::uint32_t op) { move(op, !operations_[op].inserts); }
  [[nodiscard]] std::optional<Value> result(std::uint32_t op) const {
    return operations_[op].inserts || present_.empty() ? kNull : values_[least()];
  }
  void set_result(std::uint32_t op, Value result) {
    operations_[op].rank = result.is_null() ? kNothing : least();
  }
  static constexpr std::uint32_t kNothing = ~std::uint32_t{0};

 private:
  struct Operation {
    bool inserts;
    std::uint32_t rank;  // kNothing: it found none
  };
  [[nodiscard]] std::uint32_t least() const { return present_.empty() ? kNothing : present_.least(); }
  void move(std::uint32_t op, bool in) {
    if (operations_[op].rank == kNothing) return;
    if (in) {
      put_in(operations_[op].rank);
    } else {
      take_out(operations_[op].rank);
    }
  }

  std::vector<Value> values_;  // ascending
  std::vector<std::uint32_t> inside_;
  NumberSet present_;  // ranks of which there are some
  std::vector<Operation> operations_;
};

class PriorityPart {
 public:
  explicit PriorityPart(const Part& part)
      : part_(part),
        history_(*part.history),
        initial_(initial_items("priority-queue", values(), history_.initial()).value()) {}

  PartVerdict search(const SearchLimits& limits) {
    rank_values();
    PriorityContent content(by_rank_);
    for (const Value item : initial_) content.put_in(ranks_.at(item));
    FrontierOps operations;
    bool is_lost = false;
    each_operation(part_, 0, [&](OperationId id, std::uint32_t call, std::uint32_t ret) {
      const bool inserts = history_.role(id) == Role::kInsert;
      is_lost = is_lost || (!inserts && !history_.result(id));
      const Value value = value_of(id);
      const std::uint32_t rank = value.is_null() ? PriorityContent::kNothing : ranks_.at(value);
      const std::uint32_t kind = value.is_null() ? 0 : 2 * rank + (inserts ? 1 : 2);
      operations.operations.push_back({call, ret, kind, value.is_null()});
      operations.ids.push_back(id);
      content.add(inserts, rank);
    });
    if (!is_lost) return search_content(part_, operations, content, limits);
    PartVerdict verdict;
    verdict.why_not = "an extraction never returned";
    return verdict;
  }

 private:
  [[nodiscard]] const Values& values() const { return history_.history().values(); }
  // What it puts in or takes out; null: neither.
  [[nodiscard]] Value value_of(OperationId id) const {
    return history_.role(id) == Role::kInsert ? history_.history().args(id)[0]
                                              : history_.result(id).value_or(kNull);
  }

  void rank_values() {
    by_rank_ = initial_;
    for (const Event event : part_.events) {
      if (event.is_return()) continue;
      const Value value = value_of(event.operation());
      if (!value.is_null() && ranks_.try_emplace(value, 0).second) by_rank_.push_back(value);
    }
    std::ranges::sort(by_rank_, [&](Value a, Value b) { return values().compare(a, b) < 0; });
    by_rank_.erase(std::unique(by_rank_.begin(), by_rank_.end()), by_rank_.end());
    for (std::uint32_t rank = 0; rank < by_rank_.size(); ++rank) ranks_[by_rank_[rank]] = rank;
  }

  const Part& part_;
  const BoundHistory& history_;
  std::vector<Value> initial_;
  std::vector<Value> by_rank_;
  absl::flat_hash_map<Value, std::uint32_t> ranks_;
};

}  // namespace

PartVerdict search_frontier_priority_queue(const Part& part, const SearchLimits& limits) {
  return PriorityPart(part).search(limits);
}

}  // namespace plumb
