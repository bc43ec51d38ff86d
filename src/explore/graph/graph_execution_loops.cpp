// Loops that wait. One whose thread comes to a read again and keeps the same waits until that is another value, which is another graph
// (waiting_loops.hpp). One that keeps the time is shown first that a day has passed (explore/late.hpp). One that counts its rounds goes on, up to
// `patience` of them; then it goes on only when no other thread can, and reads what is newest. The same holds for a thread that yields,
// sleeps or times out again and again at one place, whatever it does between.
#include <algorithm>

#include "explore/graph/graph_execution.hpp"
#include "explore/local_state.hpp"
#include "runtime/waiting.hpp"

namespace plumb::engine {

using graph::Event;
using graph::event_id;
using graph::EventId;
using graph::EventKind;
using runtime::Step;
using runtime::StepKind;

namespace {

constexpr int kMostYields = 8;  // as explore/yields.hpp has them
constexpr int kMostWaits = 4;
constexpr int kMostIdleRounds = 1000;  // in which nothing changes, and no other thread can go on

}  // namespace

// Stays at a loop that would do the same again. Where one is found for the first time the search begins anew, so that no graph has more of its
// rounds than others.
void GraphExecution::look_for_loop(int self, const Step& step) {
  Walker& mine = walker(self);
  mine.state = 0;
  spinning_ &= ~bit(self);
  const bool known = !loop_places_.empty() &&
                     std::find(loop_places_.begin(), loop_places_.end(), step.pc) != loop_places_.end();
  // What is run again was looked at when it was added: to see that it goes round and round takes a few rounds more.
  const int enough = replays(self) ? 2 : 1;
  const int rounds = mine.loops.rounds(step.pc, step.address, step.operand);
  if (!known && rounds < enough) return;
  TimeSeen& time = threads_[static_cast<std::size_t>(self)].time;
  mine.state =
      time.looks > 0 ? local_state(self, step).but_for_times : local_state(self, step, Times::kKept).all;
  if (mine.state == 0) return;
  mine.state += runtime::g_writes[self] * 0x9E37'79B9'7F4A'7C15ULL;
  const auto* before = mine.loops.repeats(step.pc, step.address, mine.state);
  if (before == nullptr) return be_patient(self, step, rounds);
  if (!known) {
    loop_places_.push_back(step.pc);
    give_up_to_restart();
  }
  if (before->looks != time.looks && before->leaps == time.leaps) {
    time.late = true;
    return;
  }
  if (replays(self)) return;
  spinning_ |= bit(self);
  wait_forever(self);
}

// A loop that changes something each time round (explore/turns.hpp): from the first time on that it waits, it reads what is newest. It is counted also where it is run again, so that it stands at the
// same place then.
void GraphExecution::look_for_turns(int self, const Step& step) {
  Turns& turns = threads_[static_cast<std::size_t>(self)].turns;
  if (!turns.suspects(step)) return;
  const std::uint64_t local = local_state(self, step, Times::kKept).all;
  const std::uint64_t state = local == 0 ? 0 : local + runtime::g_writes[self] * 0x9E37'79B9'7F4A'7C15ULL;
  if (!turns.waits(step, state, limits_.patience) || order_ != nullptr || replays(self)) return;
  held_back_ = true;
  wait(self, Wait::kLast);
}

// A random execution goes on as it likes.
void GraphExecution::be_patient(int self, const Step& step, int rounds) {
  const auto patience = static_cast<int>(limits_.patience);
  if (rounds < patience || order_ != nullptr) return;
  Walker& mine = walker(self);
  TimeSeen& time = threads_[static_cast<std::size_t>(self)].time;
  const auto& first = mine.loops.first(step.pc, step.address);
  if (first.looks != time.looks && first.leaps == time.leaps) {
    time.late = true;
    return;
  }
  if (replays(self)) return;
  if (rounds > patience + kMostIdleRounds) {
    mine.loops.gives_up();
    spinning_ |= bit(self);
    wait_forever(self);
  }
  hold_back(self);
}

// What it does next it does only when no other thread can go on, and reads what is newest.
void GraphExecution::hold_back(int self) {
  held_back_ = true;
  if (!replays(self)) wait(self, Wait::kLast);
  walker(self).is_patient = true;
}

// It yielded, slept or timed out.
void GraphExecution::note_pause(int self, const Step& step) {
  if (is_alone_) return;
  const int times = ++walker(self).pauses[step.pc];
  const bool yields = step.kind == StepKind::kYield;
  if (!yields && times == 2) threads_[static_cast<std::size_t>(self)].time.late = true;
  if (times <= (yields ? kMostYields : kMostWaits) || order_ != nullptr) return;
  hold_back(self);
}

// Whether a thread that waits to be woken until a time is late: a choice, but for one that has been late often.
bool GraphExecution::times_out(int self, const Step& step) {
  Walker& mine = walker(self);
  bool late = false;
  if (replays(self) || order_ != nullptr || mine.pauses[step.pc] < kMostWaits) {
    late = choose(2) == 1;
  } else {
    mine.object = step.address;
    held_back_ = true;
    wait(self, Wait::kWokenOrLast);
    late = runtime::waits(self) || !has_ended(mine.woken_by, step.address);
    take_other(self, {.kind = EventKind::kChoice, .value = late ? 1U : 0U, .operand = 1});
  }
  if (late && ++mine.pauses[step.pc] == 2) threads_[static_cast<std::size_t>(self)].time.late = true;
  return late;
}

// The write that first stored the value: others may have exchanged it for the same.
EventId GraphExecution::origin_of(EventId source) {
  while (!source.is_initial() && graph()[source].kind == EventKind::kUpdateWrite) {
    const Event& read = graph()[event_id(source.thread, source.index - 1U)];
    if (read.value != graph()[source].value) break;
    source = read.source;
  }
  return source;
}

// What leaves the value as it was is no more than a read.
void GraphExecution::note_read(int self, const Step& step, const Event& read, int index) {
  Walker& mine = walker(self);
  if (read.succeeds && graph()[event_id(self, static_cast<std::size_t>(index) + 1)].value != read.value)
    return mine.loops.clear();
  const TimeSeen& time = threads_[static_cast<std::size_t>(self)].time;
  mine.loops.saw({step.pc, step.address, step.operand, origin_of(read.source), mine.state, index, time.looks,
                  time.leaps});
}

}  // namespace plumb::engine
