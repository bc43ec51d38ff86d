// The operations of a part in the order in which they take effect; and, where the orders of several parts are to be put
// together, before which event of its part each one does.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <plumb/history.hpp>

#include "base/huge_pages.hpp"

namespace plumb {

// One step of a linearization: the operation takes effect just before the event at this position of the part.
struct Point {
  OperationId operation;
  std::uint32_t position;
};

class Linearization {
 public:
  Linearization() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): it is the same, said in another way
  Linearization(const std::vector<Point>& points) : with_positions_(true) {
    order_.reserve(points.size());
    positions_.reserve(points.size());
    for (const Point& point : points) add(point.operation, point.position);
  }
  // Empty, with room for so many. For millions of operations it matters whether positions are kept.
  Linearization(std::size_t room, bool with_positions) : with_positions_(with_positions) {
    reserve_large(order_, room);
    if (with_positions) reserve_large(positions_, room);
  }

  // Without positions.
  explicit Linearization(std::vector<OperationId> order) : order_(std::move(order)) {}

  void add(OperationId operation, std::uint32_t position) {
    order_.push_back(operation);
    if (with_positions_) positions_.push_back(position);
  }

  [[nodiscard]] std::size_t size() const { return order_.size(); }
  [[nodiscard]] std::span<const OperationId> order() const { return order_; }
  [[nodiscard]] std::uint32_t position(std::size_t i) const { return positions_[i]; }
  [[nodiscard]] std::vector<OperationId> take_order() && { return std::move(order_); }

 private:
  std::vector<OperationId> order_;
  std::vector<std::uint32_t> positions_;  // as many, or none
  bool with_positions_ = false;
};

}  // namespace plumb
