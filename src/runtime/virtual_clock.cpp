#include "runtime/virtual_clock.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>
#include <unordered_map>
#include <vector>

namespace plumb::runtime {

bool g_time_passes = false;
bool g_time_matters = false;

namespace {

constexpr Nanoseconds kBegin = 1'700'000'000'000'000'000;  // a Tuesday in November 2023
constexpr Nanoseconds kLook = 1000;
constexpr Nanoseconds kSecond = 1'000'000'000;
// Seconds: "forever" is often a date that no 64 bits of nanoseconds hold.
constexpr Nanoseconds kFurthest = std::numeric_limits<Nanoseconds>::max() / kSecond / 2;

struct Clock {
  Nanoseconds now = kBegin;
  std::array<std::uint64_t, 8> parts{};  // of seconds, of the last times
  std::size_t next_part = 0;

  void note(Nanoseconds time) {
    parts[next_part++ % parts.size()] = static_cast<std::uint64_t>(time % kSecond);
  }
};
std::array<Clock, kMaxThreads> g_clocks;
Nanoseconds g_latest = kBegin;

// When bytes that a step touched were last changed and last read; kept by the words of eight bytes in which they lie.
struct Times {
  const void* object = nullptr;
  unsigned size = 0;
  Nanoseconds change = 0;
  Nanoseconds read = 0;
};
std::unordered_map<std::uintptr_t, std::vector<Times>> g_times;

Clock& clock_of(int thread) { return g_clocks[static_cast<std::size_t>(thread)]; }

void set_clock(Nanoseconds time) {
  Clock& clock = clock_of(t_fiber);
  clock.now = time;
  clock.note(time);
  g_latest = std::max(g_latest, time);
  g_time_passes = g_time_matters = true;
  g_control->observed_environment(static_cast<std::uint64_t>(time), &clock, true);
}

void meet(Clock& clock, const void* object, unsigned size, bool changes) {
  const auto first = reinterpret_cast<std::uintptr_t>(object);
  const auto each_word = [&](auto use) {
    for (auto word = first / 8; word * 8 < first + size; ++word) use(g_times[word]);
  };
  each_word([&](const std::vector<Times>& there) {
    for (const Times& times : there) {
      if (touch(times.object, times.size, object, size))
        clock.now = std::max({clock.now, times.change, changes ? times.read : 0});
    }
  });
  each_word([&](std::vector<Times>& there) {
    auto at = std::find_if(there.begin(), there.end(),
                           [&](const Times& times) { return times.object == object && times.size == size; });
    if (at == there.end()) at = there.insert(at, {.object = object, .size = size});
    Nanoseconds& last = changes ? at->change : at->read;
    last = std::max(last, clock.now);  // of two readers neither need be later than the other
  });
}

}  // namespace

void begin_clocks() {
  if (!g_time_passes) return;
  g_clocks.fill({});
  g_times.clear();
  g_latest = kBegin;
  g_time_passes = false;
}
void start_clock(int thread, int by) {
  if (g_time_passes) clock_of(thread) = {.now = clock_of(by).now};
}
void join_clock(int thread, int other) {
  clock_of(thread).now = std::max(clock_of(thread).now, clock_of(other).now);
}
Nanoseconds time_of(int thread) { return clock_of(thread).now; }
void come_after(int thread, Nanoseconds time) { clock_of(thread).now = std::max(clock_of(thread).now, time); }
void meet_others(int thread, const Step& step, bool wrote) {
  const bool changes = step.kind == StepKind::kCompareExchange ? wrote : step.writes;
  Clock& clock = clock_of(thread);
  if (step.address != nullptr) meet(clock, step.address, std::max(step.size, 1U), changes);
  if (step.also != nullptr) meet(clock, step.also, std::max(step.size, 1U), changes);
}

Nanoseconds virtual_now() {
  const Nanoseconds now = clock_of(t_fiber).now;
  set_clock(std::min(now + kLook + g_control->delay(), kFurthest * kSecond));
  return clock_of(t_fiber).now;
}
void go_on_at(Nanoseconds time) {
  time = std::min(time + g_control->delay(), kFurthest * kSecond);
  if (time > clock_of(t_fiber).now) set_clock(time);
}
void go_on_at(const timespec& time) { go_on_at(to_nanoseconds(time)); }
bool is_clock(const void* from) {
  return from >= static_cast<const void*>(g_clocks.begin()) &&
         from < static_cast<const void*>(g_clocks.end());
}
std::uint64_t clocks_state() {
  std::uint64_t hash = 0;
  for (const Clock& clock : g_clocks) hash = hash * 31 + static_cast<std::uint64_t>(clock.now);
  return hash;
}

bool looks_like_time(std::uint64_t word) {
  constexpr Nanoseconds kYear = 366 * 24 * 3600 * kSecond;
  const auto in = [&]<Nanoseconds kUnit>(std::integral_constant<Nanoseconds, kUnit>) {
    return word - kBegin / kUnit <= static_cast<std::uint64_t>((g_latest - kBegin + kYear) / kUnit);
  };
  return in(std::integral_constant<Nanoseconds, 1>()) || in(std::integral_constant<Nanoseconds, 1000>()) ||
         in(std::integral_constant<Nanoseconds, 1'000'000>()) ||
         in(std::integral_constant<Nanoseconds, kSecond>());
}
bool looks_like_part(int thread, std::uint64_t word) {
  const auto& parts = clock_of(thread).parts;
  return word != 0 && std::find(parts.begin(), parts.end(), word) != parts.end();
}

Nanoseconds to_nanoseconds(const timespec& time) {
  return std::clamp<Nanoseconds>(time.tv_sec, 0, kFurthest) * kSecond + time.tv_nsec;
}
bool is_valid(const timespec& time) { return time.tv_nsec >= 0 && time.tv_nsec < kSecond; }
void set_deadline(Step& step, Nanoseconds deadline) {
  step.timed = true;
  step.deadline = deadline;
  g_time_passes = g_time_matters = true;
  clock_of(t_fiber).note(deadline);
}
void set_deadline(Step& step, const timespec* deadline) {
  if (deadline != nullptr) set_deadline(step, to_nanoseconds(*deadline));
}

}  // namespace plumb::runtime
