// The objects that have a monitor, as few lines as they can be, with their whole state in one number. They are written
// down here again, on purpose: what the library's models get wrong must not be wrong here too.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <ostream>
#include <string_view>
#include <vector>

#include <plumb/value.hpp>

namespace plumb::test {

using TinyState = std::uint64_t;
using TinyResult = std::int8_t;
inline constexpr TinyResult kNothing = 0;    // the only result of a write, and what an empty removal gives
inline constexpr TinyResult kIllegal = 127;  // it cannot take effect now
inline constexpr int kOnlyKey = 7;

struct TinyCall {
  std::uint8_t operation = 0;
  std::int8_t argument = 0;  // above 0, below 16

  friend bool operator==(const TinyCall&, const TinyCall&) = default;
};

enum class TinyArguments : std::uint8_t { kNone, kOne, kKeyOnly, kKeyAndOne };
enum class TinyReturns : std::uint8_t { kValue, kInteger, kBool, kAlwaysTrue };  // kValue: 0 stands for null

struct TinyObject {
  std::string_view model;
  std::vector<std::string_view> functions;
  std::vector<TinyArguments> arguments;  // by operation
  std::vector<TinyReturns> returns;
  TinyState initial;
  TinyResult (*apply)(TinyState& state, TinyCall call, int process);

  [[nodiscard]] TinyArguments takes(std::uint8_t operation) const { return arguments[operation]; }
  [[nodiscard]] Value value_of(std::uint8_t operation, TinyResult result) const {
    switch (returns[operation]) {
      case TinyReturns::kBool:
        return result != 0 ? kTrue : kFalse;
      case TinyReturns::kInteger:
        return Value::small(result);
      case TinyReturns::kAlwaysTrue:
        return kTrue;
      case TinyReturns::kValue:
        break;
    }
    return result == kNothing ? kNull : Value::small(result);
  }
  friend void PrintTo(const TinyObject& object, std::ostream* out) { *out << object.model; }
};

namespace tiny {

using enum TinyArguments;
using enum TinyReturns;

// Four bits per value, the oldest lowest.
inline TinyResult queue(TinyState& state, TinyCall call, int) {
  if (call.operation == 0) {
    const auto size = (std::bit_width(state) + 3) / 4;
    state |= static_cast<TinyState>(call.argument) << (4 * size);
    return kNothing;
  }
  const auto front = static_cast<TinyResult>(state & 15U);
  state >>= 4U;
  return front;
}

// Four bits per value, the youngest lowest.
inline TinyResult stack(TinyState& state, TinyCall call, int) {
  if (call.operation == 0) {
    state = state << 4U | static_cast<TinyState>(call.argument);
    return kNothing;
  }
  const auto top = static_cast<TinyResult>(state & 15U);
  state >>= 4U;
  return top;
}

// Four bits for each value: how many of it there are.
inline TinyResult priority_queue(TinyState& state, TinyCall call, int) {
  constexpr int kBits = 4;
  const auto one_of = [](int value) { return TinyState{1} << static_cast<unsigned>(kBits * value); };
  if (call.operation == 0) {
    state += one_of(call.argument);
    return kNothing;
  }
  if (state == 0) return kNothing;
  const int least = std::countr_zero(state) / kBits;
  state -= one_of(least);
  return static_cast<TinyResult>(least);
}

inline TinyResult set(TinyState& state, TinyCall call, int) {
  const bool present = state != 0;
  if (call.operation == 2) return present ? 1 : 0;
  state = call.operation == 0 ? 1 : 0;
  return present == (call.operation == 1) ? 1 : 0;
}

inline TinyResult multiset(TinyState& state, TinyCall call, int) {
  if (call.operation == 0) {
    ++state;
    return kNothing;
  }
  const bool present = state != 0;
  if (call.operation == 1 && present) --state;
  return present ? 1 : 0;
}

inline TinyResult memory(TinyState& state, TinyCall call, int) {
  if (call.operation == 0) return static_cast<TinyResult>(state);
  state = static_cast<TinyState>(call.argument);
  return kNothing;
}

inline TinyResult counter(TinyState& state, TinyCall call, int) {
  const auto before = static_cast<TinyResult>(state);
  if (call.operation == 0) state += static_cast<TinyState>(call.argument);
  return before;
}

// The state is the holder + 1.
inline TinyResult mutex(TinyState& state, TinyCall call, int process) {
  const auto me = static_cast<TinyState>(process + 1);
  if (call.operation == 2 && state != 0) return 0;
  if (call.operation == 1 ? state != me : state != 0) return kIllegal;
  state = call.operation == 1 ? 0 : me;
  return call.operation == 2 ? 1 : kNothing;
}

}  // namespace tiny

// In the order of monitors.def.
inline const std::vector<TinyObject>& tiny_objects() {
  using namespace tiny;
  static const std::vector<TinyObject> objects = {
      {"queue", {"enqueue", "dequeue"}, {kOne, kNone}, {kValue, kValue}, 0, queue},
      {"stack", {"push", "pop"}, {kOne, kNone}, {kValue, kValue}, 0, stack},
      {"priority-queue", {"insert", "extract_min"}, {kOne, kNone}, {kValue, kValue}, 0, priority_queue},
      {"set", {"add", "remove", "contains"}, {kKeyOnly, kKeyOnly, kKeyOnly}, {kBool, kBool, kBool}, 0, set},
      {"multiset",
       {"add", "remove", "contains"},
       {kKeyOnly, kKeyOnly, kKeyOnly},
       {kValue, kBool, kBool},
       0,
       multiset},
      {"map", {"get", "put"}, {kKeyOnly, kKeyAndOne}, {kValue, kValue}, 0, memory},
      {"register", {"read", "write"}, {kNone, kOne}, {kValue, kValue}, 0, memory},
      {"counter", {"fetch_add", "read"}, {kOne, kNone}, {kInteger, kInteger}, 0, counter},
      {"mutex",
       {"acquire", "release", "try_acquire"},
       {kNone, kNone, kNone},
       {kValue, kValue, kBool},
       0,
       mutex}};
  return objects;
}

inline const TinyObject& tiny_object(std::string_view model) {
  return *std::ranges::find(tiny_objects(), model, &TinyObject::model);
}

}  // namespace plumb::test
