// The other half of a relaxed verdict: both orders are gone through before they are believed.
#include <algorithm>
#include <limits>

#include "check/relaxed/relaxed.hpp"

namespace plumb {
namespace {

constexpr std::uint32_t kAbsent = std::numeric_limits<std::uint32_t>::max();

// Which place within its class each operation has, by operation; kAbsent: it has none. Empty if one stands there twice.
template <class Who>
std::vector<std::uint32_t> places_in_class(const BoundHistory& history, std::span<const RelaxedPlace> places,
                                           const Who& who) {
  std::vector<std::uint32_t> place(history.history().size(), kAbsent);
  std::vector<std::uint32_t> count(history.model().operations().size());
  for (const RelaxedPlace& one : places) {
    const OperationId id = who(one);
    if (place[id] != kAbsent) return {};
    place[id] = count[history.operation(id)]++;
  }
  return place;
}

bool respects_time(const Part& part, std::span<const RelaxedPlace> places) {
  const History& history = part.history->history();
  Time latest_call = std::numeric_limits<Time>::min();
  return std::ranges::all_of(places, [&](const RelaxedPlace& place) {
    latest_call = std::max(latest_call, history.call(place.sequenced));
    return history.ret(place.sequenced) >= latest_call;
  });
}

bool is_legal(const Part& part, std::span<const RelaxedPlace> places) {
  const BoundHistory& history = *part.history;
  const auto states = history.states();
  const auto run = (*states)->start_run();
  return std::ranges::all_of(places, [&](const RelaxedPlace& place) {
    return run->apply(history.call(place.legal), history.result(place.legal));
  });
}

}  // namespace

bool replays_relaxed(const Part& part, std::span<const RelaxedPlace> places,
                     const RelaxedBounds& relaxation) {
  const BoundHistory& history = *part.history;
  const auto sequenced = places_in_class(history, places, [](const RelaxedPlace& p) { return p.sequenced; });
  const auto legal = places_in_class(history, places, [](const RelaxedPlace& p) { return p.legal; });
  if (sequenced.empty() != history.history().empty() || legal.empty() != history.history().empty())
    return false;
  for (const Event event : part.events) {  // nobody that returned is missing
    if (event.is_return() && sequenced[event.operation()] == kAbsent) return false;
  }
  const bool close = std::ranges::all_of(places, [&](const RelaxedPlace& place) {
    const std::uint32_t kind = history.operation(place.sequenced);
    if (kind != history.operation(place.legal)) return false;
    if (relaxation.k[kind] == 0) return place.sequenced == place.legal;
    const OperationId id = place.sequenced;
    if (legal[id] == kAbsent) return false;
    return std::max(sequenced[id], legal[id]) - std::min(sequenced[id], legal[id]) <= relaxation.k[kind];
  });
  return close && respects_time(part, places) && is_legal(part, places);
}

std::vector<std::uint32_t> positions_of(const Part& part, std::span<const RelaxedPlace> places) {
  for (std::uint32_t at = 0; at < part.events.size(); ++at) {
    if (!part.events[at].is_return()) part.scratch[part.events[at].operation()] = at;
  }
  std::vector<std::uint32_t> positions;
  std::uint32_t after = 0;
  for (const RelaxedPlace& place : places) {
    after = std::max(after, part.scratch[place.sequenced] + 1);
    positions.push_back(after);
  }
  return positions;
}

}  // namespace plumb
