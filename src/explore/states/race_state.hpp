// What a race detector knows, as a part of a state. The same happens-before as that of race.hpp, but told from the other side: instead of
// clocks, by which each thread knows how far it has seen the others, each touch that somebody may still race with has the threads that
// know of it, and the places at which it was released. That is small, has no numbers that grow, and is the same whenever the same
// races may follow. A touch that all threads know of can race with nothing more, and is forgotten.
//
// Touches have nothing to do with each other: what becomes of one, and what it races with, does not depend on the others. So what may
// follow from several is what may follow from each of them, and the less is known of one, the more may follow. A search that went on
// from a state with some touches has nothing to look for there with fewer, or with better known ones (race_sets.hpp).
//
// Of the touches only those are kept that another thread may conflict with (shared_words.hpp). And a thread whose next step surely acquires
// what was released at some place is taken to have done so already: until that step it does nothing that depends on what it knows, and
// what was released there only grows, as long as nobody stores something else there (or frees it), which is learnt, too. Without that,
// states would differ in who has looked at the place already, which makes no difference to what may follow.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "explore/states/shared_words.hpp"
#include "runtime/step.hpp"

namespace plumb::engine {

// Threads, and places at which something was released, one bit each.
using Knowing = std::uint8_t;
__extension__ using Places = unsigned __int128;

struct Touch {
  std::uintptr_t word = 0;  // address / 8
  std::uint8_t bytes = 0;   // of it, one bit each
  std::uint8_t thread = 0;
  TouchKind kind = kPlainRead;
  Knowing known = 0;   // whatever they do next comes after it
  Knowing seen = 0;    // they have seen it relaxed: an acquire fence makes them know of it
  Knowing fenced = 0;  // they knew of it at their last release fence
  std::uint16_t unused = 0;
  Places released = 0;  // who acquires there knows of it

  bool operator==(const Touch&) const = default;
  // But for who knows of it.
  [[nodiscard]] bool is_same(const Touch& other) const {
    return word == other.word && bytes == other.bytes && thread == other.thread && kind == other.kind;
  }
  [[nodiscard]] bool lies_in(std::uintptr_t first, std::uintptr_t last) const {
    return word >= first / 8 && word * 8 < last;
  }
  // The same touch, and at least as much may follow.
  [[nodiscard]] bool covers(const Touch& other) const {
    return is_same(other) && (known & ~other.known) == 0 && (seen & ~other.seen) == 0 &&
           (fenced & ~other.fenced) == 0 && (released & ~other.released) == 0;
  }
};
static_assert(sizeof(Touch) == 32);  // without gaps: it is hashed as it lies there

// Leaves out what others cover.
void drop_covered(std::vector<Touch>& touches);

class RaceState {
 public:
  static constexpr int kMostThreads = 8;
  static constexpr std::size_t kMostPlaces = 128;

  // Memory orders, as the compilers number them.
  static constexpr bool acquires(std::uint8_t order) { return order != 0 && order != 3; }

  void begin();
  void start(int parent, int child);
  void join(int thread, int ended);
  void acquire(int thread, const void* object) { acquire_at(thread, as_number(object)); }
  void release(int thread, const void* object) { release_at(thread, as_number(object), true); }
  void fence(int thread, std::uint8_t order);
  // True: it races with an earlier access of another thread.
  bool access(int thread, const void* address, std::size_t size, bool write) {
    const std::uintptr_t first = as_number(address);
    const TouchKind kind = write ? kPlainWrite : kPlainRead;
    if (first % 8 + size > 8) return access_words(thread, first, first + size, kind);
    return words_.touch(thread, first / 8, kind) && add_touch(thread, first, first + size, kind);
  }
  bool free(int thread, const void* address, std::size_t size);
  bool atomic(int thread, const runtime::Step& step, bool wrote);
  void forget(int thread, const void* address, std::size_t size);  // the thread allocates or frees it

  // The next step of the thread, which stands before it, acquires what was released there, and nothing comes before it; null: who knows.
  void expect(int thread, const void* acquires) { expected_[index(thread)] = as_number(acquires); }
  // Whether another thread has touched it, in this execution, and may conflict.
  [[nodiscard]] bool is_touched_by_others(int thread, const void* address, std::size_t size) const {
    const std::uintptr_t first = as_number(address);
    for (const Touch& known : touches_) {
      if (known.thread != thread && known.lies_in(first, first + size)) return true;
    }
    return false;
  }

  // Whether something was learnt since this was last asked.
  bool has_learnt() { return words_.has_learnt(); }
  void learn() { words_.learn(); }
  // There were more places than it has numbers for.
  [[nodiscard]] bool is_overfull() const { return places_.is_overfull(); }

  // What no thread that is left can race with, or learn from. `alive`: the threads, one bit each.
  void tidy(Knowing alive);
  [[nodiscard]] const std::vector<Touch>& touches() const { return touches_; }
  // Those of this state when it was come to on several ways; a touch may be there twice.
  void set_touches(std::span<const Touch> touches);

  [[nodiscard]] std::size_t saved_size() const;
  char* save(char* to) const;
  const char* restore(const char* from);

 private:
  // Addresses at which something was released, numbered in the order in which that was seen first.
  class PlaceNumbers {
   public:
    [[nodiscard]] Places find(std::uintptr_t address) const;  // as a bit; 0: it has no number
    Places number(std::uintptr_t address);
    [[nodiscard]] Places within(std::uintptr_t first, std::uintptr_t last) const;
    [[nodiscard]] bool is_overfull() const { return overfull_; }

   private:
    static constexpr std::size_t kSlots = 4 * kMostPlaces;
    static std::size_t slot_of(std::uintptr_t address) {
      return address * 0x9E37'79B9'7F4A'7C15ULL >> 32U & (kSlots - 1);
    }
    std::vector<std::uintptr_t> known_;
    std::array<std::uint8_t, kSlots> slots_{};  // the number, and one; found by hashing
    bool overfull_ = false;
  };

  static std::size_t index(int thread) { return static_cast<std::size_t>(thread); }
  static Knowing bit_of(int thread) { return static_cast<Knowing>(1U << static_cast<unsigned>(thread)); }
  static std::uintptr_t as_number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }
  bool access_words(int thread, std::uintptr_t first, std::uintptr_t last, TouchKind kind);
  // Of the word in which `first` lies, the bytes up to `last`, which may lie behind it.
  bool add_touch(int thread, std::uintptr_t first, std::uintptr_t last, TouchKind kind);
  void acquire_at(int thread, std::uintptr_t place);
  void see_at(int thread, std::uintptr_t place);
  void release_at(int thread, std::uintptr_t place, bool all);
  void store_at(int thread, std::uintptr_t place, bool all);
  void foresee(int thread);
  void lose(int thread, std::uintptr_t first, std::uintptr_t last);

  std::vector<Touch> touches_;
  std::array<std::uintptr_t, kMostThreads> expected_{};  // where the next step of each acquires, see expect()
  SharedWords words_;
  PlaceNumbers places_;
  std::uint64_t may_repeat_ = 0;  // a touch may be there twice, one of them covering the other
};

}  // namespace plumb::engine
