// Plain accesses that race, where races are allowed: they are taken for relaxed ones, as if the variables were atomic. What races is found out
// while the program runs; the search then begins anew, and from then on these accesses are events. The hook comes before the access:
// what is read is put where it will be read, and what is written is there by the thread's next hook. They go by pieces (locations.hpp): a
// write of a part of one makes it several, and the search begins anew; one that is accessed atomically, too, is updated as a whole.
#include "explore/graph/graph_execution.hpp"

namespace plumb::engine {

using graph::Event;
using graph::event_id;
using graph::EventId;
using graph::EventKind;
using runtime::Step;
using runtime::StepKind;
using Promoted = graph::Locations::Promoted;

namespace {

bool touches(const Promoted& place, const Step& access) {
  return runtime::touch(place.address, static_cast<unsigned>(place.size), access.address, access.size);
}
bool is_part_of(const Promoted& place, const Step& access) {
  const auto first = reinterpret_cast<std::uintptr_t>(place.address);
  const auto from = reinterpret_cast<std::uintptr_t>(access.address);
  return from <= first && first + place.size <= from + access.size;
}
// Of the value of the place, the bits that are written.
std::uint64_t written_bits(const Promoted& place, const Step& access) {
  const auto first = reinterpret_cast<std::uintptr_t>(place.address);
  const auto from = reinterpret_cast<std::uintptr_t>(access.address);
  std::uint64_t bits = 0;
  for (std::size_t byte = 0; byte < place.size; ++byte) {
    if (first + byte - from < access.size) bits |= std::uint64_t{0xFF} << (8U * byte);
  }
  return bits;
}
Step read_of(const Promoted& place, const void* pc) {
  return {.kind = StepKind::kLoad,
          .order = 0,
          .size = static_cast<std::uint32_t>(place.size),
          .address = place.address,
          .pc = pc};
}

}  // namespace

// What is promoted already may still race with the allocation of its memory, which is no event.
void GraphExecution::report_race(const Race& race, const void* address, std::size_t size, bool write,
                                 const void* pc) {
  if (search_ == nullptr || reports_races_) return Execution::report_race(race, address, size, write, pc);
  if (locations_.promote(address, size)) give_up_to_restart();
}

// Whether the access touches such places: then it is an event at each. All that it reads is read before it writes anything, and is shown when no
// other thread runs any more until the access itself.
bool GraphExecution::promoted_access(const Step& access) {
  std::vector<Promoted> touched;
  for (const Promoted& place : locations_.promoted()) {
    if (touches(place, access)) touched.push_back(place);
  }
  if (touched.empty()) return false;
  if (access.writes && locations_.fit_write(access.address, access.size)) give_up_to_restart();
  const int self = current_;
  Walker& mine = walker(self);
  come_to(access);
  if (!fine(access.address, access.size)) check_atomic_access(access, access.writes);
  if (recorder_ != nullptr) recorder_->accessed(self, access.address, access.size, access.writes, access.pc);
  if (!access.writes) {
    mine.read.clear();
    look_for_loop(self, access);
    for (const Promoted& place : touched) promoted_read(self, place, access.pc);
  } else {
    if (!replays(self)) wait_for_turn(self);
    for (const Promoted& place : touched)
      is_part_of(place, access) ? promoted_write(self, place, access.pc)
                                : promoted_update(self, place, access);
    mine.loops.clear();
  }
  show_what_was_read(self);
  if (races_.atomic_at(self, access.address, access.size, access.writes))
    report_race(races_.race(), access.address, access.size, access.writes, access.pc);
  return true;
}

void GraphExecution::promoted_read(int self, const Promoted& place, const void* pc) {
  const Step step = read_of(place, pc);
  if (replays(self)) {
    expect(next_event(self), EventKind::kRead, place.address);
    wait_for_source(self, next_event(self).source);
  } else {
    wait_for_turn(self);
    add_access(self, event_of(step, EventKind::kRead));
  }
  const int index = walker(self).at;
  walker(self).read.push_back(event_id(self, static_cast<std::size_t>(index)));
  pass(self);
  note_read(self, step, graph()[walker(self).read.back()], index);
}

void GraphExecution::promoted_write(int self, const Promoted& place, const void* pc) {
  if (replays(self)) {
    expect(next_event(self), EventKind::kWrite, place.address);
  } else {
    Event write = event_of(read_of(place, pc), EventKind::kWrite);
    write.is_unknown = true;
    add_access(self, write);
    learn_later(self, walker(self).at, place);
  }
  pass(self);
}

// A part of what is accessed atomically: the rest is as it was read.
void GraphExecution::promoted_update(int self, const Promoted& place, const Step& access) {
  if (place.size > graph::WideValues::kWord)
    refuse(
        "a plain write that races with an atomic variable of sixteen bytes, and writes a part of it, is not "
        "explored under this memory model",
        access.pc);
  const int index = walker(self).at;
  if (replays(self)) {
    expect(next_event(self), EventKind::kUpdateRead, place.address);
    wait_for_source(self, next_event(self).source);
  } else {
    Event update = event_of(read_of(place, access.pc), EventKind::kUpdateRead);
    update.update = graph::Update::kPart;
    update.expected = written_bits(place, access);
    update.is_unknown = true;
    add_access(self, update);
    learn_later(self, index + 1, place);
  }
  walker(self).read.push_back(event_id(self, static_cast<std::size_t>(index)));
  pass(self);
  pass(self);
}

void GraphExecution::learn_later(int self, int index, const Promoted& place) {
  learn_later(self, {event_id(self, static_cast<std::size_t>(index)), const_cast<void*>(place.address)});
}

// A copy reads all before it writes, so what it read is still needed then.
void GraphExecution::show_what_was_read(int self) {
  for (const EventId id : walker(self).read) {
    const graph::Event& event = graph()[id];
    search_->wide_values().write(event.value, const_cast<void*>(event.address), event.size);
  }
}

}  // namespace plumb::engine
