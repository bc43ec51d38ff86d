// Which memory orders, made stronger, are enough to remove a finding: found by trying, on the program as it is, so it is a suggestion. Places in
// the code whose accesses are in the failing graph are candidates.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "explore/graph/graph.hpp"
#include "explore/graph/stronger_orders.hpp"
#include "plumb/explore.hpp"

namespace plumb::engine {

struct Trial {
  enum class End : std::uint8_t {
    kPasses,
    kFails,
    kUnknown
  } end = End::kUnknown;                  // unknown: a limit came first
  const graph::Graph* failing = nullptr;  // until the next one
};

// Explores the program with these orders.
using TryOrders = std::function<Trial(const std::vector<graph::StrongerOrders::Row>& orders)>;

struct SuggestedOrders {
  std::string sentence;             // empty: nothing was found, or there is nothing to be made stronger
  std::vector<OrderChange> orders;  // that are enough
};
SuggestedOrders suggest_orders(const graph::Graph& failing, const TryOrders& attempt);

}  // namespace plumb::engine
