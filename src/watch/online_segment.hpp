// From the states that were possible when nothing ran to those that are possible when nothing runs again.
#pragma once

#include <span>

#include "watch/possible_states.hpp"

namespace plumb {

enum class Reached : std::uint8_t {
  kSome,     // the starts are the new ones
  kNothing,  // no order explains the events: a violation
  kTooMuch,  // a limit was met; nothing is known, and the starts are as they were
};

// Every operation that was called in `events` has returned, failed or been lost in them.
[[nodiscard]] Reached advance(const OnlineSetting& setting, std::span<const OnlineEvent> events,
                              PossibleStates& starts);

}  // namespace plumb
