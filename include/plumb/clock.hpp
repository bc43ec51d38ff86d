// Stamps for a recording: numbers that say which of two moments came first, on whatever core they were taken.
//
// `before` is for the call and `after` for the return of an operation. What matters is not how exact they are but that they
// never shrink an operation: `before` is taken before anything that follows it in the program has begun, and `after` when
// everything that precedes it has taken effect, visible to all cores. Then an operation that has returned before
// another one's call, by the stamps, has really done so. Equal stamps say nothing of the order: a processor's counter may tick
// only every 10 ns, or 40.
#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>
#include <string_view>

#include <plumb/result.hpp>

namespace plumb {

enum class ClockKind : std::uint8_t {
  kAuto,      // the processor's where it can be trusted, else the system's
  kHardware,  // the counter of the processor: TSC on x86-64, CNTVCT on AArch64
  kSystem,    // clock_gettime(CLOCK_MONOTONIC)
  kCounter,   // one number that all threads increment: exact, but they contend for it
};
[[nodiscard]] std::string_view clock_name(ClockKind kind);

class Clock {  // many threads may take stamps of one
 public:
  // Fails if the kind asked for does not exist, or cannot be trusted. The first use of the processor's counter compares
  // it between all cores, which takes some milliseconds; the answer is kept.
  [[nodiscard]] static Result<Clock> make(ClockKind kind = ClockKind::kAuto,
                                          std::atomic<std::uint64_t>* counter = nullptr);

  [[nodiscard]] ClockKind kind() const { return kind_; }
  // Stamps per second, 0 for the counter. Measured for TSC, so not exact.
  [[nodiscard]] double frequency() const;

  [[nodiscard]] std::uint64_t before() const {
    if (kind_ == ClockKind::kHardware) return hardware_before();
    if (kind_ == ClockKind::kCounter) return counter_->fetch_add(1, std::memory_order_seq_cst);
    const std::uint64_t now = system_now();
    wait_for_stamp();
    return now;
  }
  // The same, where the stamp is to be kept: it is put there, which makes a fence that is cheaper.
  std::uint64_t stamp_call(std::uint64_t& to) const {
    if (kind_ == ClockKind::kHardware) return hardware_call(to);
    return to = before();
  }
  [[nodiscard]] std::uint64_t after() const {
    if (kind_ == ClockKind::kHardware) return hardware_after();
    if (kind_ == ClockKind::kCounter) return counter_->fetch_add(1, std::memory_order_seq_cst);
    wait_for_effects();
    return system_now();
  }

#if defined(__x86_64__)
  static constexpr bool kHasHardware = true;
  // LFENCE: nothing that follows begins before the stamp is there.
  [[nodiscard]] static std::uint64_t hardware_before() {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    asm volatile("rdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
    return (std::uint64_t{high} << 32U) | low;
  }
  // XCHG with memory is locked, and has to wait for the stamp that it stores. No load or store that follows takes effect before it.
  static std::uint64_t hardware_call(std::uint64_t& to) {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    asm volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
    const std::uint64_t now = (std::uint64_t{high} << 32U) | low;
    std::uint64_t stored = now;
    asm volatile("xchgq %0, %1" : "+r"(stored), "+m"(to) : : "memory");
    return now;
  }
  // A locked instruction is done when every store before it can be seen by all cores; MFENCE says the same and takes longer.
  // RDTSCP waits for it, but by itself for loads only: a value that is still on its way out of this core would be missed by
  // an operation that is called later.
  [[nodiscard]] static std::uint64_t hardware_after() {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    asm volatile("lock orl $0, (%%rsp)\n\trdtscp" : "=a"(low), "=d"(high) : : "ecx", "cc", "memory");
    return (std::uint64_t{high} << 32U) | low;
  }
  static void wait_for_stamp() { asm volatile("lfence" : : : "memory"); }
  static void wait_for_effects() { asm volatile("lock orl $0, (%%rsp)\n\tlfence" : : : "cc", "memory"); }
#elif defined(__aarch64__)
  static constexpr bool kHasHardware = true;
  // ISB: what follows is fetched anew when the counter has been read.
  [[nodiscard]] static std::uint64_t hardware_before() {
    std::uint64_t now = 0;
    asm volatile("mrs %0, cntvct_el0\n\tisb" : "=r"(now) : : "memory");
    return now;
  }
  static std::uint64_t hardware_call(std::uint64_t& to) { return to = hardware_before(); }
  // DSB: every load and store before it is complete, for all cores; ISB keeps the counter from being read earlier.
  [[nodiscard]] static std::uint64_t hardware_after() {
    std::uint64_t now = 0;
    asm volatile("dsb ish\n\tisb\n\tmrs %0, cntvct_el0" : "=r"(now) : : "memory");
    return now;
  }
  static void wait_for_stamp() { asm volatile("isb" : : : "memory"); }
  static void wait_for_effects() { asm volatile("dsb ish\n\tisb" : : : "memory"); }
#else
  static constexpr bool kHasHardware = false;
  [[nodiscard]] static std::uint64_t hardware_before() { return 0; }
  static std::uint64_t hardware_call(std::uint64_t& to) { return to = 0; }
  [[nodiscard]] static std::uint64_t hardware_after() { return 0; }
  static void wait_for_stamp() { std::atomic_thread_fence(std::memory_order_seq_cst); }
  static void wait_for_effects() { std::atomic_thread_fence(std::memory_order_seq_cst); }
#endif

 private:
  Clock(ClockKind kind, std::atomic<std::uint64_t>* counter) : kind_(kind), counter_(counter) {}
  [[nodiscard]] static std::uint64_t system_now() {
    timespec now = {};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
  }

  ClockKind kind_;
  std::atomic<std::uint64_t>* counter_;
};

}  // namespace plumb
