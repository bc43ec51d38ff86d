// What goes into a queue and what comes out of it, in a part of a history: decided by frontier_queue.hpp, and what that finds
// as a verdict.
#pragma once

#include "check/frontier/frontier_part.hpp"

namespace plumb {

class QueuePart {
 public:
  // Room for so many initial elements, which go in first.
  explicit QueuePart(const Part& part, std::span<const Value> initial);

  // By call; the positions are those of each_operation().
  void insert(OperationId id, std::uint32_t call, std::uint32_t ret, Value value);
  // FrontierOp::value, and FrontierOp::keeps.
  void remove(OperationId id, std::uint32_t call, std::uint32_t ret, std::uint32_t value, bool keeps = false);

  [[nodiscard]] PartVerdict search(const SearchLimits& limits);

 private:
  [[nodiscard]] bool begins_empty() const {
    return in_.ids.empty() || in_.ids.front() != FrontierOps::kInitial;
  }

  const Part& part_;
  FrontierOps in_;
  FrontierOps out_;
};

}  // namespace plumb
