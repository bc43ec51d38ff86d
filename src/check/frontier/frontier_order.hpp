// The sets of operations that an order can have taken so far, when it keeps to happens-before.
//
// Take such a set, and t, the first return among the operations that are not in it. Everything that returned
// before t is in the set; nothing that is called after t is, as what returns at t comes before that. So the
// set is t and a subset of the operations that are open at t: a number and a mask, as wide as operations
// overlap at a moment, however long the history is and however many processes it has. Lee and Mathur (Fixed
// Parameter Tractable Linearizability Monitoring, PLDI 2026) call these sets frontiers.
//
// An operation that never returns stays open to the end, and is never missed: whether it took effect is left
// to the order. Those that do the same stand in a line, where there are too many for the mask: the first to be
// called is taken first, so their number says which are.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <plumb/value.hpp>

namespace plumb {

// An operation as frontiers know it. Positions are those of its events, all different; `a` happens before `b`
// if a.ret < b.call.
struct FrontierOp {
  static constexpr std::uint32_t kNever = ~std::uint32_t{0};  // returns: it need not take effect
  static constexpr std::uint32_t kNothing = kNull.bits();     // value of a removal that found nothing
  static constexpr std::uint32_t kAnything =
      0x7FFF'FFFF;  // value of a removal of which the result is not known: no handle

  std::uint32_t call;
  std::uint32_t ret;
  std::uint32_t value;  // the bits of a Value
  bool keeps = false;   // it looks at the value that a removal would take, and leaves it there
};

struct Frontier {
  std::uint32_t returned = 0;  // so many returns come before t
  std::uint32_t in_lines = 0;  // how many of each line are taken, one digit for each
  std::uint64_t taken = 0;     // by slot: of the other operations that are open at t
  friend bool operator==(const Frontier&, const Frontier&) = default;
  template <class H>
  friend H AbslHashValue(H h, const Frontier& f) {
    return H::combine(std::move(h), f.taken, std::uint64_t{f.in_lines} << 32U | f.returned);
  }
};

class FrontierOrder {
 public:
  static constexpr std::uint32_t kMostOpen = 64;

  FrontierOrder() = default;
  // By call. They must not need more than kMostOpen slots: see slots_for().
  explicit FrontierOrder(std::vector<FrontierOp> operations) : operations_(std::move(operations)) {
    lay_out();
  }

  [[nodiscard]] static std::uint32_t most_open(std::span<const FrontierOp> operations);
  // How many slots are needed at a moment, with lines where they help.
  [[nodiscard]] static std::uint32_t slots_for(std::span<const FrontierOp> operations);

  [[nodiscard]] std::size_t size() const { return operations_.size(); }
  [[nodiscard]] const FrontierOp& operator[](std::uint32_t op) const { return operations_[op]; }
  [[nodiscard]] std::uint32_t returns() const { return static_cast<std::uint32_t>(returning_.size()); }
  [[nodiscard]] std::uint32_t returning(std::uint32_t ret) const { return returning_[ret]; }

  // From now on it is another operation, at the same time.
  void set_value(std::uint32_t op, std::uint32_t value) { operations_[op].value = value; }
  void set_keeps(std::uint32_t op, bool keeps) { operations_[op].keeps = keeps; }

  // Calls visit(op) for each operation that may come next.
  template <class Visit>
  void each_enabled(Frontier frontier, Visit&& visit) const {
    const std::uint32_t* op = open_operations_.data() + open_from_[frontier.returned];
    for (std::uint64_t left = open_[frontier.returned]; left != 0; left &= left - 1, ++op) {
      if ((left & -left & frontier.taken) == 0) visit(*op);
    }
    for (const Line& line : lines_.all) {
      const std::uint32_t first = first_return(frontier);
      for (std::uint32_t i = line.taken(frontier); i < line.operations.size(); ++i) {
        if (operations_[line.operations[i]].call < first) visit(line.operations[i]);
      }
    }
  }
  [[nodiscard]] Frontier take(Frontier frontier, std::uint32_t op) const {
    if (const Line* line = line_of(op)) {
      frontier.in_lines += line->one;
      return frontier;
    }
    frontier.taken |= bit(op);
    while (frontier.returned < returns() && (frontier.taken & bit(returning_[frontier.returned])) != 0)
      frontier.taken &= ~bit(returning_[frontier.returned++]);
    return frontier;
  }
  // Calls visit(op) for each operation that is in the larger frontier only.
  template <class Visit>
  void each_between(Frontier smaller, Frontier larger, Visit&& visit) const;

  // Of what is not taken; kNever: all that returns is.
  [[nodiscard]] std::uint32_t first_return(Frontier frontier) const {
    return frontier.returned == returns() ? FrontierOp::kNever
                                          : operations_[returning_[frontier.returned]].ret;
  }
  [[nodiscard]] bool is_taken(Frontier frontier, std::uint32_t op) const {
    if (const Line* line = line_of(op)) return lines_.place[op] < line->taken(frontier);
    const std::uint32_t first = first_return(frontier);
    if (operations_[op].ret < first) return true;
    return operations_[op].call < first && (frontier.taken & bit(op)) != 0;
  }
  [[nodiscard]] bool is_enabled(Frontier frontier, std::uint32_t op) const {
    return operations_[op].call < first_return(frontier) && !is_taken(frontier, op);
  }

  // Of what has not returned before t, so many are taken.
  [[nodiscard]] std::uint32_t open_taken(Frontier frontier) const {
    auto count = static_cast<std::uint32_t>(std::popcount(frontier.taken));
    for (const Line& line : lines_.all) count += line.taken(frontier);
    return count;
  }

  // Another one of the same value that can as well come first: it is not taken, called earlier, and does not
  // return later. In an order in which `op` comes before it, the two can change places: what has to come
  // before the other has to come before `op`, and what has to come after `op` has to come after the other.
  [[nodiscard]] bool has_better(Frontier frontier, std::uint32_t op) const {
    if (const Line* line = line_of(op); line != nullptr && lines_.place[op] > line->taken(frontier))
      return true;
    std::uint64_t candidates = better_[op] & open_[frontier.returned] & ~frontier.taken;
    for (; candidates != 0; candidates &= candidates - 1) {
      const FrontierOp& other = operations_[at(frontier.returned, candidates & -candidates)];
      if (other.call < operations_[op].call && are_alike(other, operations_[op])) return true;
    }
    return false;
  }

 private:
  // Operations that never return and are alike, by call.
  struct Line {
    std::vector<std::uint32_t> operations;
    std::uint32_t one = 1;  // what a taken one adds to Frontier::in_lines
    [[nodiscard]] std::uint32_t taken(Frontier frontier) const {
      return static_cast<std::uint32_t>(frontier.in_lines / one % (operations.size() + 1));
    }
  };
  struct Lines {
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};
    explicit Lines(std::span<const FrontierOp> operations);
    Lines() = default;
    [[nodiscard]] bool has(std::uint32_t op) const { return !all.empty() && line[op] != kNone; }

    std::vector<Line> all;
    std::vector<std::uint32_t> line;   // by operation; empty where there is none
    std::vector<std::uint32_t> place;  // likewise: in its line
  };

  void lay_out();
  [[nodiscard]] const Line* line_of(std::uint32_t op) const {
    return lines_.has(op) ? &lines_.all[lines_.line[op]] : nullptr;
  }
  static bool are_alike(const FrontierOp& a, const FrontierOp& b) {
    return a.value == b.value && a.keeps == b.keeps;
  }
  [[nodiscard]] std::uint64_t bit(std::uint32_t op) const { return std::uint64_t{1} << slot_[op]; }
  // The operation that has this slot when the return of this number comes.
  [[nodiscard]] std::uint32_t at(std::uint32_t ret, std::uint64_t bit) const {
    const auto before = static_cast<std::uint32_t>(std::popcount(open_[ret] & (bit - 1)));
    return open_operations_[open_from_[ret] + before];
  }

  std::vector<FrontierOp> operations_;
  Lines lines_;
  std::vector<std::uint8_t> slot_;  // by operation; handed on when it returns
  std::vector<std::uint64_t>
      better_;  // by operation: the slots, when it is called, of those that can as well come first
  std::vector<std::uint32_t> returning_;  // operations by return
  std::vector<std::uint64_t>
      open_;  // by return: slots of what is open then, and, last, of what never returns
  std::vector<std::uint32_t> open_from_;        // likewise: where these operations stand in
  std::vector<std::uint32_t> open_operations_;  // by slot
};

template <class Visit>
void FrontierOrder::each_between(Frontier smaller, Frontier larger, Visit&& visit) const {
  const auto visit_new = [&](std::uint32_t op) {
    if (!is_taken(smaller, op)) visit(op);
  };
  for (std::uint32_t ret = smaller.returned; ret < larger.returned; ++ret) visit_new(returning_[ret]);
  for (std::uint64_t left = larger.taken; left != 0; left &= left - 1)
    visit_new(at(larger.returned, left & -left));
  for (const Line& line : lines_.all) {
    for (std::uint32_t i = line.taken(smaller); i < line.taken(larger); ++i) visit(line.operations[i]);
  }
}

}  // namespace plumb
