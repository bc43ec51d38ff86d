// Orders of the keys of one object, as one order that some clocks explain, where there is one: none of them is changed for that.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "check/clocks/clock_error.hpp"
#include "check/part.hpp"

namespace plumb {

class ClockMerge {
 public:
  ClockMerge(const History& history, ClockError error) : history_(history), error_(error) {}

  void add(std::span<const OperationId> order) { orders_.emplace_back(order.begin(), order.end()); }
  // Nothing: they contradict each other.
  [[nodiscard]] std::optional<std::vector<OperationId>> in_one_order() const;

 private:
  const History& history_;
  ClockError error_;
  std::vector<std::vector<OperationId>> orders_;
};

}  // namespace plumb
