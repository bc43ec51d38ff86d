// What a race detector knows, as a part of a state. The same happens-before as that of race.hpp, by vector clocks, but small, to be saved
// and restored, and with a hash that does not depend on how often threads have ticked: of the clocks only matters which of the touches
// that are kept each of them knows of. A touch that all threads know of can race with nothing more, and is forgotten; so is what an object
// released that all threads know of.
//
// Of the touches only those are kept that another thread may conflict with (shared_words.hpp). And a thread whose next step surely acquires
// what was released at some place is taken to have done so already: until that step it does nothing that depends on what it knows, and
// what was released there only grows, as long as nobody stores something else there (or frees it), which is learnt, too. Without that,
// states would differ in who has looked at the place already, which makes no difference to what may follow.
//
// Two states that are equal in this, and in what the program sees, have the same races in their future.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "explore/states/shared_words.hpp"
#include "explore/states/state_key.hpp"
#include "runtime/step.hpp"

namespace plumb::engine {

class RaceState {
 public:
  static constexpr int kMostThreads = 8;

  // Memory orders, as the compilers number them.
  static constexpr bool acquires(std::uint8_t order) { return order != 0 && order != 3; }

  void begin();
  void start(int parent, int child);
  void join(int thread, int ended) { merge(clocks_.now[index(thread)], clocks_.now[index(ended)]); }
  void acquire(int thread, const void* object);
  void release(int thread, const void* object);
  void fence(int thread, std::uint8_t order);
  // True: it races with an earlier access of another thread.
  bool access(int thread, const void* address, std::size_t size, bool write);
  bool free(int thread, const void* address, std::size_t size);
  bool atomic(int thread, const runtime::Step& step, bool wrote);
  void forget(const void* address, std::size_t size);

  // The next step of the thread, which stands before it, acquires what was released there, and nothing comes before it; null: who knows.
  void expect(int thread, const void* acquires) {
    clocks_.expected[index(thread)] = reinterpret_cast<std::uintptr_t>(acquires);
  }
  // Whether another thread has touched it, in this execution, and may conflict.
  [[nodiscard]] bool is_touched_by_others(int thread, const void* address, std::size_t size) const;

  // Whether something was learnt since this was last asked.
  bool has_learnt() { return words_.has_learnt(); }
  void learn() { words_.learn(); }

  // What no thread that is left can race with, or learn from. `alive`: the threads, one bit each.
  void tidy(std::uint32_t alive);
  [[nodiscard]] StateKey hash() const;

  [[nodiscard]] std::size_t saved_size() const;
  char* save(char* to) const;
  const char* restore(const char* from);

 private:
  using Tick = std::uint16_t;
  using Clock = std::array<Tick, kMostThreads>;
  struct Touch {
    std::uintptr_t word;  // address / 8
    std::uint8_t bytes;   // of it, one bit each
    std::uint8_t thread;
    std::uint8_t kind;
    std::uint8_t unused;
    Tick tick;
    Tick unused_too;
  };
  static_assert(sizeof(Touch) == 16);
  struct Sync {
    std::uintptr_t address;
    Clock released;
  };
  static_assert(sizeof(Sync) == 24);
  struct Clocks {
    std::array<Clock, kMostThreads> now{};
    std::array<Clock, kMostThreads>
        seen_relaxed{};                        // what relaxed loads saw: an acquire fence makes it count
    std::array<Clock, kMostThreads> fenced{};  // the clock at the last release fence
    std::array<std::uintptr_t, kMostThreads>
        expected{};  // where the next step of each acquires, see expect()
    std::uint64_t threads = 0;
    std::uint64_t fences = 0;  // there was one, or a relaxed load: else both are as they were
  };

  static std::size_t index(int thread) { return static_cast<std::size_t>(thread); }
  static void merge(Clock& into, const Clock& from) {
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = into[i] < from[i] ? from[i] : into[i];
  }
  class Sum;
  [[nodiscard]] bool collect_ticks() const;
  [[nodiscard]] std::uint64_t rank(std::size_t thread, Tick tick) const;
  [[nodiscard]] std::uint64_t ranks(const Clock& clock) const;
  [[nodiscard]] StateKey hash_of_ticks() const;
  bool touch(int thread, std::uintptr_t word, std::uint8_t bytes, TouchKind kind);
  void foresee(std::size_t thread);
  Sync* find(const void* address) { return find(reinterpret_cast<std::uintptr_t>(address)); }
  Sync* find(std::uintptr_t address);
  Clock& released_at(const void* address);

  Clocks clocks_;
  std::vector<Touch> touches_;
  std::vector<Sync> syncs_;
  SharedWords words_;
  struct Ticks {
    std::array<std::array<Tick, 32>, kMostThreads> of{};
    std::array<unsigned, kMostThreads> count{};
    unsigned threads = 0;  // that have any, a bit each
  };
  mutable Ticks ticks_;  // while it is hashed
};

}  // namespace plumb::engine
