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
  void join(int thread, int ended) {
    threads_[static_cast<std::size_t>(thread)].now.join(threads_[static_cast<std::size_t>(ended)].now);
  }
  void fence(int thread, std::uint8_t order);
  // Plain accesses.
  Race access(int thread, const void* address, std::size_t size, bool write, const void* pc);
  // The same where that takes a few instructions: in one word, whose last plain write comes before, and with nobody else about
  // who minds. False: access() has to look.
  bool quick_read(int thread, const void* address, std::size_t size, const void* pc);
  bool quick_write(int thread, const void* address, std::size_t size, const void* pc);
  // An atomic step that read, wrote, or both. True: race() tells with what it races.
  bool atomic(int thread, const runtime::Step& step, bool wrote);
  const Race& race() const { return race_; }
  void forget(const void* address, std::size_t size);  // memory that begins a new life

 private:
  using Threads = std::uint16_t;  // a set

  // The last touch of a thread: which bytes, and when. One for each thread is a cache line; those count whose thread is in the
  // set that the cell keeps beside them.
  struct Touch {
    Tick tick = 0;
    std::uint8_t bytes = 0;
  };
  using Touches = std::array<Touch, kMaxThreads>;
  // What is asked most often is the first line.
  struct alignas(64) Cell {
    std::uintptr_t word = 0;
    std::uint32_t epoch = 0;
    Tick write = 0;
    std::uint8_t writer = 0;
    std::uint8_t write_bytes = 0;
    Threads atomic = 0;  // who touched it as an atomic
    Threads plain_readers = 0;
    Threads atomic_readers = 0;
    Threads atomic_writers = 0;
    std::array<std::uint16_t, 8> sync{};  // which clock is released at each byte; 0: none
    const void* write_pc = nullptr;
    const void* read_pc = nullptr;  // of the last plain read
    Touches plain_reads;
    Touches atomic_reads;
    Touches atomic_writes;
  };
  struct Thread {
    Clock now{};
    Clock seen_relaxed{};  // what relaxed loads saw: an acquire fence makes it count
    Clock fenced{};        // the clock at the last release fence
  };

  std::size_t slot_of(std::uintptr_t word) const { return (word * 0x9E37'79B9'7F4A'7C15ULL >> 32U) & mask_; }
  static Threads only(int self) { return static_cast<Threads>(1U << static_cast<unsigned>(self)); }
  static Threads others(Threads threads, int self) { return static_cast<Threads>(threads & ~only(self)); }
  static void add(Touches& touches, Threads& threads, int thread, Tick now, std::uint8_t bytes);
  static bool has(const Touches& touches, Threads threads, int thread, Tick now, std::uint8_t bytes) {
    const Touch& last = touches[static_cast<std::size_t>(thread)];
    return (threads & only(thread)) != 0 && last.tick == now && (bytes & ~last.bytes) == 0;
  }
  // One of the threads whose touch of the bytes does not come before; -1: there is none.
  static int unordered(const Touches& touches, Threads threads, int thread, const Clock& now,
                       std::uint8_t bytes);
  Cell& cell(std::uintptr_t word);
  Cell& find(std::uintptr_t word);
  Cell* quick_cell(std::uintptr_t word);
  // Bytes inside one word, one bit each.
  static std::uint8_t bytes_at(std::uintptr_t first, std::size_t size) {
    return static_cast<std::uint8_t>(((1U << size) - 1) << first % 8);
  }
  Clock& sync(Cell& cell, std::uintptr_t address);
  // Memory orders, as the compilers number them.
  static bool acquires(std::uint8_t order) { return order != 0 && order != 3; }
  static bool releases(std::uint8_t order) { return order >= 3; }
  static void empty(Cell& cell) {
    cell.sync.fill(0);
    cell.write = 0;
    cell.write_bytes = 0;
    cell.atomic = cell.plain_readers = cell.atomic_readers = cell.atomic_writers = 0;
  }
  void claim(Cell& cell, std::uintptr_t word) {
    ++used_;
    cell.word = word;
    cell.epoch = epoch_;
    empty(cell);
  }
  static void note_read(Cell& cell, int thread, Tick now, std::uint8_t bytes, const void* pc);
  static void note_write(Cell& cell, int thread, Tick now, std::uint8_t bytes, const void* pc);
  void grow();
  bool touch(Cell& at, int thread, const runtime::Step& step, bool wrote, std::uintptr_t first,
             std::uint8_t bytes);
  bool atomic_words(int thread, const runtime::Step& step, bool wrote);
  void leave(Cell& at, int thread, const runtime::Step& step, std::uintptr_t first);
  Race check_word(int thread, const Cell& cell, std::uint8_t bytes, bool write, bool atomic) const;

  Race race_;
  std::vector<Cell> cells_;  // a power of two
  std::size_t mask_;         // one less
  std::vector<Clock> syncs_;
  std::size_t used_ = 0;
  std::uint32_t epoch_ = 0;
  std::array<Thread, kMaxThreads> threads_;
};

inline void RaceDetector::add(Touches& touches, Threads& threads, int thread, Tick now, std::uint8_t bytes) {
  Touch& last = touches[static_cast<std::size_t>(thread)];
  const bool same = (threads & only(thread)) != 0 && last.tick == now;
  last = {now, static_cast<std::uint8_t>(same ? last.bytes | bytes : bytes)};
  threads = static_cast<Threads>(threads | only(thread));
}

inline void RaceDetector::note_read(Cell& cell, int thread, Tick now, std::uint8_t bytes, const void* pc) {
  add(cell.plain_reads, cell.plain_readers, thread, now, bytes);
  cell.read_pc = pc;
}

inline void RaceDetector::note_write(Cell& cell, int thread, Tick now, std::uint8_t bytes, const void* pc) {
  cell.write_bytes = cell.writer == thread && cell.write == now ? cell.write_bytes | bytes : bytes;
  cell.write = now;
  cell.writer = static_cast<std::uint8_t>(thread);
  cell.write_pc = pc;
}

// The cell of a word, if the first slot is its own, or free; else null.
inline RaceDetector::Cell* RaceDetector::quick_cell(std::uintptr_t word) {
  Cell& at = cells_[slot_of(word)];
  if (at.word != word || at.epoch != epoch_) {
    if (at.epoch == epoch_ || used_ > mask_ / 2) return nullptr;
    claim(at, word);
  }
  return &at;
}

inline bool RaceDetector::quick_read(int thread, const void* address, std::size_t size, const void* pc) {
  const auto first = reinterpret_cast<std::uintptr_t>(address);
  if (first % 8 + size > 8) return false;
  Cell* at = quick_cell(first / 8);
  if (at == nullptr || others(at->atomic, thread) != 0) return false;
  const Clock& clock = threads_[static_cast<std::size_t>(thread)].now;
  if (at->write > clock[at->writer]) return false;
  note_read(*at, thread, clock[thread], bytes_at(first, size), pc);
  return true;
}

inline bool RaceDetector::quick_write(int thread, const void* address, std::size_t size, const void* pc) {
  const auto first = reinterpret_cast<std::uintptr_t>(address);
  if (first % 8 + size > 8) return false;
  Cell* at = quick_cell(first / 8);
  if (at == nullptr || (others(at->atomic, thread) | others(at->plain_readers, thread)) != 0) return false;
  const Clock& clock = threads_[static_cast<std::size_t>(thread)].now;
  if (at->write > clock[at->writer]) return false;
  note_write(*at, thread, clock[thread], bytes_at(first, size), pc);
  return true;
}

// The first slot nearly always has it.
inline RaceDetector::Cell& RaceDetector::cell(std::uintptr_t word) {
  Cell& first = cells_[slot_of(word)];
  return first.word == word && first.epoch == epoch_ ? first : find(word);
}

inline Clock& RaceDetector::sync(Cell& cell, std::uintptr_t address) {
  std::uint16_t& index = cell.sync[address % 8];
  if (index == 0) {
    index = static_cast<std::uint16_t>(syncs_.size());
    syncs_.emplace_back();
  }
  return syncs_[index];
}

// A word of what an atomic step touches, `first` being the first byte there: whether that is a race, and what it acquires.
inline bool RaceDetector::touch(Cell& at, int thread, const runtime::Step& step, bool wrote,
                                std::uintptr_t first, std::uint8_t bytes) {
  Thread& self = threads_[static_cast<std::size_t>(thread)];
  if (at.write > self.now[at.writer] || (wrote && others(at.plain_readers, thread) != 0)) {
    race_ = check_word(thread, at, bytes, wrote, true);
    if (race_.found) return true;
  }
  const Tick now = self.now[thread];
  at.atomic = static_cast<Threads>(at.atomic | only(thread));
  if (wrote) {  // if it read, too: whatever races with a read races with a write
    add(at.atomic_writes, at.atomic_writers, thread, now, bytes);
  } else {
    add(at.atomic_reads, at.atomic_readers, thread, now, bytes);
  }
  if (step.kind == runtime::StepKind::kStore) return false;
  if (const std::uint16_t index = at.sync[first % 8]; index != 0)
    (acquires(step.order) ? self.now : self.seen_relaxed).join(syncs_[index]);
  return false;
}

// What a step that wrote there releases.
inline void RaceDetector::leave(Cell& at, int thread, const runtime::Step& step, std::uintptr_t first) {
  const Thread& self = threads_[static_cast<std::size_t>(thread)];
  const Clock& mine = releases(step.order) ? self.now : self.fenced;
  Clock& released = sync(at, first);
  if (step.kind == runtime::StepKind::kStore) {
    released = mine;
  } else {
    released.join(mine);  // a read-modify-write continues the release sequence
  }
}

inline bool RaceDetector::atomic(int thread, const runtime::Step& step, bool wrote) {
  const auto first = reinterpret_cast<std::uintptr_t>(step.address);
  if (first % 8 + step.size > 8) return atomic_words(thread, step, wrote);
  Cell& at = cell(first / 8);
  if (touch(at, thread, step, wrote, first, bytes_at(first, step.size))) return true;
  if (!wrote) return false;
  leave(at, thread, step, first);
  if (releases(step.order)) ++threads_[static_cast<std::size_t>(thread)].now[thread];
  return false;
}

}  // namespace plumb::engine
