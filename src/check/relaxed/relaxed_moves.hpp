// How a relaxed search may go on: every operation, and every pair of operations of a class, that may take the next place. The
// other half of relaxed_search.hpp, which includes it.
#pragma once

#include "check/relaxed/relaxed_search.hpp"

namespace plumb {

template <std::size_t kWords>
void RelaxedSearch<kWords>::find_children(const Configuration& at) {
  for (const std::uint32_t operation : layout_.open(at.r)) {
    if (layout_.class_of[operation] == kNone && !op(operation).leaves_state &&
        !at.window.test(op(operation).slot)) {
      try_unmoved(at, operation);
    }
  }
  for (std::uint32_t number = 0; number < layout_.pending_until(at.r); ++number) {
    const std::uint32_t operation = layout_.base.pending[number];
    const std::uint32_t before = layout_.base.equal_before[number];
    if (layout_.class_of[operation] == kNone && !at.pending.test(number) &&
        (before == kNone || at.pending.test(before))) {
      try_unmoved(at, operation);
    }
  }
  for (std::uint32_t one = 0; one < layout_.classes.size(); ++one) try_class(at, one);
}

template <std::size_t kWords>
void RelaxedSearch<kWords>::try_unmoved(const Configuration& at, std::uint32_t operation) {
  next_.clear();
  states_.step(at.state, op(operation).call, op(operation).result, next_);
  if (!op(operation).result) std::erase(next_, at.state);  // a pending one without effect is no step forward
  for (const StateId state : next_) {
    children_.push_back({{operation, operation, state}, std::uint64_t{layout_.ret[operation]} << 32U});
  }
}

// Every pair of operations of the class that may take the next place.
template <std::size_t kWords>
void RelaxedSearch<kWords>::try_class(const Configuration& at, std::uint32_t one) {
  find_sequenced(at, one);
  if (sequenced_.empty()) return;
  const std::uint32_t k = layout_.classes[one].k;
  std::uint32_t last_chance = kNone;
  for (const Displaced owed : owed_[at.owed]) {
    if (layout_.class_of[owed.operation()] == one && !owed.is_ahead() && owed.age() == k)
      last_chance = owed.operation();
  }
  if (last_chance != kNone) return try_legal(at, last_chance, 0);
  for (const Displaced owed : owed_[at.owed]) {
    if (layout_.class_of[owed.operation()] == one && !owed.is_ahead())
      try_legal(at, owed.operation(), k - owed.age());
  }
  for (const std::uint32_t operation : layout_.open(at.r)) {
    if (layout_.class_of[operation] == one && !at.window.test(op(operation).slot) &&
        find_owed(at, operation) == nullptr) {
      try_legal(at, operation, k + layout_.ret[operation] - at.r);
    }
  }
  try_early(at, one);
}

// The rest of those that the legal history may take: the ones that are pending, and the ones not called yet.
template <std::size_t kWords>
void RelaxedSearch<kWords>::try_early(const Configuration& at, std::uint32_t one) {
  const RelaxedLayout::Class& all = layout_.classes[one];
  for (std::uint32_t number = 0; number < layout_.pending_until(at.r); ++number) {
    const std::uint32_t operation = layout_.base.pending[number];
    if (layout_.class_of[operation] == one && !at.pending.test(number) && find_owed(at, operation) == nullptr)
      try_legal(at, operation, kNone);
  }
  const std::uint32_t called = layout_.called_until(at.r);
  for (auto it = std::ranges::lower_bound(all.members, called); it != all.members.end(); ++it) {
    if (must_come_before(at, *it, all.k) > all.k) break;  // more so those called later
    if (find_owed(at, *it) == nullptr) try_legal(at, *it, all.k + layout_.returns_before[*it] - at.r);
  }
}

// Those of the class that may take the place in the sequentialization; only one if that is its last chance.
template <std::size_t kWords>
void RelaxedSearch<kWords>::find_sequenced(const Configuration& at, std::uint32_t one) {
  const std::uint32_t k = layout_.classes[one].k;
  sequenced_.clear();
  std::uint32_t last_chance = kNone;
  for (const Displaced owed : owed_[at.owed]) {
    if (layout_.class_of[owed.operation()] == one && owed.is_ahead() && owed.age() == k)
      last_chance = owed.operation();
  }
  const auto add = [&](std::uint32_t operation) {
    if (last_chance != kNone && operation != last_chance) return;
    const std::uint32_t twin = layout_.twin[operation];
    if (twin != kNone && !is_sequenced(at, twin)) return;
    const Displaced* owed = find_owed(at, operation);
    sequenced_.push_back({operation, owed == nullptr ? kNotLegalYet : owed->age()});
  };
  for (const std::uint32_t operation : layout_.open(at.r)) {
    if (layout_.class_of[operation] == one && !at.window.test(op(operation).slot)) add(operation);
  }
  for (std::uint32_t number = 0; number < layout_.pending_until(at.r); ++number) {
    const std::uint32_t operation = layout_.base.pending[number];
    if (layout_.class_of[operation] == one && !at.pending.test(number)) add(operation);
  }
}

// The legal history takes this one next, if the state allows it, beside any that the sequentialization may take.
template <std::size_t kWords>
void RelaxedSearch<kWords>::try_legal(const Configuration& at, std::uint32_t operation, std::uint32_t rank) {
  const std::uint32_t twin = layout_.twin[operation];
  if (twin != kNone && !is_legal(at, twin)) return;
  next_.clear();
  states_.step(at.state, op(operation).call, op(operation).result, next_);
  if (next_.empty()) return;
  for (const Sequenced& sequenced : sequenced_) {
    if (is_outdone(sequenced, operation)) continue;
    const std::uint32_t second = sequenced.operation == operation ? 0 : std::min(rank, kNone - 1) + 1;
    for (const StateId state : next_) {
      children_.push_back({{sequenced.operation, operation, state},
                           std::uint64_t{layout_.ret[sequenced.operation]} << 32U | second});
    }
  }
}

// Another one is owed for longer, or is the one that the legal history takes here, and returns no later.
template <std::size_t kWords>
bool RelaxedSearch<kWords>::is_outdone(const Sequenced& y, std::uint32_t legal) const {
  // Larger: earlier in the legal history. 0: not there yet.
  const auto earliness = [&](const Sequenced& one) { return 2 * one.age + (one.operation == legal ? 1 : 0); };
  return std::ranges::any_of(sequenced_, [&](const Sequenced& x) {
    return earliness(x) > earliness(y) && layout_.ret[x.operation] <= layout_.ret[y.operation];
  });
}

}  // namespace plumb
