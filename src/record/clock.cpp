// Which clock to trust. The counter of the processor must tick at a constant rate and be the same on all
// cores. The first is asked of the processor; the second is tried out: every core takes stamps in turn with
// all others, for some milliseconds, and none may find itself before a stamp that another one has already
// shown it. What is left of a difference is then smaller than the time that a word takes from core to core,
// and no program can tell.
#include <plumb/clock.hpp>

#include <pthread.h>
#include <sched.h>

#include <chrono>
#include <thread>
#include <vector>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace plumb {
namespace {

bool runs_evenly() {
#if defined(__x86_64__)
  constexpr unsigned kInvariantTsc = 1U << 8U;
  constexpr unsigned kRdtscp = 1U << 27U;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid(0x8000'0001U, &a, &b, &c, &d) == 0 || (d & kRdtscp) == 0) return false;
  return __get_cpuid(0x8000'0007U, &a, &b, &c, &d) != 0 && (d & kInvariantTsc) != 0;
#else
  return Clock::kHasHardware;  // the counter of AArch64 is one for the whole system, by its definition
#endif
}

std::vector<int> own_cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(static_cast<std::size_t>(core), &allowed)) cores.push_back(core);
  }
  return cores;
}

bool agree_between_cores() {
  const std::vector<int> cores = own_cores();
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(2 + cores.size());
  std::atomic<std::uint64_t> shown = 0;
  std::atomic<bool> wrong = false;
  const auto compare = [&](int core) {
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(static_cast<std::size_t>(core), &only);
    if (pthread_setaffinity_np(pthread_self(), sizeof(only), &only) != 0) return;
    do {
      for (int i = 0; i < 100; ++i) {
        std::uint64_t others = shown.load(std::memory_order_acquire);
        Clock::wait_for_stamp();  // a stamp of one's own may otherwise be taken before that is read
        if (Clock::hardware_before() < others) wrong = true;
        const std::uint64_t own = Clock::hardware_after();
        while (others < own && !shown.compare_exchange_weak(others, own)) {
        }
      }
    } while (std::chrono::steady_clock::now() < until);
  };
  std::vector<std::thread> threads;
  threads.reserve(cores.size());
  for (const int core : cores) threads.emplace_back(compare, core);
  for (std::thread& thread : threads) thread.join();
  return !wrong;
}

// Empty: the processor's clock is to be trusted. Asked once a program.
const std::string& hardware_fault() {
  static const std::string fault = [] {
    if (!Clock::kHasHardware) return "this processor has no counter that is known here";
    if (!runs_evenly()) return "the counter of this processor does not run at one rate (no invariant TSC)";
    if (!agree_between_cores()) return "the counters of the cores do not agree";
    return "";
  }();
  return fault;
}

double measured_frequency() {
#if defined(__aarch64__)
  std::uint64_t frequency = 0;
  asm volatile("mrs %0, cntfrq_el0" : "=r"(frequency));
  return static_cast<double>(frequency);
#else
  using Wall = std::chrono::steady_clock;
  const auto begin = Wall::now();
  const std::uint64_t first = Clock::hardware_before();
  while (Wall::now() - begin < std::chrono::milliseconds(5)) {
  }
  const std::uint64_t last = Clock::hardware_before();
  return static_cast<double>(last - first) / std::chrono::duration<double>(Wall::now() - begin).count();
#endif
}

}  // namespace

std::string_view clock_name(ClockKind kind) {
  switch (kind) {
    case ClockKind::kAuto:
      return "auto";
    case ClockKind::kHardware:
      return "hardware";
    case ClockKind::kSystem:
      return "system";
    case ClockKind::kCounter:
      return "counter";
  }
  return "";
}

Result<Clock> Clock::make(ClockKind kind, std::atomic<std::uint64_t>* counter) {
  if (kind == ClockKind::kCounter && counter == nullptr) return Error{"a clock that counts needs a counter"};
  if (kind == ClockKind::kSystem || kind == ClockKind::kCounter) return Clock(kind, counter);
  const std::string& fault = hardware_fault();
  if (fault.empty()) return Clock(ClockKind::kHardware, nullptr);
  if (kind == ClockKind::kAuto) return Clock(ClockKind::kSystem, nullptr);
  return Error{"no hardware clock: " + fault};
}

double Clock::frequency() const {
  if (kind_ == ClockKind::kCounter) return 0;
  if (kind_ == ClockKind::kSystem) return 1e9;
  static const double frequency = measured_frequency();
  return frequency;
}

}  // namespace plumb
