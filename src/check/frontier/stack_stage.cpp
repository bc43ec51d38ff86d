#include "check/frontier/stack_stage.hpp"

#include <algorithm>
#include <bit>

namespace plumb {

using Kind = StackOp::Kind;

// By how much they have taken: what leads to an entry is complete before the entry is gone on from.
void StackStage::run(std::span<const StackFrontier> before, std::uint32_t returns, std::int64_t floor,
                     std::uint32_t most_anythings) {
  x_ = returns;
  floor_ = floor;
  most_anythings_ = static_cast<int>(most_anythings);
  reset(before.size());
  begin(before);
  for (auto& bucket : buckets_) {
    for (std::size_t i = 0; i < bucket.size() && !is_spent(); ++i) go_on(bucket[i]);
  }
}

// With many operations open, one return alone can be too much.
bool StackStage::is_spent() {
  const std::size_t bytes = entries_.size() * 2 * sizeof(Entry) + moves_.size() * sizeof(Move);
  if (entries_.size() > limits_.configurations) gauge_.spend(StopReason::kRound);
  if (words_.bytes() + bytes > limits_.memory) gauge_.spend(StopReason::kMemory);
  return gauge_.spent();
}

void StackStage::reset(std::size_t expected) {
  slots_.assign(std::bit_ceil(std::max<std::size_t>(64, 4 * expected)), 0);
  entries_.clear();
  after_.clear();
  moves_.clear();
  for (auto& bucket : buckets_) bucket.clear();
}

void StackStage::begin(std::span<const StackFrontier> before) {
  const StackOp& x = ops_[x_];
  const auto& open = window_.open();
  for (std::uint32_t i = 0; i < before.size(); ++i) {
    const std::uint64_t taken = before[i].taken;
    const WordSets::Set words = before[i].words;
    reach(taken, words, {.kind = Move::kBegin, .phase = kPopping, .from = i, .op = x_, .to = 0});
    if (x.kind != Kind::kPop || has_x(taken)) continue;
    const auto push = std::ranges::find_if(open, [&](const StackWindow::Open& o) {
      return ops_[o.op].kind == Kind::kPush && ops_[o.op].value == x.value && (taken & o.bit) == 0;
    });
    if (push == open.end()) continue;
    reach(taken | push->bit | window_.bit(x_), words,
          {.kind = Move::kPair, .phase = kPopping, .from = i, .op = push->op, .to = 0});
  }
}

void StackStage::go_on(std::uint32_t from) {
  const auto [taken, words] = entries_[from];
  const WordSets::Set both =
      ops_[x_].kind == Kind::kPush ? words_.unite(words[kPopping], words[kPushing]) : WordSets::kNone;
  std::uint32_t last = x_;
  take_other(from, x_, window_.bit(x_), both);
  for (const auto& [bit, op] : window_.open()) {
    if ((taken & bit) != 0 || window_.alike(op, x_) || (last != x_ && window_.alike(op, last))) continue;
    last = op;
    take_other(from, op, bit, both);
  }
}

void StackStage::take_other(std::uint32_t from, std::uint32_t op, std::uint64_t bit, WordSets::Set both) {
  const Entry& entry = entries_[from];
  const std::uint64_t taken = entry.taken;
  const WordSets::Set popped = entry.words[kPopping];
  Move move{.kind = Move::kStep, .phase = kPopping, .from = from, .op = op, .to = 0};
  switch (ops_[op].kind) {
    case Kind::kPush:
      if (ops_[op].ret == StackOp::kNever || both == WordSets::kNone) return;
      move.phase = op == x_ ? kPopping : kPushing;
      return reach(taken | bit, words_.put(both, ops_[op].value), move);
    case Kind::kPop:
      return reach(taken | bit, words_.after(popped, ops_[op].value), move);
    case Kind::kPopAnything:
      if (std::popcount(taken & window_.anythings()) < most_anythings_)
        return reach(taken | bit, words_.after_any(popped), move);
      held_back_ = true;
      return;
    case Kind::kPopNothing:
      return;  // reach() does it
  }
}

void StackStage::reach(std::uint64_t taken, WordSets::Set words, Move move) {
  if (words == WordSets::kNone) return;
  if (words == WordSets::kEmptyWord) taken |= window_.nothings();
  const std::int64_t height = window_.height(taken);
  if (height > 0 && height <= floor_) words = WordSets::kSettled;
  move.to = find_or_add(taken);
  WordSets::Set& all = entries_[move.to].words[move.phase];
  all = words_.unite(all, words);
  if (notes_) moves_.push_back(move);
}

std::size_t StackStage::slot_of(std::uint64_t taken) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = ((taken ^ (taken >> 29)) * 0x9E37'79B9'7F4A'7C15ULL >> 32) & mask;
  while (slots_[slot] != 0 && entries_[slots_[slot] - 1].taken != taken) slot = (slot + 1) & mask;
  return slot;
}

std::uint32_t StackStage::find_or_add(std::uint64_t taken) {
  const std::size_t slot = slot_of(taken);
  if (slots_[slot] != 0) return slots_[slot] - 1;
  const auto added = static_cast<std::uint32_t>(entries_.size());
  entries_.push_back({taken, {WordSets::kNone, WordSets::kNone}});
  slots_[slot] = added + 1;
  if (has_x(taken)) {
    after_.push_back(added);
  } else {
    buckets_[static_cast<std::size_t>(std::popcount(taken))].push_back(added);
  }
  if (2 * entries_.size() > slots_.size()) {
    slots_.assign(2 * slots_.size(), 0);
    for (std::uint32_t i = 0; i < entries_.size(); ++i) slots_[slot_of(entries_[i].taken)] = i + 1;
  }
  return added;
}

}  // namespace plumb
