#include "runtime/waiting.hpp"

#include "runtime/threads.hpp"
#include "runtime/virtual_clock.hpp"

namespace plumb::runtime {
namespace {

WaitingThreads g_waiting{};

}  // namespace

void begin_execution() {
  g_waiting.fill(nullptr);
  begin_clocks();
  begin_thread_ends();
  begin_shared_ptr_locks();
}

void wait_at(int thread, const void* address) { g_waiting.at(static_cast<std::size_t>(thread)) = address; }
bool waits(int thread) { return g_waiting[static_cast<std::size_t>(thread)] != nullptr; }
const void* waits_at(int thread) { return g_waiting[static_cast<std::size_t>(thread)]; }
void stop_waiting(int thread) { wait_at(thread, nullptr); }

void come_to_destroy(const void* object, const void* pc) {
  if (!g_multithreaded) return;
  const Step step{.kind = StepKind::kDestroy, .writes = true, .size = 1, .address = object, .pc = pc};
  g_control->point(step);
  g_control->executed(step, 0, 1, true);
}

int wake_at(const void* address, int count) {
  int woken = 0;
  for (;;) {
    std::array<int, kMaxThreads> waiters{};
    int n = 0;
    for (int thread = 0; thread < kMaxThreads; ++thread) {
      if (g_waiting[static_cast<std::size_t>(thread)] == address)
        waiters[static_cast<std::size_t>(n++)] = thread;
    }
    if (n == 0 || woken == count) return woken;
    const bool all = count - woken >= n;
    const int chosen = all || n == 1 ? 0 : g_control->choose(n);
    stop_waiting(waiters[static_cast<std::size_t>(chosen)]);
    g_control->woke(waiters[static_cast<std::size_t>(chosen)]);
    ++woken;
  }
}

WaitingThreads& waiting_threads() { return g_waiting; }

const char* state_that_stays() {
  if (g_time_passes) return "the program looks at the clock, sleeps or waits until a time";
  if (keys_made() != 0 || has_key_values()) return "the program has keys with values for each thread";
  if (has_things_left_for_end())
    return "a thread leaves something for its end, or the program makes threads itself";
  if (has_locked_shared_pointer()) return "the program has atomic operations on a std::shared_ptr";
  return nullptr;
}

std::uint64_t runtime_state() { return clocks_state() + keys_made(); }

}  // namespace plumb::runtime
