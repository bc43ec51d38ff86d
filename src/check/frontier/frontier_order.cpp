#include "check/frontier/frontier_order.hpp"

#include <functional>

#include <absl/container/flat_hash_map.h>

namespace plumb {
namespace {

// Their calls and returns, in order. Positions are dense: so they are put where they belong, not sorted.
class Timeline {
 public:
  explicit Timeline(std::span<const FrontierOp> operations) {
    std::uint32_t last = 0;
    for (const FrontierOp& op : operations)
      last = std::max({last, op.call, op.ret == FrontierOp::kNever ? 0 : op.ret});
    events_.assign(last + std::size_t{1}, kNone);
    for (std::uint32_t op = 0; op < operations.size(); ++op) {
      events_[operations[op].call] = 2 * op;
      if (operations[op].ret != FrontierOp::kNever) events_[operations[op].ret] = 2 * op + 1;
    }
  }
  // visit(op, is_return)
  template <class Visit>
  void each(Visit&& visit) const {
    for (const std::uint32_t event : events_) {
      if (event != kNone) visit(event / 2, event % 2 != 0);
    }
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<std::uint32_t> events_;  // by position: twice the operation, and 1 for its return
};

// Of those that `counts` says yes to.
template <class Counts>
std::uint32_t most_at_once(std::span<const FrontierOp> operations, Counts&& counts) {
  std::vector<std::int8_t> changes(2 * operations.size());  // by position
  for (std::uint32_t op = 0; op < operations.size(); ++op) {
    if (!counts(op)) continue;
    const auto [call, ret, value, keeps] = operations[op];
    const std::uint32_t last = ret == FrontierOp::kNever ? call : std::max(call, ret);
    if (last >= changes.size()) changes.resize(last + std::size_t{1});
    changes[call] = 1;
    if (ret != FrontierOp::kNever) changes[ret] = -1;
  }
  std::int32_t open = 0;
  std::int32_t most = 0;
  for (const std::int8_t change : changes) {
    open += change;
    most = std::max(most, open);
  }
  return static_cast<std::uint32_t>(most);
}

}  // namespace

std::uint32_t FrontierOrder::most_open(std::span<const FrontierOp> operations) {
  return most_at_once(operations, [](std::uint32_t) { return true; });
}

std::uint32_t FrontierOrder::slots_for(std::span<const FrontierOp> operations) {
  const Lines lines(operations);
  return most_at_once(operations, [&](std::uint32_t op) { return !lines.has(op); });
}

// The longest first, as long as there is room for their numbers; none where the mask is wide enough.
FrontierOrder::Lines::Lines(std::span<const FrontierOp> operations) {
  constexpr std::size_t kLeast = 4;
  const auto never = static_cast<std::size_t>(
      std::ranges::count(operations, FrontierOp::kNever, [](const FrontierOp& op) { return op.ret; }));
  if (never < kLeast || most_open(operations) <= kMostOpen) return;
  absl::flat_hash_map<std::pair<std::uint32_t, bool>, std::size_t> numbers;
  std::vector<Line> found;
  for (std::uint32_t op = 0; op < operations.size(); ++op) {
    if (operations[op].ret != FrontierOp::kNever) continue;
    const auto [it, is_new] = numbers.try_emplace({operations[op].value, operations[op].keeps}, found.size());
    if (is_new) found.emplace_back();
    found[it->second].operations.push_back(op);
  }
  std::ranges::stable_sort(found, std::greater(), [](const Line& l) { return l.operations.size(); });
  line.assign(operations.size(), kNone);
  place.assign(operations.size(), 0);
  std::uint64_t one = 1;
  for (Line& next : found) {
    const std::uint64_t after = one * (next.operations.size() + 1);
    if (next.operations.size() < kLeast || after > ~std::uint32_t{0}) break;
    next.one = static_cast<std::uint32_t>(one);
    one = after;
    for (std::uint32_t i = 0; i < next.operations.size(); ++i) {
      line[next.operations[i]] = static_cast<std::uint32_t>(all.size());
      place[next.operations[i]] = i;
    }
    all.push_back(std::move(next));
  }
}

void FrontierOrder::lay_out() {
  lines_ = Lines(operations_);
  slot_.resize(operations_.size());
  better_.resize(operations_.size());
  std::uint64_t open = 0;
  std::array<std::uint32_t, kMostOpen> holder = {};
  const auto keep = [&] {
    open_.push_back(open);
    open_from_.push_back(static_cast<std::uint32_t>(open_operations_.size()));
    for (std::uint64_t left = open; left != 0; left &= left - 1)
      open_operations_.push_back(holder[static_cast<std::size_t>(std::countr_zero(left))]);
  };
  Timeline(operations_).each([&](std::uint32_t op, bool is_return) {
    if (is_return) {
      keep();
      returning_.push_back(op);
      open &= ~bit(op);
      return;
    }
    for (std::uint64_t left = open; left != 0; left &= left - 1) {
      const FrontierOp& other = operations_[holder[static_cast<std::size_t>(std::countr_zero(left))]];
      if (are_alike(other, operations_[op]) && other.ret <= operations_[op].ret) better_[op] |= left & -left;
    }
    if (lines_.has(op)) return;
    const int slot = std::countr_one(open);
    slot_[op] = static_cast<std::uint8_t>(slot);
    holder[static_cast<std::size_t>(slot)] = op;
    open |= bit(op);
  });
  keep();
}

}  // namespace plumb
