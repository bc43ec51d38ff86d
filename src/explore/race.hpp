// The race detector: happens-before as the C++ memory model has it, by vector clocks (as FastTrack, Flanagan and Freund,
// PLDI 2009, but with all last reads of each word kept). Two accesses to the same bytes by different threads, at
// least one a write and at least one not atomic, of which neither happens before the other, are a data race.
//
// Order comes from atomics with their memory orders and release sequences, from fences, and from whatever the runtime
// says acquires and releases an object. Words of eight bytes have a cell each, found by hashing; a cell of an earlier
// execution counts as empty. Of a word whose bytes one thread touches separately only the last touches are kept: that
// can hide a race in one execution, never invent one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "explore/clock.hpp"
#include "runtime/step.hpp"

namespace plumb::engine {

struct Race {
  bool found = false;
  int other = 0;  // the thread of the earlier access
  bool other_write = false;
  const void* other_pc = nullptr;
};

class RaceDetector {
 public:
  RaceDetector();

  void begin();  // a new execution
  void start(int parent, int child);
  void acquire(int thread, const void* object);
  void release(int thread, const void* object);
  void fence(int thread, std::uint8_t order);
  Race access(int thread, const void* address, std::size_t size, bool write, const void* pc);
  // An atomic step that read, wrote, or both.
  Race atomic(int thread, const runtime::Step& step, bool wrote);
  void forget(const void* address, std::size_t size);  // memory that begins a new life

 private:
  // The last touch of each thread; entries count where the thread's bit is set.
  struct Touches {
    std::uint16_t threads = 0;
    std::array<std::uint8_t, kMaxThreads> bytes{};
    std::array<Tick, kMaxThreads> ticks{};

    void add(int thread, Tick now, std::uint8_t touched);
    bool has(int thread, Tick now, std::uint8_t touched) const {
      const auto i = static_cast<std::size_t>(thread);
      return (threads >> i & 1U) != 0 && ticks[i] == now && (touched & ~bytes[i]) == 0;
    }
    int unordered(int thread, const Clock& now, std::uint8_t touched) const;  // a thread, or -1
  };
  struct Cell {
    std::uintptr_t word = 0;
    std::uint32_t epoch = 0;
    Tick write = 0;
    std::uint8_t writer = 0;
    std::uint8_t write_bytes = 0;
    std::array<std::uint16_t, 8> sync{};  // which clock is released at each byte; 0: none
    Touches plain_reads;
    Touches atomic_reads;
    Touches atomic_writes;
    const void* write_pc = nullptr;
    const void* read_pc = nullptr;  // of the last plain read
  };
  struct Thread {
    Clock now{};
    Clock seen_relaxed{};  // what relaxed loads saw: an acquire fence makes it count
    Clock fenced{};        // the clock at the last release fence
  };

  Cell& cell(std::uintptr_t word);
  Cell& find(std::uintptr_t word);
  Clock& sync(Cell& cell, std::uintptr_t address);
  static void empty(Cell& cell);
  void grow();
  Race check_word(int thread, const Cell& cell, std::uint8_t bytes, bool write, bool atomic) const;

  std::vector<Cell> cells_;
  std::vector<Clock> syncs_;
  std::size_t used_ = 0;
  std::uint32_t epoch_ = 0;
  std::array<Thread, kMaxThreads> threads_;
};

}  // namespace plumb::engine
