// A history as Jepsen's events, in the order of its events; the front ends print them.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include <plumb/history.hpp>

#include "formats/jepsen_convention.hpp"

namespace plumb {

struct WrittenEvent {
  Value process;
  bool is_invocation = false;
  std::string function;
  JepsenData data;
  std::optional<Value> object;

  [[nodiscard]] const char* type() const { return is_invocation ? "invoke" : "ok"; }
};

// Fails at what no order of events can say: operations of one process that are concurrent (one returns at the
// moment at which the next is called), and processes that would not be taken for clients.
[[nodiscard]] Status check_event_order(const History& history, std::string_view format);

// Calls print(event, values) for each event. Pending operations have no second event.
[[nodiscard]] Status write_events(const History& history, std::string_view format,
                                  const std::function<void(const WrittenEvent&, const Values&)>& print);

}  // namespace plumb
