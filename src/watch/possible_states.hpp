// What an object that is watched may be at a moment when nothing runs: the possible states, without the run that led
// there.
//
// A state is kept as a short sequence of operations that leads to it, which any model understands, can be put before what
// follows as a history for the engines, and survives a table of values that grows. Where states are lists, the items that
// all of them have first are kept once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "watch/online.hpp"

namespace plumb {

// An operation with the result it had, or must have had.
struct Executed {
  OnlineOp op;
  Value result;
};

// One possible state: the object begins as PossibleStates says, then runs `path`. Nondeterministic models: any state that the path can
// end in is possible.
struct StatePath {
  std::vector<Executed> path;
  std::uint64_t used = 0;  // which of the lost operations have taken effect, by bit
};

struct PossibleStates {
  std::vector<StatePath> all = {StatePath{}};
  std::optional<std::vector<Value>> base;  // items it begins with; none: as the setting says
  std::optional<Value> value;  // likewise, of an object that is a single value: what it begins with
  std::vector<OnlineOp> lost;  // operations without an end that may still take effect
  bool is_initial = true;      // surely as at the start of the run, and nothing is lost

  [[nodiscard]] std::size_t steps() const;  // of all paths
};

// A States whose initial state is the beginning of all paths, and the table it stands on.
struct BaseState {
  Values values;
  std::unique_ptr<States> states;
  BaseState(const OnlineSetting& setting, const PossibleStates& starts);
};

// Where a path ends, each state once.
[[nodiscard]] std::vector<StateId> run_path(States& states, std::span<const Executed> path);

// The state as an initial value would name it, in the table of the states, where an operation of the model tells all of it; none
// of other models.
[[nodiscard]] std::optional<Value> state_value(const OnlineSetting& setting, States& states, StateId state);

// The operation that appends to the lists of this model, an insertion of one item; none where states are no such lists.
[[nodiscard]] std::optional<std::uint32_t> appending_operation(const OnlineSetting& setting);
// The insertion of an item, for a path.
[[nodiscard]] Executed append(std::uint32_t operation, Value item);

// Leaves out what is not needed to come to the same states; gives up after some work.
void shorten_path(States& states, StateId end, std::vector<Executed>& path);

}  // namespace plumb
