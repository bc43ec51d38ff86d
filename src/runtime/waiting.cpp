#include "runtime/waiting.hpp"

#include "runtime/threads.hpp"

#include <algorithm>
#include <limits>

namespace plumb::runtime {
namespace {

constexpr Nanoseconds kBegin = 1'700'000'000'000'000'000;  // a Tuesday in November 2023
constexpr Nanoseconds kLook = 1000;
constexpr Nanoseconds kSecond = 1'000'000'000;
// Seconds: "for ever" is often a date that no 64 bits of nanoseconds hold.
constexpr Nanoseconds kFurthest = std::numeric_limits<Nanoseconds>::max() / kSecond / 2;

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
const void* waits_at(int thread) { return g_waiting[static_cast<std::size_t>(thread)]; }
void stop_waiting(int thread) { wait_at(thread, nullptr); }

void come_to_destroy(const void* object, const void* pc) {
  if (!g_several) return;
  const Step step{.kind = StepKind::kDestroy, .writes = true, .size = 1, .address = object, .pc = pc};
  g_control->point(step);
  g_control->did(step, 0, 1, true);
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
    ++woken;
  }
}

std::uint64_t runtime_state() { return static_cast<std::uint64_t>(g_now) + keys_made(); }

Nanoseconds virtual_now() {
  g_now += kLook;
  g_control->learnt(static_cast<std::uint64_t>(g_now), &g_now, true);
  return g_now;
}
void go_on_at(Nanoseconds time) {
  time = std::min(time + g_control->delay(), kFurthest * kSecond);
  if (time <= g_now) return;
  g_now = time;
  g_control->learnt(static_cast<std::uint64_t>(g_now), &g_now, true);
}
void go_on_at(const timespec& time) { go_on_at(to_nanoseconds(time)); }
const void* the_clock() { return &g_now; }
bool looks_like_time(std::uint64_t word) {
  constexpr Nanoseconds kYear = 366 * 24 * 3600 * kSecond;
  for (Nanoseconds unit = 1; unit <= kSecond; unit *= 1000) {
    const auto first = static_cast<std::uint64_t>(kBegin / unit);
    if (word - first <= static_cast<std::uint64_t>((g_now - kBegin + kYear) / unit)) return true;
  }
  return false;
}
Nanoseconds to_nanoseconds(const timespec& time) {
  return std::clamp<Nanoseconds>(time.tv_sec, 0, kFurthest) * kSecond + time.tv_nsec;
}
bool is_valid(const timespec& time) { return time.tv_nsec >= 0 && time.tv_nsec < kSecond; }
void set_deadline(Step& step, const timespec* deadline) {
  step.timed = deadline != nullptr;
  if (step.timed) step.deadline = to_nanoseconds(*deadline);
}

}  // namespace plumb::runtime
