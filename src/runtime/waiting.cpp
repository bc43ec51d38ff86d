#include "runtime/waiting.hpp"

namespace plumb::runtime {
namespace {

constexpr Nanoseconds kBegin = 1'700'000'000'000'000'000;  // a Tuesday in November 2023
constexpr Nanoseconds kLook = 1000;

std::array<const void*, kMaxThreads> g_waiting{};
Nanoseconds g_now = kBegin;

}  // namespace

void begin_thread_ends();

void begin_execution() {
  g_waiting.fill(nullptr);
  g_now = kBegin;
  begin_thread_ends();
}

void wait_at(int thread, const void* address) { g_waiting.at(static_cast<std::size_t>(thread)) = address; }
bool waits(int thread) { return g_waiting[static_cast<std::size_t>(thread)] != nullptr; }
void stop_waiting(int thread) { wait_at(thread, nullptr); }

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
    ++woken;
  }
}

std::uint64_t runtime_state() { return static_cast<std::uint64_t>(g_now) + keys_made(); }

Nanoseconds virtual_now() {
  g_now += kLook;
  g_control->learnt(static_cast<std::uint64_t>(g_now), &g_now, true);
  return g_now;
}
void advance_to(Nanoseconds time) {
  if (time <= g_now) return;
  g_now = time;
  g_control->learnt(static_cast<std::uint64_t>(g_now), &g_now, true);
}
Nanoseconds to_nanoseconds(const timespec& time) {
  return time.tv_sec * Nanoseconds{1'000'000'000} + time.tv_nsec;
}

}  // namespace plumb::runtime
