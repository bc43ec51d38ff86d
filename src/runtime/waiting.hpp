// What the runtime remembers of the threads of one execution: which waits at which condition variable or futex, results
// for join, destructors of thread_local variables and keys. All of it is new in each execution; the
// state of mutexes and the like stands in the objects themselves, where the C library keeps it, too.
#pragma once

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
// Wakes up to `count` of those that wait at the address; which, where there are more, is an explored choice.
int wake_at(const void* address, int count);

// Runs the thread's function, keeps its result, then runs what it left for its end.
void run_thread(void* (*entry)(void*), void* argument);
void run_thread_end();
std::size_t keys_made();  // in this execution

// All that is written down here of the waiting threads, to be kept and set again.
using WaitingThreads = std::array<const void*, kMaxThreads>;
WaitingThreads& waiting_threads();
// What else the runtime keeps of an execution, and nobody can set again; null: nothing.
const char* state_that_stays();
bool has_key_values();             // some thread has
bool has_things_left_for_end();    // destructors, robust mutexes, threads that the program made itself
bool has_locked_shared_pointer();  // at some time

}  // namespace plumb::runtime
