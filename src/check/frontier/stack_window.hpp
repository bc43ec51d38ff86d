// The operations that are open at a moment, as the search of stacks goes through the events of a history,
// forth and back.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <tuple>
#include <vector>

#include "check/frontier/frontier_stack.hpp"

namespace plumb {

class StackWindow {
 public:
  struct Open {
    std::uint64_t bit;
    std::uint32_t op;
  };

  explicit StackWindow(const std::vector<StackOp>& ops) : ops_(ops), slots_(ops.size()) {}

  // Forth: an operation is called, and returns. False: too many are open.
  bool call(std::uint32_t op) {
    if (~used_ == 0) return false;
    slots_[op] = static_cast<std::uint8_t>(std::countr_one(used_));
    insert(op);
    return true;
  }
  void close(std::uint32_t op) {
    erase(op);
    height_ += gain(op);
  }
  // And back.
  void reopen(std::uint32_t op) {
    height_ -= gain(op);
    insert(op);
  }
  void uncall(std::uint32_t op) { erase(op); }

  // Those that change the stack; alike ones are neighbours, the earliest return first.
  [[nodiscard]] const std::vector<Open>& open() const { return open_; }
  [[nodiscard]] bool alike(std::uint32_t a, std::uint32_t b) const { return label(a) == label(b); }
  [[nodiscard]] std::uint64_t bit(std::uint32_t op) const { return std::uint64_t{1} << slots_[op]; }
  [[nodiscard]] std::uint32_t at(std::uint64_t bit) const {
    return by_slot_[static_cast<std::size_t>(std::countr_zero(bit))];
  }
  // Pops of nothing, and pops of which the result is not known.
  [[nodiscard]] std::uint64_t nothings() const { return of(StackOp::Kind::kPopNothing); }
  [[nodiscard]] std::uint64_t anythings() const { return of(StackOp::Kind::kPopAnything); }

  // Of the stack, when all that returned has been taken, and this.
  [[nodiscard]] std::int64_t height(std::uint64_t taken) const {
    const std::uint64_t pops = of(StackOp::Kind::kPop) | of(StackOp::Kind::kPopAnything);
    return height_ + std::popcount(taken & of(StackOp::Kind::kPush)) - std::popcount(taken & pops);
  }

 private:
  [[nodiscard]] std::int64_t gain(std::uint32_t op) const {
    if (ops_[op].kind == StackOp::Kind::kPopNothing) return 0;
    return ops_[op].kind == StackOp::Kind::kPush ? 1 : -1;
  }
  [[nodiscard]] std::pair<StackOp::Kind, std::uint32_t> label(std::uint32_t op) const {
    return {ops_[op].kind, ops_[op].kind == StackOp::Kind::kPopAnything ? 0 : ops_[op].value};
  }
  [[nodiscard]] auto place(std::uint32_t op) const {
    return std::tuple(label(op), ops_[op].ret, ops_[op].call);
  }
  [[nodiscard]] std::uint64_t of(StackOp::Kind kind) const { return masks_[static_cast<std::size_t>(kind)]; }

  void insert(std::uint32_t op) {
    used_ |= bit(op);
    by_slot_[slots_[op]] = op;
    masks_[static_cast<std::size_t>(ops_[op].kind)] |= bit(op);
    if (ops_[op].kind == StackOp::Kind::kPopNothing) return;
    open_.insert(find(op), {bit(op), op});
  }
  void erase(std::uint32_t op) {
    used_ &= ~bit(op);
    masks_[static_cast<std::size_t>(ops_[op].kind)] &= ~bit(op);
    if (ops_[op].kind != StackOp::Kind::kPopNothing) open_.erase(find(op));
  }
  [[nodiscard]] std::vector<Open>::const_iterator find(std::uint32_t op) const {
    return std::ranges::lower_bound(open_, place(op), {}, [&](const Open& o) { return place(o.op); });
  }

  const std::vector<StackOp>& ops_;
  std::vector<std::uint8_t> slots_;
  std::array<std::uint32_t, StackOp::kMostOpen> by_slot_ = {};
  std::array<std::uint64_t, 4> masks_ = {};  // by kind
  std::uint64_t used_ = 0;
  std::int64_t height_ = 0;  // of what returned
  std::vector<Open> open_;
};

}  // namespace plumb
