// The last rule, kStates, put to use: which few of the operations before an impossible return bring the object into every
// state it could be in, and leave the return impossible?
//
// The rule also wants that the impossible result, if it had been possible at an earlier moment, stays so at some. The proof
// would not need it; but a read of an old value is explained by who wrote it and who overwrote it, not by the last
// state alone. So those that made it possible the last time are found first, and kept while the others go.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "proof/sweep.hpp"
#include "spec/bind.hpp"

namespace plumb {

class StateSearch {
 public:
  // The last of the events is the impossible return. When the budget is spent it is tired. `memory`: bytes for states.
  StateSearch(const BoundHistory& history, std::span<const Event> events, OperationId impossible,
              const Budget& budget, std::size_t memory);

  // Whether all the events could be searched, and end as they should.
  [[nodiscard]] bool is_possible() const { return possible_; }
  // The events of the few; minimal, unless it got tired: no single one can go.
  [[nodiscard]] std::vector<Event> run();
  // Of a few: whose return made the impossible result impossible, before it was called.
  [[nodiscard]] std::optional<OperationId> too_late(std::span<const Event> few) const;

 private:
  using Operations = std::vector<OperationId>;
  struct Place {
    std::size_t call = 0;
    std::size_t ret = 0;  // past the end: not among the events
  };

  [[nodiscard]] std::vector<Event> only(std::span<const OperationId> some, std::size_t end) const;
  // An answer about a candidate: whether it will do, and else who could not return in it, if that is why.
  struct Answer {
    bool good = false;
    std::optional<OperationId> blocked;
  };
  [[nodiscard]] Answer holds(std::span<const OperationId> some);
  [[nodiscard]] Answer makes_possible(std::span<const OperationId> some, std::size_t end);
  [[nodiscard]] Operations find_producers();
  [[nodiscard]] Operations latest_first(std::size_t end) const;
  template <class Ask>
  [[nodiscard]] Operations smallest(Operations operations, const Ask& ask) const;
  template <class Ask>
  [[nodiscard]] Operations short_tail(Operations operations, const Ask& ask) const;

  const BoundHistory& history_;
  std::span<const Event> events_;
  OperationId impossible_;
  SweepLimits limits_;  // of one question
  std::function<bool()> tired_;
  std::unique_ptr<States> states_;
  absl::flat_hash_map<OperationId, Place> places_;
  Swept whole_;
  bool possible_ = false;
  Operations producers_;  // stay in every candidate
};

}  // namespace plumb
