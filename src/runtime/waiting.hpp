// What the runtime remembers of the threads of one execution: who waits at which condition variable or futex, results
// for join, destructors of thread_local variables, keys, and the virtual clock. All of it is new in each execution; the
// state of mutexes and the like stands in the objects themselves, where the C library keeps it, too.
#pragma once

#include <ctime>

#include <array>
#include <cstdint>

#include "runtime/control.hpp"

namespace plumb::runtime {

void begin_execution();
// What the future depends on and no object of the program holds: the time, how many keys there are.
std::uint64_t runtime_state();

// Queues of waiting threads, by the address they wait at.
void wait_at(int thread, const void* address);
bool waits(int thread);
const void* waits_at(int thread);  // null: nowhere
void stop_waiting(int thread);
// Wakes up to `count` of those who wait at the address; which, where there are more, is an explored choice.
int wake_at(const void* address, int count);

// Runs the thread's function, keeps its result, then runs what it left for its end.
void run_thread(void* (*entry)(void*), void* argument);
void run_thread_end();

Nanoseconds virtual_now();        // each look takes a microsecond, so that a loop until a deadline ends
std::size_t keys_made();          // in this execution
void go_on_at(Nanoseconds time);  // after a sleep or a time-out: that is what the clock shows at least
void go_on_at(const timespec& time);
// Whether a word looks like the time, in whatever unit, or one that is not far from it.
bool looks_like_time(std::uint64_t word);
const void* the_clock();  // as Control::learnt() is told of it
Nanoseconds to_nanoseconds(const timespec& time);
bool is_valid(const timespec& time);
void set_deadline(Step& step, const timespec* deadline);  // null: it has none

}  // namespace plumb::runtime
