// Memory orders that are tried in the place of those that the program says (ExploreOptions::orders). Which addresses in the code belong to a
// line is learnt as they are met: an execution that has met a new one with another order was run with the wrong one, and the search begins anew.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <plumb/result.hpp>

#include "explore/order_sites.hpp"
#include "plumb/explore.hpp"

namespace plumb::engine {

class ChangedOrders {
 public:
  static constexpr std::size_t kMost = 64;

  void set(const std::vector<OrderChange>& changes);
  // Else there is nothing to be asked.
  [[nodiscard]] bool is_on() const { return is_on_; }
  // The order that the access has, where the program says `order`.
  [[nodiscard]] std::uint8_t order_of(const void* pc, AccessKind kind, std::uint8_t order);
  // After an execution. True: it has met a place that is to have another order for the first time.
  [[nodiscard]] bool learn();
  [[nodiscard]] std::uint64_t met() const { return met_; }  // of the changes, as bits: some access had it

 private:
  struct Row {
    std::uint8_t order;
    std::uint64_t change;  // its bit; 0: as the program says
    bool is_met = false;
  };
  [[nodiscard]] Row row_of(OrderKey key) const;

  std::vector<OrderChange> changes_;
  std::unordered_map<std::uint64_t, Row> rows_;  // by packed key
  std::vector<OrderKey> new_;                    // met in this execution for the first time
  std::uint64_t met_ = 0;
  bool is_on_ = false;
};

// "queue.hpp:31:load=relaxed", "queue.hpp:31:update:acq_rel=release".
[[nodiscard]] Result<OrderChange> parse_order_change(const std::string& text);

}  // namespace plumb::engine
