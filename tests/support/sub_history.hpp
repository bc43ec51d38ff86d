// The definition, for sub-histories: events of some operations, where those whose return is
// missing need not have happened.
#pragma once

#include <span>
#include <vector>

#include "support/oracle.hpp"

namespace plumb::test {

inline bool is_linearizable(const History& history, const Model& model, std::span<const Event> events) {
  std::map<std::uint32_t, std::vector<Trial>> by_object;
  for (std::size_t at = 0; at < events.size(); ++at) {
    if (events[at].is_return()) continue;
    const OperationId id = events[at].operation();
    const auto ret = std::ranges::find(events, Event::ret(id));
    by_object[history.object(id).bits()].push_back(
        {call_of(history, model, id), result_of(history, model, id), at,
         static_cast<std::size_t>(ret - events.begin()), ret != events.end()});
  }
  return std::ranges::all_of(by_object, [&](auto& entry) {
    const auto states = states_of(history, model);
    return Explains(entry.second, *states)();
  });
}

}  // namespace plumb::test
