// A history as Jepsen's events, in the order of its events: a map per line, in the syntax of a format.
#pragma once

#include <string>
#include <string_view>

#include <plumb/history.hpp>
#include <plumb/result.hpp>

namespace plumb {

// How a format writes a map: what stands before and after the name of a member and between members, a value, and a word (the
// type of an event, a function).
struct EventSyntax {
  std::string_view before_name;
  std::string_view after_name;
  std::string_view between;
  void (*append_value)(const Values& values, Value value, std::string& out);
  void (*append_word)(std::string_view word, std::string& out);
};

// Fails at what no order of events can say: operations of one process that are concurrent (one returns at the
// moment at which the next is called), and processes that would not be taken for clients.
[[nodiscard]] Status check_event_order(const History& history, std::string_view format);

// Pending operations have no second event.
[[nodiscard]] Status write_events(const History& history, std::string_view format, const EventSyntax& syntax,
                                  std::string& out);

}  // namespace plumb
