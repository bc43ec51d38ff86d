// What came of a search, or of a part of it that another process searched (search_parts.hpp): then it is a message.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "explore/schedule.hpp"
#include "plumb/explore.hpp"

namespace plumb::engine {

enum class SearchedTo : std::uint8_t {
  kEnd,      // all of it was run
  kFinding,  // something was found, and is what was run last
  kLimit,    // a limit came first, or it is said what else ended it
  kRestart,  // something was learnt of the program: the whole search has to begin anew
};

struct SearchedPart {
  SearchedTo to = SearchedTo::kEnd;
  Exploration figures =
      {};  // what is counted, and what is said of a finding or of an execution that did not end
  bool leaves_more = false;  // see Strategy
  bool has_weak_orders = false;
  Schedule choices = {};    // of a finding
  std::string learnt = {};  // by the observer
};

[[nodiscard]] std::string to_message(const SearchedPart& part);
[[nodiscard]] std::optional<SearchedPart> read_part(std::string_view message);
// As if this process had searched it.
void add_figures(const SearchedPart& part, Exploration& result);
// What it found, where there is no time to find it again; and where that was tried, and the same choices lead to something else.
void believe(const SearchedPart& part, Exploration& result);
void disbelieve(Exploration& result);

}  // namespace plumb::engine
