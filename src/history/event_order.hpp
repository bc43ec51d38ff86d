// The order of events: every call and return of a history by time, and whether each process runs one
// operation at a time in it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <plumb/history.hpp>

namespace plumb {

// By time; at equal times calls before returns, and then by operation. No operation may return before its
// call.
[[nodiscard]] std::vector<Event> order_events(std::span<const Time> call, std::span<const Time> ret);

struct ProcessCheck {
  std::size_t processes = 0;
  // Two operations of one process, the second called while the first is running: in no order of them does each begin when the
  // one before it has ended. Whatever order they stand in.
  std::optional<std::pair<OperationId, OperationId>> overlap;
};
[[nodiscard]] ProcessCheck find_overlap(std::span<const Event> events, std::span<const Value> process,
                                        std::span<const Time> call, std::span<const Time> ret);

}  // namespace plumb
