// Time under exploration is virtual. Each thread has a clock of its own: it goes on when the thread sleeps or times out, and a
// little at each look. A thread whose step does not commute with one of another thread that came before, at the same object, is not
// earlier than that one was; otherwise the clocks know nothing of each other. So the time a thread sees is the same in every order of
// independent steps, and no thread's time is over because another has slept; and what one thread has told another of
// the time is never in the other's future.
#pragma once

#include <ctime>

#include <cstdint>

#include "runtime/control.hpp"

namespace plumb::runtime {

void begin_clocks();
void start_clock(int thread, int by);    // a thread that another one starts
void join_clock(int thread, int other);  // all that the other did came before
Nanoseconds time_of(int thread);
void come_after(int thread, Nanoseconds time);               // what was done by then
void meet_others(int thread, const Step& step, bool wrote);  // at what the step touched

// Of the thread that runs.
Nanoseconds virtual_now();        // each look takes a microsecond, so that a loop until a deadline ends
void go_on_at(Nanoseconds time);  // after a sleep or a time-out: that is what the clock shows at least
void go_on_at(const timespec& time);
bool is_clock(const void* from);  // as Control::observed_environment() is told of it
std::uint64_t clocks_state();     // all of them, as a hash

// Whether a word looks like the time, in whatever unit, or one that is not far from it; or like the part of a second of one that the
// thread has seen or waited for lately.
bool looks_like_time(std::uint64_t word);
bool looks_like_part(int thread, std::uint64_t word);

Nanoseconds to_nanoseconds(const timespec& time);
bool is_valid(const timespec& time);
void set_deadline(Step& step, const timespec* deadline);  // null: it has none
void set_deadline(Step& step, Nanoseconds deadline);

}  // namespace plumb::runtime
