// The search by frontiers of a priority queue: how many of each value are inside follows from what has been
// inserted and extracted, and by what extractions took that never returned.
//
// An insertion can wait. Take an order in which an insertion of v is not the next to return, and what comes
// right after it; let the two change places, unless that is an extraction of v that finds no other v. An
// extraction of another value is of a smaller one, and does not miss v; one that finds nothing does not come
// while v is inside. So an insertion comes when it is the next to return, or right before an extraction that
// needs it.
//
// An extraction that never returned takes whatever is the smallest, and its result is not known. If it takes
// v, the others can miss v only where one of them takes a larger value, or finds nothing. Until then it can
// wait: what comes in between and is extracted is no larger than v, and as it is gone by then, v is the
// smallest again. So such extractions come right before one that takes u, or nothing, and take all that is
// smaller than u. They are as many as that; and a state is a frontier and what they have taken. (An insertion
// whose value such an extraction takes at once waits together with it.)
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
  enum Kind : std::uint8_t {
    kInserts,
    kExtracts,
    kLost,  // an extraction that never returned
  };
  static constexpr std::uint32_t kNothing = ~std::uint32_t{0};

  explicit PriorityContent(std::vector<Value> values) : values_(std::move(values)), inside_(values_.size()) {
    if (!values_.empty()) present_.cover(0, static_cast<std::uint32_t>(values_.size() - 1));
  }

  // In any order: in between there may be fewer than none.
  void put_in(std::uint32_t rank) {
    if (++inside_[rank] == 1) present_.insert(rank);
  }
  void take_out(std::uint32_t rank) {
    if (--inside_[rank] == 0) present_.erase(rank);
  }
  void add(Kind kind, std::uint32_t rank) { operations_.push_back({kind, rank}); }

  [[nodiscard]] bool fits(std::uint32_t op) const {
    switch (operations_[op].kind) {
      case kInserts:
        return true;
      case kExtracts:
        return operations_[op].rank == least();
      case kLost:
        break;
    }
    return !present_.empty();
  }
  void apply(std::uint32_t op) {
    const auto [kind, rank] = operations_[op];
    if (kind == kLost) {
      lost_.push_back(least());
      take_out(lost_.back());
      note_lost();
    } else if (rank != kNothing) {
      kind == kInserts ? put_in(rank) : take_out(rank);
    }
  }
  void undo(std::uint32_t op) {
    const auto [kind, rank] = operations_[op];
    if (kind == kLost) {
      put_in(lost_.back());
      lost_.pop_back();
      note_lost();
    } else if (rank != kNothing) {
      kind == kInserts ? take_out(rank) : put_in(rank);
    }
  }
  [[nodiscard]] std::optional<Value> result(std::uint32_t op) const {
    return operations_[op].kind == kInserts || present_.empty() ? kNull : values_[least()];
  }
  void set_result(std::uint32_t op, Value result) {
    operations_[op].rank = result.is_null() ? kNothing : least();
  }

  [[nodiscard]] bool can_wait(std::uint32_t op) const { return operations_[op].kind != kExtracts; }
  [[nodiscard]] bool takes_unknown(std::uint32_t op) const { return operations_[op].kind == kLost; }
  std::optional<ContentNeed> need(std::uint32_t op, std::uint32_t most_lost) {
    const std::uint32_t rank = operations_[op].rank;
    ContentNeed need;
    std::vector<std::uint32_t> smaller;
    while (least() < rank && smaller.size() < most_lost) {
      smaller.push_back(least());
      take_out(smaller.back());
    }
    const bool enough = least() >= rank;
    if (rank != kNothing && least() != rank) need.alike = kind_of(kInserts, rank);
    for (const std::uint32_t taken : smaller) put_in(taken);
    need.unknown = static_cast<std::uint32_t>(smaller.size());
    return enough ? std::optional(need) : std::nullopt;
  }
  [[nodiscard]] std::uint32_t unknown() const { return lost_number_; }
  void change_by(std::uint32_t unknown, bool back) {
    lost_.clear();
    if (!back && unknown != 0) lost_ = lost_lists_[unknown - 1];
    lost_number_ = back ? 0 : unknown;
    if (unknown == 0) return;
    for (const std::uint32_t rank : lost_lists_[unknown - 1]) back ? put_in(rank) : take_out(rank);
  }

  // Operations of one kind are alike.
  static std::uint32_t kind_of(Kind kind, std::uint32_t rank) {
    if (kind == kLost) return 1;
    return rank == kNothing ? 0 : 2 * rank + (kind == kInserts ? 2 : 3);
  }

 private:
  struct Operation {
    Kind kind;
    std::uint32_t rank;  // kNothing: it found none, or what it took is not known
  };
  [[nodiscard]] std::uint32_t least() const { return present_.empty() ? kNothing : present_.least(); }
  // Lists of the same values have the same number.
  void note_lost() {
    lost_number_ = 0;
    if (lost_.empty()) return;
    std::vector<std::uint32_t> sorted = lost_;
    std::ranges::sort(sorted);
    const auto next = static_cast<std::uint32_t>(lost_lists_.size() + 1);
    const auto [it, is_new] = lost_numbers_.try_emplace(sorted, next);
    if (is_new) lost_lists_.push_back(std::move(sorted));
    lost_number_ = it->second;
  }

  std::vector<Value> values_;  // ascending
  std::vector<std::int32_t> inside_;
  NumberSet present_;  // ranks of which there are some
  std::vector<Operation> operations_;
  std::vector<std::uint32_t> lost_;  // what extractions took that never returned
  std::uint32_t lost_number_ = 0;    // of that list, from 1; 0: it is empty
  std::vector<std::vector<std::uint32_t>> lost_lists_;
  absl::flat_hash_map<std::vector<std::uint32_t>, std::uint32_t> lost_numbers_;
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
    each_operation(part_, 0, [&](OperationId id, std::uint32_t call, std::uint32_t ret) {
      const PriorityContent::Kind kind = history_.role(id) == Role::kInsert ? PriorityContent::kInserts
                                         : history_.result(id)              ? PriorityContent::kExtracts
                                                                            : PriorityContent::kLost;
      const Value value = value_of(id);
      const std::uint32_t rank = value.is_null() ? PriorityContent::kNothing : ranks_.at(value);
      const bool keeps = kind == PriorityContent::kExtracts && value.is_null();
      operations.operations.push_back({call, ret, PriorityContent::kind_of(kind, rank), keeps});
      operations.ids.push_back(id);
      content.add(kind, rank);
    });
    return search_content(part_, operations, content, limits);
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
