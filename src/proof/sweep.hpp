// The plain search: goes over the events once and keeps every configuration the object may be in.
//
// A configuration is a state together with the open operations that have taken effect. A call adds an open
// operation. At a return, every configuration is extended by every order of open operations until the one
// that returns has taken effect; those where it never can are gone. When none is left, that return is
// impossible. Simple enough to be believed, and linear in the length of the history as long as few operations
// are open at once; it shares no code with the engines.
//
// Operations whose return is not among the events (pending ones, or open where the events were cut off) may
// take effect, with their result if one was recorded, or not at all.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/budget.hpp"
#include "spec/bind.hpp"

namespace plumb {

struct SweepLimits {
  std::uint64_t configurations = 1'000'000;  // to be met at most, in all
  const Budget* budget = nullptr;            // or null: as long as it takes
  std::size_t memory = ~std::size_t{0};      // bytes of states and configurations, at most
};

struct Swept {
  enum class Kind : std::uint8_t { kPassed, kStuck, kGaveUp };
  Kind kind = Kind::kGaveUp;
  std::size_t position = 0;     // kStuck: of the impossible return among the events
  std::vector<StateId> states;  // kStuck: possible just before it, whoever is open; ascending
  std::uint64_t configurations = 0;
  std::optional<std::size_t> probed;  // the last event before which the probe could have happened
};

// Before which of the first `until` events could this operation have happened, with this
// result, had it been called?
struct Probe {
  Call call;
  std::optional<Value> result;
  std::size_t until = 0;
};

// Ids of states are those of `states`, which may be used again: so what two sweeps say can be compared.
[[nodiscard]] Swept sweep(const BoundHistory& history, std::span<const Event> events, States& states,
                          const SweepLimits& limits, const Probe* probe = nullptr);

// The same with the operation of the last event as the probe, up to its call: was what it
// returned possible earlier?
[[nodiscard]] Swept sweep_to_dead_end(const BoundHistory& history, std::span<const Event> events,
                                      States& states, const SweepLimits& limits);

}  // namespace plumb
