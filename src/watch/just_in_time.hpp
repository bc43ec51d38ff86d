// Just-in-time linearization, event by event: from the configurations that are possible before a return to those that are
// possible after it (Lowe 2017).
//
// A configuration is a state, and what is known of the open operations: which of them have taken effect. It advances only
// when an operation returns, and then only as far as that return needs: the returning operation comes last, after any
// order of other open ones. This is exact: given any order, put off each operation to the first return among it and those
// after it in the order.
//
// What is known of an open operation differs: online_configurations.cpp learns a result when the operation returns,
// online_segment.cpp knows it beforehand. So the search asks a space:
//
//   Configuration                       hashable and comparable, with its `state`
//   Place                               how the space keeps a configuration that was reached
//   States& states()
//   Configuration configuration(place)  (or a reference that stays valid as long as the place)
//   Standing standing(c, returning)     where the returning operation stands in the configuration
//   each_move(c, returning, take)       calls take(JustInTimeMove) for each open or lost operation that may come next
//   Place moved(place, move, state)     after the move, in this state
//   Configuration without(c, returning) without the operation, which has returned
//   Place past(place, c)                the configuration c, reached from the place by the return
//   bool is_spent(visited)              whether to give up
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "watch/online.hpp"

namespace plumb {

struct JustInTimeReturn {
  std::uint32_t slot = 0;
  Value result;
};

// An operation takes effect with a result.
struct JustInTimeMove {
  std::uint32_t slot = 0;
  const OnlineOp* op = nullptr;
  Value result;
};

enum class Standing : std::uint8_t {
  kOpen,       // the returning operation has not taken effect
  kPast,       // it has, with the result that it returns
  kOtherwise,  // it has, with another result
};

template <class Space>
class JustInTime {
 public:
  using Place = typename Space::Place;
  using Configuration = typename Space::Configuration;

  // The places after the return; none if the return is impossible. No value: the space's budget is spent.
  static std::optional<std::vector<Place>> past_return(Space& space, const std::vector<Place>& now,
                                                       const JustInTimeReturn& returning) {
    JustInTime search(space, returning);
    for (const Place& place : now) search.visited_.insert(space.configuration(place));
    for (const Place& place : now) {
      if (!search.visit_all_from(place)) return std::nullopt;
    }
    return std::move(search.past_);
  }

 private:
  using Found = absl::flat_hash_set<Configuration>;

  JustInTime(Space& space, const JustInTimeReturn& returning) : space_(space), returning_(returning) {}

  bool visit_all_from(const Place& start) {
    visit(start);
    while (!unvisited_.empty()) {
      if (space_.is_spent(visited_.size())) return false;
      const Place place = std::move(unvisited_.back());
      unvisited_.pop_back();
      visit(place);
    }
    return !space_.is_spent(visited_.size());
  }

  void visit(const Place& place) {
    const Configuration& c = space_.configuration(place);
    switch (space_.standing(c, returning_)) {
      case Standing::kPast:
        return pass(place);
      case Standing::kOtherwise:
        return;
      case Standing::kOpen:
        break;
    }
    space_.each_move(c, returning_, [&](const JustInTimeMove& move) {
      reached_.clear();
      space_.states().step(c.state, move.op->call(), move.result, reached_);
      for (const StateId state : reached_) {
        Place to = space_.moved(place, move, state);
        if (move.slot == returning_.slot) {
          pass(to);
        } else if (visited_.insert(space_.configuration(to)).second) {
          unvisited_.push_back(std::move(to));
        }
      }
    });
  }

  void pass(const Place& place) {
    const auto [c, is_new] = passed_.insert(space_.without(space_.configuration(place), returning_));
    if (is_new) past_.push_back(space_.past(place, *c));
  }

  Space& space_;
  JustInTimeReturn returning_;
  Found visited_;
  Found passed_;
  std::vector<Place> unvisited_;
  std::vector<Place> past_;
  std::vector<StateId> reached_;
};

// Drops each item that another one can stand in for. `split` divides an item into what both must have in common and the
// rest, and `covers(a, b)` says that the rest a can do whatever the rest b can; no item may come before one that covers it.
template <class Item, class Split, class Covers>
void drop_covered(std::vector<Item>& sorted, Split split, Covers covers) {
  using Halves = decltype(split(sorted[0]));
  absl::flat_hash_map<typename Halves::first_type, std::vector<typename Halves::second_type>> kept;
  std::erase_if(sorted, [&](const Item& item) {
    Halves halves = split(item);
    auto& others = kept[std::move(halves.first)];
    const bool is_covered =
        std::ranges::any_of(others, [&](const auto& other) { return covers(other, halves.second); });
    if (!is_covered) others.push_back(std::move(halves.second));
    return is_covered;
  });
}

}  // namespace plumb
