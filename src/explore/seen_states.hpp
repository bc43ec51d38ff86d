// What a search under a bound remembers of the states it has met: which threads were enabled, and with which of them it continued from
// there, with how many preemptions left. A state is one entry of half a cache line: a search does little else than to look such entries up, each
// somewhere else in a table that is larger than the caches. When the memory it may take is full it only looks up: then states may be
// searched again, and nothing is lost.
//
// Processes that search together have one table (share()). Each of its words is written for itself, and only ever says less than is true: where two
// processes write at once, a state may be there twice, or a way be searched by both.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "explore/huge_array.hpp"
#include "explore/strategy.hpp"
#include "explore/trace_hash.hpp"

namespace plumb::engine {

class SeenStates {
 public:
  class State {
   public:
    // Whether the search went on with the thread and at least so many preemptions left; if not, it does from now on.
    bool search(int thread, int left) {
      if (searched(thread, left)) return true;
      if (holds(thread)) {
        const auto way = static_cast<std::uint8_t>(std::min(left, kMostLeft + 1) + 1);
        __atomic_store_n(&ways_[static_cast<std::size_t>(thread)], way, __ATOMIC_RELAXED);
      }
      return false;
    }
    // However many are left, nothing else follows.
    void search_with_any(int thread) { (void)search(thread, kMostLeft + 1); }
    [[nodiscard]] bool searched(int thread, int left) const {
      return holds(thread) && left <= kMostLeft &&
             __atomic_load_n(&ways_[static_cast<std::size_t>(thread)], __ATOMIC_RELAXED) > left;
    }

    // Which threads are enabled; of these, those that let others go first.
    void remember(ThreadSet enabled, ThreadSet yielding) {
      if (enabled >> kThreads != 0) return;
      __atomic_store_n(&yielding_, static_cast<std::uint16_t>(yielding), __ATOMIC_RELAXED);
      __atomic_store_n(&enabled_, static_cast<std::uint16_t>(enabled), __ATOMIC_RELEASE);
    }
    [[nodiscard]] ThreadSet enabled() const {  // 0: not known
      return __atomic_load_n(&enabled_, __ATOMIC_ACQUIRE);
    }
    [[nodiscard]] bool yields(int thread) const {  // where it is known which are enabled
      return (__atomic_load_n(&yielding_, __ATOMIC_RELAXED) & bit(thread)) != 0;
    }

   private:
    friend SeenStates;
    static constexpr int kThreads = 12;
    static constexpr int kMostLeft = 100;

    // With the few threads beyond, each way is searched whenever it is come to.
    static bool holds(int thread) { return thread < kThreads; }
    [[nodiscard]] std::uint64_t trace() const { return __atomic_load_n(&trace_, __ATOMIC_RELAXED); }
    [[nodiscard]] std::uint64_t rest() const { return __atomic_load_n(&rest_, __ATOMIC_RELAXED); }
    // False: another process began it just before.
    bool begin(std::uint64_t first, std::uint64_t second) {
      std::uint64_t none = 0;
      if (!__atomic_compare_exchange_n(&trace_, &none, first, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return false;
      __atomic_store_n(&rest_, second, __ATOMIC_RELAXED);
      return true;
    }

    std::uint64_t trace_;  // 80 bits of the trace, and 48 of what else the state is known by
    std::uint64_t rest_;
    std::uint16_t enabled_;
    std::uint16_t yielding_;
    std::array<std::uint8_t, kThreads> ways_;  // by thread: most preemptions left, and one; 0: never
  };
  static_assert(sizeof(State) == 32);

  explicit SeenStates(std::size_t bytes)
      : most_(bytes / sizeof(State)), first_(std::bit_floor(std::clamp(most_, kLeast, kFirst))) {}
  SeenStates(const SeenStates&) = delete;
  SeenStates& operator=(const SeenStates&) = delete;

  // From now on it is one for all forks of this process. Nobody can move what others look up: where a table is half full, new states go to the
  // next, larger one. Where the system gives no memory for that, each has its own.
  void share() {
    if (is_shared_) return;
    Table shared(std::max(first_.size() * kMoreShared, kFirstShared), Table::kShared);
    if (shared.size() == 0) return;
    shared.take_over(first_);
    first_.swap(shared);
    is_shared_ = true;
    std::size_t all = first_.size();
    for (std::size_t size = all * kMoreShared; all + size <= most_; all += size, size *= kMoreShared)
      more_.push_back(std::make_unique<Table>(size, Table::kShared));
  }

  // The state that is known by the trace and the rest; null: there is no more room. Stays where it is until another one is asked for.
  State* state(Hash trace, std::uint64_t rest) {
    if (first_.is_half_full() && first_.size() * 2 <= most_ && !is_shared_) grow();
    const std::uint64_t first = first_word(trace);
    const std::uint64_t second = second_word(trace, rest);
    State* state = first_.state(first, second, more_.empty());
    for (std::size_t i = 0; state == nullptr && i < more_.size(); ++i)
      state = more_[i]->state(first, second, i + 1 == more_.size());
    return state;
  }
  // A state with that trace whose enabled threads are known, whatever else it is known by.
  [[nodiscard]] const State* known(Hash trace) const {
    const State* state = first_.known(first_word(trace), second_word(trace, 0));
    for (std::size_t i = 0; state == nullptr && i < more_.size(); ++i)
      state = more_[i]->known(first_word(trace), second_word(trace, 0));
    return state;
  }
  // It will be asked for soon.
  void prefetch(Hash trace) const { first_.prefetch(first_word(trace)); }

 private:
  static constexpr std::size_t kLeast = 16;
  static constexpr std::size_t kFirst = 256;
  static constexpr std::size_t kFirstShared = std::size_t{1} << 14U;
  static constexpr std::size_t kMoreShared = 4;
  static constexpr unsigned kRestBits = 48;

  static std::uint64_t first_word(Hash trace) { return static_cast<std::uint64_t>(trace >> 64U) | 1U; }
  static std::uint64_t second_word(Hash trace, std::uint64_t rest) {
    return static_cast<std::uint64_t>(trace) << kRestBits | rest * kOdd >> (64U - kRestBits);
  }
  static constexpr std::uint64_t kOdd = 0x9E37'79B9'7F4A'7C15;

  class Table {
   public:
    enum Sharing : std::uint8_t { kShared };

    explicit Table(std::size_t size) : states_(size), used_(1) {}
    // Empty where the system gives none.
    Table(std::size_t size, Sharing) : states_(size, MAP_SHARED), used_(1, MAP_SHARED) {}

    [[nodiscard]] std::size_t size() const { return used_.size() == 0 ? 0 : states_.size(); }
    [[nodiscard]] bool is_half_full() const { return used() * 2 >= size(); }
    void swap(Table& other) {
      states_.swap(other.states_);
      used_.swap(other.used_);
    }
    // Null: it is not there, and there is no room. The last of several is filled up.
    State* state(std::uint64_t first, std::uint64_t second, bool is_last) {
      if (size() == 0) return nullptr;
      for (std::size_t place = first;; ++place) {
        State& state = at(place);
        if (state.trace() == first && state.rest() == second) return &state;
        if (state.trace() != 0) continue;
        if (is_last ? used() * 8 >= size() * 7 : is_half_full()) return nullptr;
        if (!state.begin(first, second)) continue;
        __atomic_fetch_add(&used_[0], 1, __ATOMIC_RELAXED);
        return &state;
      }
    }
    [[nodiscard]] const State* known(std::uint64_t first, std::uint64_t second) const {
      if (size() == 0) return nullptr;
      for (std::size_t place = first;; ++place) {
        const State& state = at(place);
        if (state.trace() == 0) return nullptr;
        if (state.trace() == first && (state.rest() ^ second) >> kRestBits == 0 && state.enabled() != 0)
          return &state;
      }
    }
    void prefetch(std::uint64_t first) const { __builtin_prefetch(&at(first)); }
    void take_over(const Table& other) {
      for (std::size_t i = 0; i < other.size(); ++i) {
        const State& state = other.states_[i];
        if (state.trace_ == 0) continue;
        std::size_t place = state.trace_;
        while (at(place).trace_ != 0) ++place;
        at(place) = state;
      }
      used_[0] = other.used_[0];
    }

   private:
    [[nodiscard]] State& at(std::size_t place) { return states_[place & (states_.size() - 1)]; }
    [[nodiscard]] const State& at(std::size_t place) const { return states_[place & (states_.size() - 1)]; }
    [[nodiscard]] std::size_t used() const { return __atomic_load_n(&used_[0], __ATOMIC_RELAXED); }

    HugeArray<State> states_;
    HugeArray<std::size_t> used_;
  };

  void grow() {
    Table larger(first_.size() * 2);
    larger.take_over(first_);
    first_.swap(larger);
  }

  std::size_t most_;
  Table first_;
  std::vector<std::unique_ptr<Table>> more_;
  bool is_shared_ = false;
};

}  // namespace plumb::engine
