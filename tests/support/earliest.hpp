// The earliest return that no order gets past, by its definition: the history is cut at one return after the
// other.
#pragma once

#include <optional>

#include "support/sub_history.hpp"

namespace plumb::test {

inline std::optional<OperationId> earliest_impossible(const History& history, const Model& model) {
  for (std::size_t at = 0; at < history.events().size(); ++at) {
    const Event event = history.events()[at];
    if (event.is_return() && !is_linearizable(history, model, history.events().first(at + 1)))
      return event.operation();
  }
  return std::nullopt;
}

}  // namespace plumb::test
