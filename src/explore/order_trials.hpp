// Trials of other memory orders, for a suggestion (suggest_orders.hpp).
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "explore/graph/graph_execution.hpp"
#include "explore/suggest_orders.hpp"

namespace plumb::engine {

// Searches with other memory orders: how far it goes is limited, since it is only for a suggestion.
class OrderTrials {
 public:
  // `judge`: what an observer makes of an execution that has ended; may be empty.
  using Judge = std::function<Execution::End(Execution::End)>;
  OrderTrials(GraphExecution& execution, MemoryModel model, Judge judge)
      : execution_(execution), search_(model), judge_(std::move(judge)) {}
  OrderTrials(const OrderTrials&) = delete;
  OrderTrials& operator=(const OrderTrials&) = delete;
  ~OrderTrials() { execution_.strengthen({}); }

  Trial run(const std::vector<graph::StrongerOrders::Row>& orders) {
    execution_.strengthen(orders);
    search_.restart();
    for (std::uint64_t runs = 0; runs < kMost && left_ > 0; ++runs, --left_) {
      Execution::End end = execution_.run_along(search_);
      if (execution_.must_restart()) {
        search_.restart();
        continue;
      }
      if (judge_) end = judge_(end);
      if (end == Execution::End::kInterrupted) break;
      if (end == Execution::End::kFinding) return {Trial::End::kFails, &search_.graph()};
      if (!search_.next()) return {Trial::End::kPasses};
    }
    return {Trial::End::kUnknown};
  }

 private:
  static constexpr std::uint64_t kMost = 20'000;
  GraphExecution& execution_;
  graph::Search search_;
  Judge judge_;
  std::uint64_t left_ = 5 * kMost;  // of all together
};

}  // namespace plumb::engine
