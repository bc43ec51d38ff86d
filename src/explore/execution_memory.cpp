// Plain accesses, where something may be wrong with them (execution_step.cpp): memory that is freed or was never allocated, races, and
// stacks. Of the stack of a thread that stands at a step nothing is alive below the call that led there, of one that has ended nothing
// at all: a thread that touches that uses a local variable of a function that has returned. And one that has used one while it was alive has to
// have done with it before the return, by the order that steps give.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "explore/execution.hpp"

namespace plumb::engine {

using runtime::EngineScope;
using runtime::Step;
using runtime::StepKind;

void Execution::check_access_slow(const void* address, std::size_t size, bool write, const void* pc) {
  if (in_full_ || arena_.state(address, size) > runtime::Arena::State::kLive || !alive(address)) {
    check_access_recorded(address, size, write, pc);
  } else if (runtime::g_track_accesses) {
    note_borrowed(address, size);
    check_race(address, size, write, pc);
  }
}

// Not that of a wake-up: a thread that is woken may find it gone, and so may one that wakes others.
void Execution::check_object(const Step& step) {
  if (runtime::uses_object(step.kind) && !fine(step.address, 1)) check_atomic_access(step, step.writes);
}

void Execution::check_atomic_access(const Step& step, bool wrote) {
  if (arena_.state(step.address, step.size) > runtime::Arena::State::kLive || !alive(step.address))
    check_access_recorded(step.address, step.size, wrote, step.pc);
}

void Execution::check_access_recorded(const void* address, std::size_t size, bool write, const void* pc) {
  if (limits_.plain_points && runtime::g_multithreaded && !runtime::g_in_engine) {
    const Step step{.kind = write ? StepKind::kWrite : StepKind::kRead,
                    .writes = write,
                    .size = static_cast<std::uint32_t>(size),
                    .address = address,
                    .pc = pc};
    point(step);
    executed(step, 0, write ? 1 : 0, write);  // what it leaves is not known yet: a change, for all we know
  }
  const EngineScope in_engine;
  if (survey_ != nullptr) {
    survey_memory(pc, true);
    survey_->told(current_, address, size, write);
  }
  const auto state = arena_.state(address, size);
  const bool dead = state == runtime::Arena::State::kFreed || state == runtime::Arena::State::kUnallocated;
  if (dead)
    report_dead(state == runtime::Arena::State::kFreed ? "freed memory" : "never allocated memory", address,
                size, write, pc);
  if (!alive(address)) {
    const int owner = owner_of_stack(address);
    report_dead(finished(owner)
                    ? fmt::format("a local variable of thread {}, which has ended", owner)
                    : fmt::format("a local variable of a function that has returned, in thread {}", owner),
                address, size, write, pc);
  }
  if (recorder_ != nullptr && runtime::g_track_accesses)
    recorder_->accessed(current_, address, size, write, pc);
  if (limits_.races && runtime::g_track_accesses) {
    note_borrowed(address, size);
    check_race(address, size, write, pc);
  }
}

// Another thread's local variable.
void Execution::note_borrowed(const void* address, std::size_t size) {
  if (!limits_.races || !runtime::g_all_stacks.holds(address) || runtime::g_stacks[current_].holds(address) ||
      body_waits_.holds(address))
    return;
  const int owner = owner_of_stack(address);
  if (owner < 0 || finished(owner)) return;
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  auto& of_it = borrowed_[static_cast<std::size_t>(owner)];
  lends_ |= bit(owner);
  if (std::any_of(of_it.begin(), of_it.end(),
                  [&](const Borrowed& known) { return known.address == at && known.size == size; }))
    return;
  of_it[next_borrowed_[static_cast<std::size_t>(owner)]++ % of_it.size()] = {at, size};
}

// The thread that runs has returned from functions, or ends. To end the life of a variable is to write it, as it is to free memory:
// that must not race with any use. So the order in which a use and a return come does not matter.
void Execution::end_borrowed(std::uintptr_t alive_from, const void* pc) {
  bool left = false;
  for (Borrowed& borrowed : borrowed_[static_cast<std::size_t>(current_)]) {
    if (borrowed.address >= alive_from) left = true;
    if (borrowed.address == 0 || borrowed.address >= alive_from) continue;
    const Borrowed ended = std::exchange(borrowed, {});
    const auto* address = reinterpret_cast<const void*>(ended.address);  // NOLINT(performance-no-int-to-ptr)
    const Race race = races_.access(current_, address, ended.size, true, pc);
    if (!race.found) continue;
    fail({.kind = FindingKind::kUseAfterFree,
          .message = fmt::format(
              "thread {} returns from the function of a local variable that thread {} {}, and neither "
              "happens before the other",
              current_, race.other, race.other_write ? "writes" : "reads"),
          .pc = pc,
          .address = address,
          .size = ended.size,
          .race = race});
  }
  if (left) return;
  lends_ &= ~bit(current_);
  next_borrowed_[static_cast<std::size_t>(current_)] = 0;
}

void Execution::check_race(const void* address, std::size_t size, bool write, const void* pc) {
  const EngineScope in_engine;
  const Race race = races_.access(current_, address, size, write, pc);
  if (race.found) report_race(race, address, size, write, pc);
}

void Execution::report_dead(std::string_view what, const void* address, std::size_t size, bool write,
                            const void* pc) {
  if (recorder_ != nullptr) recorder_->accessed(current_, address, size, write, pc);
  fail({.kind = FindingKind::kUseAfterFree,
        .message = fmt::format("{} of {}", write ? "write" : "read", what),
        .pc = pc,
        .address = address,
        .size = size});
}

bool Execution::alive(const void* address) const {
  if (runtime::g_stacks[current_].holds(address)) return true;
  const int owner = owner_of_stack(address);
  if (owner < 0) return true;
  std::uintptr_t& from = alive_from_[static_cast<std::size_t>(owner)];
  if (from == 0) from = find_alive(owner);
  return reinterpret_cast<std::uintptr_t>(address) >= from;
}

int Execution::owner_of_stack(const void* address) const {
  for (int thread = 0; thread < count_; ++thread) {
    if (runtime::g_stacks[thread].holds(address)) return thread;
  }
  return -1;
}

// Above the return address of the call by which the program came to its step. The step itself stands on the stack too, below that; what
// is between them is the engine's. Where the address is not found, or is not told, that part counts as alive. So does all of the stack of a
// thread that runs on another one, which it made itself.
std::uintptr_t Execution::find_alive(int thread) const {
  const runtime::Stack& stack = runtime::g_stacks[thread];
  const Step& step = *next_[static_cast<std::size_t>(thread)];
  if (!stack.holds(&step)) return stack.low;
  if (step.operand == reinterpret_cast<std::uint64_t>(this)) return body_waits_.low;
  const auto stands = reinterpret_cast<std::uintptr_t>(&step);
  if (step.pc == nullptr) return stands;
  constexpr std::uintptr_t kFarthest = 1024;
  const std::uintptr_t end = std::min(stack.high, stands + kFarthest) - sizeof(const void*);
  for (std::uintptr_t at = stands + sizeof(Step); at <= end; at += sizeof(const void*)) {
    if (*reinterpret_cast<const void* const*>(at) == step.pc) return at + sizeof(const void*);
  }
  return stands;
}

void Execution::follow(int self, const Step& step) {
  if (recorder_ != nullptr) recorder_->at_point(self, step);
  if (survey_ == nullptr) return;
  survey_memory(step.pc, false);
  // Where plain accesses are points it may go on between one that is announced and the access itself.
  const bool for_all = step.operand == reinterpret_cast<std::uint64_t>(this);
  if (self == 0 && (for_all || !limits_.plain_points))
    survey_->body_stands({find_alive(0), runtime::g_stacks[0].high});
}

void Execution::survey_memory_now(const void* pc, bool plain) {
  const EngineScope in_engine;
  survey_->look(current_, open_operation(current_), pc, plain);
}

void Execution::allocated(void* block, std::size_t size, const void* pc) {
  const EngineScope in_engine;
  if (recorder_ != nullptr) recorder_->allocated(current_, block, size);
  if (survey_ != nullptr) survey_->allocated(block, size, pc);
  if (runtime::g_track_accesses) races_.forget(block, size);
}

// To free memory is to write all of it: it must not race with any access.
void Execution::freed(void* block, std::size_t size, const void* pc) {
  const EngineScope in_engine;
  if (recorder_ != nullptr) recorder_->freed(current_, block, size);
  if (survey_ != nullptr) {
    survey_memory(pc, true);
    survey_->freed(block);
  }
  if (!limits_.races || !runtime::g_track_accesses) return;
  const Race race = races_.access(current_, block, size, true, pc);
  if (race.found) {
    fail({.kind = FindingKind::kUseAfterFree,
          .message = fmt::format("thread {} frees what thread {} {}, and neither happens before the other",
                                 current_, race.other, race.other_write ? "writes" : "reads"),
          .pc = pc,
          .address = block,
          .size = size,
          .race = race});
  }
}

}  // namespace plumb::engine
