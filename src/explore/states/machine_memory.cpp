// What a program does to memory, as a search of states looks at it: freed memory, borrowed stacks, races. What looks at it runs on a stack
// of its own: how deep it goes is no matter of the program.
#include <algorithm>
#include <utility>

#include "explore/states/machine.hpp"
#include "explore/weak_orders.hpp"

namespace plumb::engine {

using runtime::Step;
using runtime::StepKind;

template <class F>
void Machine::on_own_stack(F function) {
  const runtime::EngineScope in_engine;
  if (is_aside(current_)) return function();
  runtime::plumb_call_on(
      own_stack_top_, [](void* it) { (*static_cast<F*>(it))(); }, &function);
}

void Machine::open_log() {
  runtime::plumb_log_next = accesses_.data();
  runtime::plumb_log_end = accesses_.data() + (limits_.plain_points ? 0 : accesses_.size());
}

// Those that the hooks do not log themselves.
void Machine::access(const void* address, std::size_t size, bool write, const void* pc) {
  if (limits_.plain_points && runtime::g_multithreaded) {
    bool is_step = false;
    on_own_stack([&] {
      is_step = is_contended(address, size, write ? kPlainWrite : kPlainRead);
      if (!is_step)
        path_.push_back(static_cast<std::uint8_t>(current_));  // where schedules are run it is one
    });
    if (is_step) {
      const Step step{.kind = write ? StepKind::kWrite : StepKind::kRead,
                      .writes = write,
                      .size = static_cast<std::uint32_t>(size),
                      .address = address,
                      .pc = pc};
      point(step);
    }
  }
  if (runtime::plumb_log_next == accesses_.data() + accesses_.size())
    on_own_stack([&] { settle_accesses(); });
  *runtime::plumb_log_next++ = {address, static_cast<std::uint32_t>(size), write ? 1U : 0U};
}

// Where plain accesses are steps: whether another thread touches the place, too, in some execution, and one of them writes. Else the
// access commutes with all that others do, and need not be one.
bool Machine::is_contended(const void* address, std::size_t size, TouchKind kind) {
  const auto first = reinterpret_cast<std::uintptr_t>(address);
  bool is = false;
  for (std::uintptr_t word = first / 8; word * 8 < first + size; ++word)
    is |= plain_words_.touch(current_, word, kind);
  return is;
}

// On the stack of the body, while it waits for the others, lies what they share; other stacks are their threads' own.
bool Machine::is_borrowed(const void* address) const {
  if (!runtime::g_all_stacks.holds(address)) return false;
  const auto at = reinterpret_cast<std::uint64_t>(address);
  return !(runtime::g_stacks[0].holds(address) && shared_.body_waits != 0 && at >= shared_.body_waits);
}

// From now on it is a part of the state; what was searched without it has to be searched again.
void Machine::share_body() {
  if (std::exchange(body_is_shared_, true)) return;
  races_.learn();
}

// False: what comes after it does not matter any more.
[[gnu::always_inline]] inline bool Machine::check(const runtime::LoggedAccess& access) {
  bool is_dead = false;
  if (runtime::Arena::owns(access.address)) {
    is_dead = !arena_.fine(access.address, access.size) &&
              arena_.state(access.address, access.size) > runtime::Arena::State::kLive;
  } else if (is_borrowed(access.address)) {
    why_ = "a thread uses local variables of another one";
    event_ = Event::kCannotSave;
    return false;
  } else if (access.write != 0 && runtime::g_stacks[0].holds(access.address)) {
    share_body();
  }
  if (!is_dead && !watches_races()) return true;
  if (expects_something() && races_.is_touched_by_others(current_, access.address, access.size))
    expect_nothing();
  if (!is_dead && !races_.access(current_, access.address, access.size, access.write != 0)) return true;
  event_ = Event::kFails;
  return false;
}

void Machine::settle_accesses() {
  const runtime::LoggedAccess* const end = runtime::plumb_log_next;
  const runtime::Stack own = runtime::g_stacks[current_];
  for (const runtime::LoggedAccess* each = accesses_.data(); each != end && event_ == Event::kStands;
       ++each) {
    if (!own.holds(each->address) && !check(*each)) break;
  }
  runtime::plumb_log_next = accesses_.data();
}

void Machine::note_executed(const Step& step, std::uint64_t, std::uint64_t, bool wrote) {
  on_own_stack([&] { check_executed(step, wrote); });
}

void Machine::check_executed(const Step& step, bool wrote) {
  settle_accesses();
  if (step.kind == StepKind::kFence) {
    expect_nothing();
    races_.fence(current_, step.order);
    return;
  }
  const bool atomic = runtime::is_atomic(step.kind);
  if (atomic) runtime::g_is_instrumented = true;
  if (atomic) note_order(step);
  if (limits_.plain_points && shared_.multithreaded != 0 && step.address != nullptr)
    (void)is_contended(step.address, std::max(step.size, 1U), wrote ? kAtomicWrite : kAtomicRead);
  if (event_ != Event::kStands || (!atomic && !runtime::uses_object(step.kind))) return;
  const std::size_t size = atomic ? step.size : 1;
  const bool is_dead =
      !arena_.fine(step.address, size) && arena_.state(step.address, size) > runtime::Arena::State::kLive;
  if (!is_dead && runtime::g_stacks[current_].holds(step.address)) return;
  if (!is_dead && is_borrowed(step.address)) {
    why_ = "a thread uses local variables of another one";
    event_ = Event::kCannotSave;
  } else if (is_dead || (atomic && watches_races() && races_.atomic(current_, step, wrote))) {
    event_ = Event::kFails;
  }
}

void Machine::acquire(const void* object) {
  if (!limits_.races) return;
  on_own_stack([&] {
    settle_accesses();
    expect_nothing();
    races_.acquire(current_, object);
  });
}

void Machine::release(const void* object) {
  if (!limits_.races) return;
  on_own_stack([&] {
    settle_accesses();
    expect_nothing();
    races_.release(current_, object);
  });
}

void Machine::allocated(void* block, std::size_t size, const void*) {
  on_own_stack([&] {
    settle_accesses();
    races_.forget(current_, block, size);
  });
}

void Machine::freed(void* block, std::size_t size, const void*) {
  on_own_stack([&] {
    settle_accesses();
    if (watches_races()) {
      if (expects_something() && races_.is_touched_by_others(current_, block, size)) expect_nothing();
      if (races_.free(current_, block, size) && event_ == Event::kStands) event_ = Event::kFails;
    }
    if (limits_.plain_points && shared_.multithreaded != 0) (void)is_contended(block, size, kPlainWrite);
    arena_.fill_freed(block);
  });
}

// What the next step of the thread is sure to acquire.
const void* Machine::next_acquired(int thread) const {
  const Thread& self = threads_[index(thread)];
  if (self.where == Where::kAtStep)
    return self.step->kind == StepKind::kLock && !self.step->timed ? self.step->address : nullptr;
  if (self.where != Where::kAsks) return nullptr;
  const runtime::SideStack& side = sides_[index(thread)];
  const auto& arguments = side.at_hook.arguments;
  const auto acquires = [](std::uint64_t order) {
    return RaceState::acquires(static_cast<std::uint8_t>(order & 7U));
  };
  const bool does = side.orders == runtime::kSecondOrder  ? acquires(arguments[1])
                    : side.orders == runtime::kThirdOrder ? acquires(arguments[2])
                    : side.orders == runtime::kFourthOrders
                        ? acquires(arguments[3]) && acquires(arguments[3] >> 32U)
                        : false;
  return does ? reinterpret_cast<const void*>(arguments[0]) : nullptr;  // NOLINT
}

// What the first step of the operation was that the thread has just called: each time the same, as far as it is known.
void Machine::learn_first_step(int thread) {
  if (called_ >= first_steps_.size()) return;
  FirstStep& known = first_steps_[called_];
  const Thread& self = threads_[index(thread)];
  const bool in_call = self.operation == called_ + 1;
  const void* const acquires = in_call && limits_.races ? next_acquired(thread) : nullptr;
  const bool locks = in_call && self.where == Where::kAtStep && self.step->kind == StepKind::kLock &&
                     self.step->ready != nullptr && !self.step->timed;
  FirstStep now = known;
  if (!known.is_known) {
    now = {.is_known = true, .acquires = acquires};
    if (locks) now.lock = *self.step;
  } else {
    if (known.acquires != acquires) now.acquires = nullptr;
    if (known.lock && !(locks && self.step->address == known.lock->address)) now.lock.reset();
  }
  const bool is_new =
      !known.is_known || now.acquires != known.acquires || now.lock.has_value() != known.lock.has_value();
  known = now;
  if (is_new) races_.learn();
}

// Of a thread that is about to call an operation: what the first step of that operation acquired whenever it was called.
void Machine::foresee(int thread) {
  if (calls_) learn_first_step(thread);
  if (!limits_.races) return;
  const FirstStep* const first = first_step(thread);
  races_.expect(thread, first != nullptr ? first->acquires : next_acquired(thread));
}

const Machine::FirstStep* Machine::first_step(int thread) const {
  if (!is_call(thread)) return nullptr;
  static constexpr FirstStep kUnknown;
  const std::uint64_t operation = sides_[index(thread)].at_hook.arguments[0];
  return operation < first_steps_.size() ? &first_steps_[operation] : &kUnknown;
}

// Before the first step of the operation something depends on what the thread knows.
void Machine::expect_nothing() {
  if (!expects_something()) return;
  FirstStep& known = first_steps_[called_];
  known.is_known = true;
  known.acquires = nullptr;
  races_.learn();
}

}  // namespace plumb::engine
