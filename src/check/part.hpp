// What an engine sees: one independent part of a history, and the terms on which it is searched.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plumb/check.hpp>

#include "base/budget.hpp"
#include "check/linearization.hpp"
#include "check/reached_watch.hpp"
#include "spec/bind.hpp"

namespace plumb {

// The calls and returns of some operations of a history, in order.
struct Part {
  const BoundHistory* history = nullptr;
  std::span<const Event> events;
  std::span<const std::uint32_t> positions;  // of these events among all; empty where they are all
  std::span<std::uint32_t>
      scratch;  // one entry per operation of the whole history, for any use; parts share no operation

  // The positions of its event of this index, and of the part itself, among all events.
  [[nodiscard]] std::uint32_t position(std::size_t index) const {
    return positions.empty() ? static_cast<std::uint32_t>(index) : positions[index];
  }
  [[nodiscard]] std::uint32_t begins() const { return events.empty() ? 0 : position(0); }
  [[nodiscard]] std::uint32_t position(Event event) const {
    return position(static_cast<std::size_t>(std::ranges::find(events, event) - events.begin()));
  }
  // Every operation of the history is in it.
  [[nodiscard]] bool is_whole() const { return events.size() == history->history().events().size(); }
  // Of an event of the part, or of what comes after the last.
  [[nodiscard]] std::size_t position_among_all(std::uint32_t position) const {
    if (positions.empty()) return position;
    return position == events.size() ? history->history().events().size() : positions[position];
  }
  // An empty one with room for all; with positions if there are other parts.
  [[nodiscard]] Linearization new_linearization() const {
    const std::size_t pending = std::min(history->history().pending(), events.size());
    return {(events.size() + pending + 1) / 2, !positions.empty()};
  }
};

struct SearchLimits {
  const Budget* budget = nullptr;
  std::uint32_t rank = 0;                   // the higher, the sooner it stops for another part's violation
  std::size_t memory = 0;                   // bytes
  bool lru = false;                         // keep the memo small: let it forget
  std::uint64_t configurations = kNoLimit;  // to be met at most
  unsigned max_depth = 5;                   // of hitting families
  bool hand_over = true;                    // what these do not prove is searched
  ReachedWatch* watch = nullptr;            // follows how far the search of the whole part has come
  std::uint32_t watched = 0;                // the number of the part there

  static constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};
};

// Where a search that failed could not go on.
struct DeadEnd {
  bool of_core_only = false;  // all of this is about the operations of the core, not about the whole part
  std::size_t returned_before = 0;   // operations
  OperationId operation = 0;         // the first return that no order explains
  std::vector<Point> prefix;         // a linearization of everything before that return
  std::vector<std::string> allowed;  // results with which that return could be explained, as JSON
  bool allowed_complete = true;      // false: there may be others
  std::vector<std::string> states;   // the object may have been in just before that return; some
};

// How far a search had come that was ended: a linearization of all that returned before an event, the next return.
struct PartReached {
  std::uint32_t position = 0;  // of that event in the part
  std::vector<Point> order;
};

struct PartVerdict {
  Outcome outcome = Outcome::kUnknown;
  std::optional<Engine> decided_by = std::nullopt;  // of the plan's engines; or the one that tried last
  std::optional<unsigned> depth = std::nullopt;     // of the hitting family with the witness
  std::string why_not = {};                 // where the first of the plan's engines could not judge it
  std::string wrong_claim = {};             // for StopReason::kWrongClaim: what does not hold
  StopReason spent = StopReason::kNothing;  // for kUnknown
  std::optional<PartReached> reached;       // for kUnknown, where a search was begun
  Linearization linearization;              // for kHolds
  DeadEnd stuck;                            // for kViolation
  std::vector<Event> core;  // for kViolation: these operations alone are one; up to the return that is stuck
  std::uint64_t configurations = 0;
  std::size_t parts = 1;  // it consists of: where a monitor judges all keys at once

  static PartVerdict unknown(StopReason spent) {
    PartVerdict verdict;
    verdict.spent = spent;
    return verdict;
  }
};

// Both decide exactly; `states` is fresh. What a violation has beyond `stuck` is filled in by the caller. Brute force says
// only which operation is stuck, and calls on no other engine: the verifier of certificates relies on it.
[[nodiscard]] PartVerdict search_brute_force(const Part& part, States& states, const SearchLimits& limits);
[[nodiscard]] PartVerdict search_wgl(const Part& part, States& states, const SearchLimits& limits);

// As the object begins, for one search.
[[nodiscard]] inline std::unique_ptr<States> fresh_states(const BoundHistory& history) {
  return history.states().value();
}

// Completes `stuck`, whose operation is given: what came before it and what it could have returned.
void explain_dead_end(const Part& part, States& states, const SearchLimits& limits, DeadEnd& stuck);

}  // namespace plumb
