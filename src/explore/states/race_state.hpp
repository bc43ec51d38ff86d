// What a race detector knows, as a part of a state. The same happens-before as that of race.hpp, by vector clocks, but small, to be saved
// and restored, and with a hash that does not depend on how often threads have ticked: of the clocks only matters which of the touches
// that are kept each of them knows of. A touch that all threads know of can race with nothing more, and is forgotten; so is what an object
// released that all threads know of.
//
// Of the touches only those are kept that another thread may conflict with: one that has touched the same word, in some execution of the
// search. A search learns that as it goes; when it has learnt something, what was not kept before may have mattered, and it begins anew.
//
// Two states that are equal in this, and in what the program sees, have the same races in their future.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "explore/states/state_hash.hpp"
#include "runtime/step.hpp"

namespace plumb::engine {

class RaceState {
 public:
  static constexpr int kMostThreads = 8;

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

  // Whether something was learnt since this was last asked.
  bool has_learnt() { return std::exchange(learnt_, false); }

  // What no thread that is left can race with, or learn from. `alive`: the threads, one bit each.
  void tidy(std::uint32_t alive);
  void add_to(StateHash& hash) const;

  [[nodiscard]] std::size_t saved_size() const;
  char* save(char* to) const;
  const char* restore(const char* from);

 private:
  using Tick = std::uint16_t;
  using Clock = std::array<Tick, kMostThreads>;
  enum Kind : std::uint8_t { kPlainRead, kPlainWrite, kAtomicRead, kAtomicWrite };
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
    std::uint64_t threads = 0;
    std::uint64_t fences = 0;  // there was one, or a relaxed load: else both are as they were
  };

  static std::size_t index(int thread) { return static_cast<std::size_t>(thread); }
  static void merge(Clock& into, const Clock& from) {
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = into[i] < from[i] ? from[i] : into[i];
  }
  static bool conflict(std::uint8_t a, std::uint8_t b) {
    const bool writes = a % 2 == 1 || b % 2 == 1;
    const bool plain = a < kAtomicRead || b < kAtomicRead;
    return writes && plain;
  }
  // Which threads have touched a word, by kind of touch: in all executions so far.
  struct Word {
    std::uintptr_t word = 0;
    std::array<std::uint8_t, 4> by{};
  };
  static bool matters(const Word& word, int thread, std::uint8_t kind);
  Word& word_of(std::uintptr_t word);
  const Word& learn(int thread, std::uintptr_t word, Kind kind);
  bool touch(int thread, std::uintptr_t word, std::uint8_t bytes, Kind kind);
  Sync* find(const void* address);
  Clock& released_at(const void* address);

  Clocks clocks_;
  std::vector<Touch> touches_;
  std::vector<Sync> syncs_;
  std::vector<Word> words_ = std::vector<Word>(256);  // found by hashing
  std::size_t known_words_ = 0;
  bool learnt_ = false;
};

}  // namespace plumb::engine
