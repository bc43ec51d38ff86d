// A watched stack: what the order has been told, what waits to be told, and what the operations are called.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "watch/online.hpp"
#include "watch/online_stack_order.hpp"

namespace plumb {

struct StackName {
  Value value;
  WatchedOperation push;
  WatchedOperation pop = {};
  Value process = kNull;  // that pushes it
  bool push_is_open = true;
  bool is_out = false;
};

struct StackPop {
  // What it takes is a value; or nothing is inside; or it is not known; or it did not happen.
  static constexpr StackOrder::Id kEmpty = StackOrder::kNone;
  static constexpr StackOrder::Id kOpen = StackOrder::kNone - 1;
  static constexpr StackOrder::Id kNever = StackOrder::kNone - 2;

  enum Guess : std::uint8_t {
    kNoGuess,   // what it takes is what it returned, or not known
    kDeduced,   // it has not returned, but must have taken this value
    kReleased,  // it has not returned, and is supposed to have taken nothing
  };

  Moment called = 0;
  WatchedOperation name;
  Value process;
  StackOrder::Id takes = kOpen;
  Guess guess = kNoGuess;

  [[nodiscard]] bool has_value() const { return takes < kNever; }
};

// An event that the order has not been told.
struct StackEvent {
  enum Kind : std::uint8_t { kPushReturn, kPopCall, kPopReturn };
  Kind kind;
  std::uint32_t who;  // the value, or the number of the pop
  Moment now;
};

// What the order says of an event.
struct StackFinding {
  std::optional<StackOrder::Conflict> conflict = {};
  bool is_not_empty = false;

  [[nodiscard]] bool is_bad() const { return conflict || is_not_empty; }
  [[nodiscard]] bool is_about_values_inside() const { return conflict && conflict->are_inside; }
};

struct WatchedStack {
  StackOrder order;
  Moment now = 0;                      // of the last event that the order was told
  std::vector<StackName> names;        // by value
  std::vector<StackPop> pops;          // by number
  std::deque<StackEvent> waiting;      // from the call of the oldest open pop on
  std::vector<std::uint32_t> deduced;  // pops

  // Pops of which it is not known what they take are left out.
  StackFinding tell(StackOrder& to, const StackEvent& e) const {
    if (e.kind == StackEvent::kPushReturn) return to.push_returned(e.who, e.now), StackFinding();
    const StackPop& pop = pops[e.who];
    if (pop.takes == StackPop::kOpen || pop.takes == StackPop::kNever) return {};
    if (e.kind == StackEvent::kPopCall) return {to.pop_called(pop.takes, e.now)};
    if (pop.takes == StackPop::kEmpty) return {{}, !to.was_empty_since(pop.called)};
    return {to.pop_returned(pop.takes)};
  }
};

}  // namespace plumb
