// Memory orders that are tried instead of those that the program says, by the place in the code: whether a finding is gone with them.
#pragma once

#include <algorithm>
#include <vector>

#include "explore/graph/event.hpp"
#include "runtime/step.hpp"

namespace plumb::engine::graph {

class StrongerOrders {
 public:
  struct Row {
    const void* pc = nullptr;  // a return address, as steps have it
    std::uint8_t order = 0;
  };

  void set(const std::vector<Row>& rows) { rows_ = rows; }
  void apply(Event& access) const {
    if (rows_.empty()) return;
    const Row* row = find(access.pc);
    if (row == nullptr) return;
    access.order = row->order;
    if (access.update == Update::kCompareExchange)
      access.failure_order = of_failure(row->order, access.failure_order);
  }
  // `otherwise`: where no row is about it.
  [[nodiscard]] std::uint8_t of_fence(const runtime::Step& step, std::uint8_t otherwise) const {
    const Row* row = rows_.empty() ? nullptr : find(step.pc);
    return row == nullptr ? otherwise : row->order;
  }
  // As where one order is given for both: what a failure cannot do, release, is left out.
  static std::uint8_t of_failure(std::uint8_t order, std::uint8_t failure) {
    if (order == kSequentiallyConsistent) return kSequentiallyConsistent;
    return acquires(order) && !acquires(failure) ? kAcquireOrder : failure;
  }

 private:
  [[nodiscard]] const Row* find(const void* pc) const {
    const auto found = std::find_if(rows_.begin(), rows_.end(), [&](const Row& row) { return row.pc == pc; });
    return found == rows_.end() ? nullptr : &*found;
  }
  static constexpr std::uint8_t kAcquireOrder = 2;

  std::vector<Row> rows_;
};

}  // namespace plumb::engine::graph
