// Synthetic histories: any model, any size, any degree of concurrency, the same for a given seed on every
// machine.
//
// The generator runs the object sequentially and wraps each operation's moment of effect in an interval,
// so the history is linearizable by construction. A spoiled one is not, by construction too: see
// GenerateOptions::spoil.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plumb/history.hpp>
#include <plumb/result.hpp>

namespace plumb {

// How a queue, stack, deque, priority queue, set or multiset fills and empties.
enum class Profile : std::uint8_t {
  kBalanced,   // insertions and removals at random
  kFillDrain,  // insertions in the first half, removals in the second
  kBursts,     // now many insertions, then many removals
};

struct GenerateOptions {
  std::string model = "queue";
  std::size_t operations = 1000;
  std::size_t processes = 4;  // how many run at a time; one that is lost in a pending operation is replaced
  std::size_t keys = 8;       // of models with keys
  std::size_t values = 5;     // different values to write; the permits of a semaphore
  bool distinct = true;       // queue, stack, deque, priority queue: insert no value twice
  double overlap = 0.5;       // 0: one operation after the other; 1: every process is always busy
  double pending = 0;         // the share of operations that never return
  std::uint64_t seed = 1;
  Profile profile = Profile::kBalanced;
  // Somewhere in the second half everything comes to rest, a few operations run alone, and one of their
  // results is recorded wrongly, and no order of the operations explains it. A few operations may be added
  // for that if the history is very short.
  bool spoil = false;
};

struct Generated {
  History history;
  // The operations that took effect, in the order in which they did, pending ones among them: a
  // linearization, unless the history is spoiled.
  std::vector<OperationId> linearization;
  std::optional<OperationId> spoiled;  // the operation with the wrong result
};

// Fails for an unknown model and for options that make no sense.
[[nodiscard]] Result<Generated> generate(const GenerateOptions& options);

[[nodiscard]] std::optional<Profile> find_profile(
    std::string_view name);  // "balanced", "fill-drain", "bursts"

}  // namespace plumb
