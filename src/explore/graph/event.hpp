// An event of an execution graph: what one thread did at one point of its program order. A read-modify-write that writes is two, the
// read and the write behind it. Which write a read takes its value from, and where a write stands in the coherence order of its location,
// are choices of the search; everything else follows from the program.
#pragma once

#include <cstddef>
#include <cstdint>

#include "explore/clock.hpp"
#include "runtime/step.hpp"

namespace plumb::engine::graph {

// Names an event: its thread, and its number there. It stays the same when others are taken out of the graph.
struct EventId {
  std::uint16_t thread = kNoThread;
  std::uint16_t index = 0;

  bool operator==(const EventId&) const = default;
  [[nodiscard]] bool is_initial() const { return thread == kNoThread; }  // no event: the initial value

  static constexpr std::uint16_t kNoThread = 0xFFFF;
};
constexpr EventId kInitial{};
inline EventId event_id(int thread, std::size_t index) {
  return {static_cast<std::uint16_t>(thread), static_cast<std::uint16_t>(index)};
}
// The event is among those of the clock.
inline bool contains(const Clock& clock, EventId event) {
  return static_cast<int>(event.index) < clock[event.thread];
}

enum class EventKind : std::uint8_t {
  kBegin,          // of a thread; its source is the creation
  kEnd,            // of a thread
  kCreate,         // a thread is made
  kJoin,           // its source is the end of another thread
  kFence,          //
  kWaiterFence,    // that a library lacks: where it counts a thread that waits (runtime/library_waits.hpp)
  kNotifierFence,  // and where it asks whether there is one. They order no more than these two
  kChoice,         // one of several outcomes; `value` is the one that was taken
  kOpen,           // what gates wait for: an unlock
  kGate,           // waits for its one source, and happens after it if it acquires
  kClose,          // the use of an object ends; its source is the end of the use before
  kRead,           // an atomic load; a compare-exchange that can only fail
  kWrite,          // an atomic store
  kUpdateRead,     // the read of a read-modify-write, whether it writes or not
  kUpdateWrite,    // its write, next in program order
  kPlainWrite,     // to a place that is accessed atomically, too
};

using runtime::Update;

constexpr std::uint16_t kNoLocation = 0xFFFF;

struct Event {
  EventKind kind = EventKind::kFence;
  std::uint8_t order = 0;  // memory orders, as the compilers number them
  std::uint8_t failure_order = 0;
  Update update = Update::kExchange;
  std::uint16_t location = kNoLocation;
  std::uint16_t size = 0;   // in bytes
  std::int16_t place = 0;   // of a write in the coherence order, from 1; 0 is the initial value's
  bool succeeds = false;    // a read-modify-write that writes
  bool sequential = true;   // up to this event po, rf, co and fr have no cycle
  bool older = false;       // chosen: not the newest value, or not the last place
  bool is_unknown = false;  // what is written plainly: it is in memory by the thread's next hook
  EventId source =
      {};  // of a read: the write it takes its value from; of a gate, a join, a beginning: what it waits for
  std::uint32_t stamp = 0;     // when it was added: increases along program order
  std::uint64_t value = 0;     // read or written
  std::uint64_t operand = 0;   // of a read-modify-write; of a choice: how many outcomes there are
  std::uint64_t expected = 0;  // of a compare-exchange; of an update of a part: its bits
  const void* address = nullptr;
  const void* pc = nullptr;
};

constexpr bool is_read(EventKind kind) { return kind == EventKind::kRead || kind == EventKind::kUpdateRead; }
constexpr bool is_write(EventKind kind) {
  return kind == EventKind::kWrite || kind == EventKind::kUpdateWrite || kind == EventKind::kPlainWrite;
}
constexpr bool is_library_fence(EventKind kind) {
  return kind == EventKind::kWaiterFence || kind == EventKind::kNotifierFence;
}
constexpr bool is_fence(EventKind kind) { return kind == EventKind::kFence || is_library_fence(kind); }
constexpr bool is_read(const Event& event) { return is_read(event.kind); }
constexpr bool is_write(const Event& event) { return is_write(event.kind); }

constexpr std::uint8_t kSequentiallyConsistent = 5;
constexpr bool acquires(std::uint8_t order) { return order != 0 && order != 3; }
constexpr bool releases(std::uint8_t order) { return order >= 3; }
// A compare-exchange that fails has another order.
constexpr std::uint8_t effective_order(const Event& event) {
  const bool fails = event.kind == EventKind::kUpdateRead && !event.succeeds;
  return fails ? event.failure_order : event.order;
}
// More may happen before it than what happens before the event in front of it.
constexpr bool may_learn(const Event& event) {
  if (event.kind == EventKind::kBegin || event.kind == EventKind::kFence) return true;
  return !event.source.is_initial() && (!is_read(event) || acquires(effective_order(event)));
}
constexpr bool is_seq_cst(const Event& event) {
  const bool ordered = is_fence(event.kind) || is_read(event) || is_write(event);
  return ordered && effective_order(event) == kSequentiallyConsistent;
}

// Of each event, all that follows from the events before it in po and rf: so they stay right when others are taken out.
struct Clocks {
  Clock before;    // what happens before the event, and itself
  Clock causes;    // the same for po and rf alone
  Clock acquired;  // what relaxed reads saw: an acquire fence makes it count
  Clock fenced;    // the clock at the last release fence
  Clock released;  // of a write: what an acquiring reader gets; of a use: what all of them released so far
};

}  // namespace plumb::engine::graph
