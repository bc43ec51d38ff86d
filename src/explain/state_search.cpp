#include "explain/state_search.hpp"

#include <algorithm>

#include "check/frontier/frontier.hpp"
#include "explain/minimise.hpp"

namespace plumb {
namespace {

// Where values repeat and many orders are possible, contents soon are too many. A search by frontiers may have found
// the violation all the same: then trying for long is in vain.
std::uint64_t most_configurations(const BoundHistory& history) {
  return find_frontier_search(history.family()) == nullptr ? 2'000'000 : 200'000;
}

}  // namespace

StateSearch::StateSearch(const BoundHistory& history, std::span<const Event> events, OperationId impossible,
                         const Budget& budget, std::size_t memory)
    : history_(history),
      events_(events),
      impossible_(impossible),
      limits_{.configurations = most_configurations(history), .budget = &budget, .memory = memory},
      tired_([&budget] { return budget.spent(0) != StopReason::kNothing; }),
      states_(std::move(history.states().value())) {
  for (std::size_t at = 0; at < events.size(); ++at) {
    if (events[at].is_return()) {
      places_[events[at].operation()].ret = at;
    } else {
      places_[events[at].operation()] = {at, events.size()};
    }
  }
  whole_ = sweep_to_dead_end(history, events, *states_, limits_);
  possible_ = whole_.kind == Swept::Kind::kStuck && whole_.position + 1 == events.size();
}

// The events before `end` of some operations, without going over all of them.
std::vector<Event> StateSearch::only(std::span<const OperationId> some, std::size_t end) const {
  std::vector<std::size_t> positions;
  for (const OperationId id : some) {
    const Place& place = places_.at(id);
    if (place.call < end) positions.push_back(place.call);
    if (place.ret < end) positions.push_back(place.ret);
  }
  std::ranges::sort(positions);
  std::vector<Event> chosen;
  chosen.reserve(positions.size());
  for (const std::size_t at : positions) chosen.push_back(events_[at]);
  return chosen;
}

StateSearch::Answer StateSearch::holds(std::span<const OperationId> some) {
  Operations all(some.begin(), some.end());
  all.push_back(impossible_);
  all.insert(all.end(), producers_.begin(), producers_.end());
  const auto events = only(all, events_.size());
  const Swept swept = sweep_to_dead_end(history_, events, *states_, limits_);
  if (swept.kind != Swept::Kind::kStuck) return {};
  if (swept.position + 1 != events.size()) return {false, events[swept.position].operation()};
  const bool same_matter = swept.probed || !whole_.probed;
  return {same_matter && std::ranges::includes(swept.states, whole_.states), std::nullopt};
}

// Whether the impossible one could have happened, with its result, among the events of these before `end`.
StateSearch::Answer StateSearch::makes_possible(std::span<const OperationId> some, std::size_t end) {
  const auto events = only(some, end);
  const Probe probe{history_.call(impossible_), history_.result(impossible_), events.size() + 1};
  const Swept swept = sweep(history_, events, *states_, limits_, &probe);
  if (swept.kind == Swept::Kind::kStuck) return {false, events[swept.position].operation()};
  return {swept.kind == Swept::Kind::kPassed && swept.probed.has_value(), std::nullopt};
}

// Those that made the impossible result possible the last time before it was called; none are needed where it was from the
// beginning.
StateSearch::Operations StateSearch::find_producers() {
  if (!whole_.probed || makes_possible({}, 0).good) return {};
  const std::size_t end = *whole_.probed + 1;
  return smallest(latest_first(end),
                  [&](std::span<const OperationId> some) { return makes_possible(some, end); });
}

// Most of what happened long ago is of no consequence: takes the last few that will do, twice as many each time. Those that
// cannot return any more, as what they saw is gone, go too.
template <class Ask>
StateSearch::Operations StateSearch::short_tail(Operations operations, const Ask& ask) const {
  for (std::size_t size = 0; size < operations.size() && !tired_();
       size = std::max<std::size_t>(4, 2 * size)) {
    Operations tail(operations.begin(), operations.begin() + static_cast<std::ptrdiff_t>(size));
    for (;;) {
      const Answer answer = ask(tail);
      if (answer.good) return tail;
      if (!answer.blocked || std::erase(tail, *answer.blocked) == 0 || tired_()) break;
    }
  }
  return operations;
}

template <class Ask>
StateSearch::Operations StateSearch::smallest(Operations operations, const Ask& ask) const {
  constexpr std::size_t kAllPairs = 200;
  const auto good = [&](std::span<const OperationId> some) { return ask(some).good; };
  operations = minimise(short_tail(std::move(operations), ask), good, tired_);
  for (std::size_t before = operations.size() + 1;
       operations.size() < before && operations.size() <= kAllPairs && !tired_();) {
    before = operations.size();
    operations = minimise(minimise_by_pairs(std::move(operations), good, tired_), good, tired_);
  }
  return operations;
}

// Operations called before `end`: what is open there first, then what returned last.
StateSearch::Operations StateSearch::latest_first(std::size_t end) const {
  Operations open;
  Operations returned;
  for (std::size_t at = end; at-- > 0;) {
    const OperationId id = events_[at].operation();
    if (id == impossible_) continue;
    if (events_[at].is_return()) {
      returned.push_back(id);
    } else if (places_.at(id).ret >= end) {
      open.push_back(id);
    }
  }
  open.insert(open.end(), returned.begin(), returned.end());
  return open;
}

std::optional<OperationId> StateSearch::too_late(std::span<const Event> few) const {
  const Swept swept = sweep_to_dead_end(history_, few, *states_, limits_);
  if (!swept.probed || !few[*swept.probed].is_return()) return std::nullopt;
  return few[*swept.probed].operation();
}

std::vector<Event> StateSearch::run() {
  producers_ = find_producers();
  Operations others = latest_first(events_.size());
  std::erase_if(others,
                [&](OperationId id) { return std::ranges::find(producers_, id) != producers_.end(); });
  Operations kept =
      smallest(std::move(others), [&](std::span<const OperationId> some) { return holds(some); });
  kept.insert(kept.end(), producers_.begin(), producers_.end());
  producers_.clear();  // they may go too, if others do what they did
  const auto good = [&](std::span<const OperationId> some) { return holds(some).good; };
  kept = minimise(std::move(kept), good, tired_);
  kept.push_back(impossible_);
  return only(kept, events_.size());
}

}  // namespace plumb
