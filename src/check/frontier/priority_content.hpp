// A priority queue for content_search.hpp: how many of each value are inside follows from what has been
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
//
// Who looks at the smallest value does as an extraction that puts it back. Where somebody counts what is inside, nothing waits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "base/number_set.hpp"
#include "check/frontier/content_search.hpp"

namespace plumb {

// Values by rank, the smallest 0.
class PriorityContent {
 public:
  enum Kind : std::uint8_t {
    kInserts,
    kExtracts,
    kLost,     // an extraction that never returned
    kLooks,    // at what an extraction would take
    kCounts,   // there are so many inside
    kSome,     // there are some
    kAnytime,  // it changes nothing, and nothing matters to it
  };
  static constexpr std::uint32_t kNothing = ~std::uint32_t{0};
  struct Operation {
    Kind kind;
    std::uint32_t rank;  // kNothing: it found none, or what it took is not known
    std::int64_t count;  // of kCounts
  };

  // The values ascending, and the operations in the order of their numbers.
  PriorityContent(std::vector<Value> values, std::vector<Operation> operations)
      : values_(std::move(values)), inside_(values_.size()), operations_(std::move(operations)) {
    if (!values_.empty()) present_.cover(0, static_cast<std::uint32_t>(values_.size() - 1));
    nobody_counts_ = std::ranges::none_of(
        operations_, [](const Operation& op) { return op.kind == kCounts || op.kind == kSome; });
  }

  // In any order: in between there may be fewer than none.
  void put_in(std::uint32_t rank) {
    if (++inside_[rank] == 1) present_.insert(rank);
    ++size_;
  }
  void take_out(std::uint32_t rank) {
    if (--inside_[rank] == 0) present_.erase(rank);
    --size_;
  }

  [[nodiscard]] bool fits(std::uint32_t op) const {
    switch (operations_[op].kind) {
      case kInserts:
        return true;
      case kExtracts:
      case kLooks:
        return operations_[op].rank == least();
      case kCounts:
        return operations_[op].count == size_;
      case kAnytime:
        return true;
      case kLost:
      case kSome:
        break;
    }
    return !present_.empty();
  }
  void apply(std::uint32_t op) {
    const auto [kind, rank, count] = operations_[op];
    if (kind == kLost) {
      lost_.push_back(least());
      take_out(lost_.back());
      note_lost();
    } else if (changes(kind) && rank != kNothing) {
      kind == kInserts ? put_in(rank) : take_out(rank);
    }
  }
  void undo(std::uint32_t op) {
    const auto [kind, rank, count] = operations_[op];
    if (kind == kLost) {
      put_in(lost_.back());
      lost_.pop_back();
      note_lost();
    } else if (changes(kind) && rank != kNothing) {
      kind == kInserts ? take_out(rank) : put_in(rank);
    }
  }
  [[nodiscard]] std::optional<Value> result(std::uint32_t op) const {
    const Kind kind = operations_[op].kind;
    if (kind == kCounts || kind == kSome) return std::nullopt;
    return kind == kInserts || present_.empty() ? kNull : values_[least()];
  }
  void set_result(std::uint32_t op, Value result) {
    operations_[op].rank = result.is_null() ? kNothing : least();
  }

  // Nobody counts what is inside: else it matters when something comes in.
  [[nodiscard]] bool can_wait(std::uint32_t op) const {
    return nobody_counts_ && (operations_[op].kind == kInserts || operations_[op].kind == kLost);
  }
  [[nodiscard]] bool can_be_helped(std::uint32_t op) const {
    return operations_[op].kind == kLooks && operations_[op].rank != kNothing;
  }
  [[nodiscard]] bool takes_unknown(std::uint32_t op) const { return operations_[op].kind == kLost; }
  std::optional<ContentNeed> need(std::uint32_t op, std::uint32_t most_lost) {
    if (operations_[op].kind != kExtracts && operations_[op].kind != kLooks) return std::nullopt;
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

  // Equal for operations that are alike, whatever they count.
  static std::uint32_t kind_of(Kind kind, std::uint32_t rank) {
    constexpr std::uint32_t kKinds = 8;
    return (rank == kNothing ? 0 : rank + 1) * kKinds + kind;
  }

 private:
  static bool changes(Kind kind) { return kind == kInserts || kind == kExtracts || kind == kLost; }
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

  std::vector<Value> values_;
  std::vector<std::int32_t> inside_;
  std::int64_t size_ = 0;
  NumberSet present_;  // ranks of which there are some
  std::vector<Operation> operations_;
  bool nobody_counts_ = true;
  std::vector<std::uint32_t> lost_;  // what extractions took that never returned
  std::uint32_t lost_number_ = 0;    // of that list, from 1; 0: it is empty
  std::vector<std::vector<std::uint32_t>> lost_lists_;
  absl::flat_hash_map<std::vector<std::uint32_t>, std::uint32_t> lost_numbers_;
};

}  // namespace plumb
