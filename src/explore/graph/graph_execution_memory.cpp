// Plain accesses. Races are found with the graph's happens-before, in whatever order the threads are run. An access to a place that has events,
// too, sees the value that the graph has, and a write becomes an event: it is ordered with all others, or it is a race.
#include <algorithm>

#include "explore/graph/graph_execution.hpp"

namespace plumb::engine {

using graph::event_id;
using graph::EventId;
using graph::EventKind;
using runtime::EngineScope;
using runtime::StepKind;

void GraphExecution::read(const void* address, std::size_t size, const void* pc) {
  if (may_meet_events(address, size)) return plain_access(address, size, false, pc);
  Execution::read(address, size, pc);
}

void GraphExecution::write(const void* address, std::size_t size, const void* pc) {
  if (may_meet_events(address, size)) return plain_access(address, size, true, pc);
  Execution::write(address, size, pc);
}

void GraphExecution::plain_access(const void* address, std::size_t size, bool write, const void* pc) {
  {
    const EngineScope in_engine;
    learn_plain_values(current_);
    if (locations_.may_touch(address, size)) {
      if (!locations_.promoted().empty() &&
          promoted_access({.kind = write ? StepKind::kWrite : StepKind::kRead,
                           .order = 0,
                           .writes = write,
                           .size = static_cast<std::uint32_t>(size),
                           .address = address,
                           .pc = pc}))
        return;
      look_up_locations(address, size, write, pc);
    }
  }
  if (write) {
    Execution::write(address, size, pc);
  } else {
    Execution::read(address, size, pc);
  }
}

void GraphExecution::look_up_locations(const void* address, std::size_t size, bool write, const void* pc) {
  const int self = current_;
  locations_.for_each_touching(address, size, [&](std::uint16_t number) {
    if (number >= graph().location_count() || graph().location(number).is_empty()) return;
    if (locations_[number].is_object || !knows_of(self, number)) return;
    place_latest(self, number);
    if (write) take_plain_write(self, number, pc);
  });
}

// Some event at the location happens before. Else the thread comes first, or there is a race.
bool GraphExecution::knows_of(int self, std::uint16_t number) {
  const graph::Location& location = graph().location(number);
  const Clock& before = graph().clocks(event_id(self, static_cast<std::size_t>(walker(self).at - 1))).before;
  const auto knows = [&](EventId id) { return contains(before, id); };
  return std::any_of(location.writes.begin(), location.writes.end(), knows) ||
         std::any_of(location.reads.begin(), location.reads.end(), knows);
}

// What the thread knows to be the last value.
void GraphExecution::place_latest(int self, std::uint16_t number) {
  const graph::Location& location = graph().location(number);
  const Clock& before = graph().clocks(event_id(self, static_cast<std::size_t>(walker(self).at - 1))).before;
  int place = location.last_place();
  while (place > 0 && !contains(before, location.at(place))) --place;
  search_->wide_values().write(graph().value(location.at(place), location), locations_[number].address,
                               locations_[number].size);
}

void GraphExecution::take_plain_write(int self, std::uint16_t number, const void* pc) {
  const graph::Locations::Place& place = locations_[number];
  const bool known = replays(self);
  if (known) {
    expect(next_event(self), EventKind::kPlainWrite, place.address);
  } else {
    check_room(self);
    search_->add_plain_write(self, {.kind = EventKind::kPlainWrite,
                                    .location = number,
                                    .size = static_cast<std::uint16_t>(place.size),
                                    .address = place.address,
                                    .pc = pc});
  }
  if (!known) learn_later(self, {event_id(self, static_cast<std::size_t>(walker(self).at)), place.address});
  pass(self);
  walker(self).loops.clear();
}

void GraphExecution::learn_plain_values_now(int self) {
  for (const PlainWrite& written : walker(self).unknown)
    search_->learn_value(written.event,
                         search_->wide_values().value(written.address, graph()[written.event].size));
  walker(self).unknown.clear();
}

// To allocate memory is to write all of it: who does not know of that must not touch it.
void GraphExecution::allocated(void* block, std::size_t size, const void* pc) {
  Execution::allocated(block, size, pc);
  if (is_alone_) return;
  const EngineScope in_engine;
  races_.access(current_, block, size, true, pc);
}

}  // namespace plumb::engine
