// A stack's history as the search by frontiers sees it (check/frontier/frontier_stack.hpp), judged by the
// definition, one order after another; and such histories, all small ones and random ones.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/rng.hpp"
#include "check/frontier/frontier_stack.hpp"

namespace plumb::test {

using StackOps = std::vector<StackOp>;

// What the operation makes of the stack; false if it does not fit.
inline bool apply(const StackOp& op, std::vector<std::uint32_t>& stack) {
  switch (op.kind) {
    case StackOp::Kind::kPush:
      stack.push_back(op.value);
      return true;
    case StackOp::Kind::kPop:
      if (stack.empty() || stack.back() != op.value) return false;
      stack.pop_back();
      return true;
    case StackOp::Kind::kPopNothing:
      return stack.empty();
    case StackOp::Kind::kPopAnything:
      if (!stack.empty()) stack.pop_back();
      return true;
  }
  return false;
}

// By the definition, of a history that ends before the position `end`: what is open there need not take
// effect.
class StackDefinition {
 public:
  StackDefinition(const StackOps& ops, std::uint32_t end) : ops_(ops), end_(end) {}
  bool is_linearizable() { return explore(0, {}); }

 private:
  bool explore(std::uint32_t taken, const std::vector<std::uint32_t>& stack) {
    std::uint32_t first_return = StackOp::kNever;
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      if ((taken >> i & 1U) == 0 && ops_[i].ret < end_) first_return = std::min(first_return, ops_[i].ret);
    }
    if (first_return == StackOp::kNever) return true;
    if (!met_.emplace(taken, stack).second) return false;
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      if ((taken >> i & 1U) != 0 || ops_[i].call > first_return || ops_[i].call > end_) continue;
      auto next = stack;
      if (apply(ops_[i], next) && explore(taken | 1U << i, next)) return true;
    }
    return false;
  }

  const StackOps& ops_;
  std::uint32_t end_;
  std::set<std::pair<std::uint32_t, std::vector<std::uint32_t>>> met_;
};

inline bool stack_by_definition(const StackOps& ops, std::uint32_t end = StackOp::kNever) {
  return StackDefinition(ops, end).is_linearizable();
}

// Is it an order of all that returned before `end`, and of no operation called later?
inline bool is_order(const StackOps& ops, std::span<const std::uint32_t> order, std::uint32_t end) {
  std::vector<bool> taken(ops.size());
  std::vector<std::uint32_t> stack;
  std::uint32_t latest_call = 0;
  for (const std::uint32_t op : order) {
    if (taken[op] || ops[op].call > end) return false;
    taken[op] = true;
    latest_call = std::max(latest_call, ops[op].call);
    if (ops[op].ret < latest_call || !apply(ops[op], stack)) return false;
  }
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].ret < end && !taken[i]) return false;
  }
  return true;
}

// So many operations of processes that are never idle, in an order that a stack had. `crash` is how likely an
// operation does not return, after which its process goes on with another.
struct StackWorkload {
  std::size_t operations = 0;
  std::size_t processes = 0;
  std::uint32_t values = 2;
  double push = 0.5;
  double crash = 0;
};

class StackRun {
 public:
  StackRun(const StackWorkload& workload, Rng& rng) : workload_(workload), rng_(rng) {}

  StackOps run() {
    std::vector<Process> busy(workload_.processes);
    for (Process& process : busy) call(process);
    while (!busy.empty()) {
      const std::size_t at = rng_.below(busy.size());
      if (!busy[at].has_taken_effect) {
        take_effect(busy[at]);
        continue;
      }
      if (!rng_.chance(workload_.crash)) ops_[busy[at].op].ret = position_++;
      if (!call(busy[at])) busy.erase(busy.begin() + static_cast<std::ptrdiff_t>(at));
    }
    for (StackOp& op : ops_) {
      if (op.ret == StackOp::kNever && op.kind != StackOp::Kind::kPush)
        op = {op.call, op.ret, 0, StackOp::Kind::kPopAnything};
    }
    return std::move(ops_);
  }

 private:
  struct Process {
    std::size_t op = 0;
    bool has_taken_effect = true;
  };

  bool call(Process& process) {
    if (ops_.size() == workload_.operations) return false;
    const bool push = rng_.chance(workload_.push);
    const auto value = push ? static_cast<std::uint32_t>(rng_.below(workload_.values)) : 0;
    process = {ops_.size(), false};
    ops_.push_back({position_++, StackOp::kNever, value, push ? StackOp::Kind::kPush : StackOp::Kind::kPop});
    return true;
  }
  void take_effect(Process& process) {
    StackOp& op = ops_[process.op];
    process.has_taken_effect = true;
    if (op.kind == StackOp::Kind::kPush) {
      stack_.push_back(op.value);
    } else if (stack_.empty()) {
      op.kind = StackOp::Kind::kPopNothing;
    } else {
      op.value = stack_.back();
      stack_.pop_back();
    }
  }

  StackWorkload workload_;
  Rng& rng_;
  StackOps ops_;
  std::vector<std::uint32_t> stack_;
  std::uint32_t position_ = 0;
};

// Another result for one pop that returned, among the last so many operations; nothing if there is none.
inline void spoil(StackOps& ops, std::uint32_t values, std::size_t among, Rng& rng) {
  std::vector<StackOp*> pops;
  for (StackOp& op : std::span(ops).last(std::min(among, ops.size()))) {
    if (op.kind != StackOp::Kind::kPush && op.ret != StackOp::kNever) pops.push_back(&op);
  }
  if (pops.empty()) return;
  StackOp& op = *pops[rng.below(pops.size())];
  const std::uint32_t was = op.kind == StackOp::Kind::kPopNothing ? values : op.value;
  const auto now = static_cast<std::uint32_t>((was + 1 + rng.below(values)) % (values + 1));
  op.kind = now == values ? StackOp::Kind::kPopNothing : StackOp::Kind::kPop;
  op.value = now == values ? 0 : now;
}

// Every history of so many operations of so many processes and two values, of which 0 comes first; what
// is open at the end is pending.
class EveryStack {
 public:
  EveryStack(std::size_t operations, std::size_t processes, std::function<void(const StackOps&)> visit)
      : operations_(operations), processes_(processes), visit_(std::move(visit)) {}
  void run() { go_on({}, 0, 0); }

 private:
  void go_on(const StackOps& ops, std::uint32_t position, std::size_t open) {
    if (ops.size() == operations_) end(ops);
    for (std::size_t i = 0; i < ops.size(); ++i) {
      if (ops[i].ret != StackOp::kNever) continue;
      StackOps next = ops;
      next[i].ret = position;
      go_on(next, position + 1, open - 1);
    }
    if (ops.size() == operations_ || open == processes_) return;
    const bool has_values =
        std::ranges::any_of(ops, [](const StackOp& op) { return op.kind != StackOp::Kind::kPopNothing; });
    for (const auto& [value, kind] : kinds_) {
      if (value == 1 && !has_values) continue;
      StackOps next = ops;
      next.push_back({position, StackOp::kNever, value, kind});
      go_on(next, position + 1, open + 1);
    }
  }
  // A pending pop has no result: of those that differ in it only, one is taken.
  void end(StackOps ops) {
    for (StackOp& op : ops) {
      if (op.ret != StackOp::kNever || op.kind == StackOp::Kind::kPush) continue;
      if (op.kind != StackOp::Kind::kPopNothing) return;
      op.kind = StackOp::Kind::kPopAnything;
    }
    visit_(ops);
  }

  const std::vector<std::pair<std::uint32_t, StackOp::Kind>> kinds_ = {{0, StackOp::Kind::kPush},
                                                                       {1, StackOp::Kind::kPush},
                                                                       {0, StackOp::Kind::kPop},
                                                                       {1, StackOp::Kind::kPop},
                                                                       {0, StackOp::Kind::kPopNothing}};
  std::size_t operations_;
  std::size_t processes_;
  std::function<void(const StackOps&)> visit_;
};

}  // namespace plumb::test
