// The race detector: happens-before as the C++ memory model has it, by vector clocks (as FastTrack, Flanagan and Freund,
// PLDI 2009, but with all last reads of each word kept). Two accesses to the same bytes by different threads, at
// least one a write and at least one not atomic, of which neither happens before the other, are a data race.
//
// Order comes from atomics with their memory orders and release sequences, from fences, and from whatever the runtime
// says acquires and releases an object. Words of eight bytes have a cell each, found by hashing; a cell of an earlier
// execution counts as empty. What threads did to a word is kept for pieces of it, bytes that were so far touched together:
// nearly always there is one piece. An access to some bytes of a piece parts it, so that nothing is forgotten of the others.
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
  // The same where that takes a few instructions: in one piece of a word, whose last plain write comes before, and with no
  // other thread that minds. False: access() has to look.
  bool quick_read(int thread, const void* address, std::size_t size, const void* pc);
  bool quick_write(int thread, const void* address, std::size_t size, const void* pc);
  // An atomic step that read, wrote, or both. True: race() tells with what it races.
  bool atomic(int thread, const runtime::Step& step, bool wrote);
  const Race& race() const { return race_; }
  void forget(const void* address, std::size_t size);  // memory that begins a new life

  // Where a graph has the order (graph/graph_execution.hpp): what happens before the thread's last event, and itself. Accesses that
  // follow the event come after whatever it released.
  void stand_at(int thread, const Clock& before) {
    Clock& now = threads_[static_cast<std::size_t>(thread)].now;
    now = before;
    ++now[thread];
  }
  // The same of an event that knows no more than the one before it.
  void go_on(int thread) { ++threads_[static_cast<std::size_t>(thread)].now[thread]; }
  // An atomic step, as that event, where nothing else has to be looked at, as with quick_read(). False: atomic_at() has to look.
  bool quick_atomic_at(int thread, const void* address, std::size_t size, bool wrote);
  // True: race() tells with what it races.
  bool atomic_at(int thread, const void* address, std::size_t size, bool wrote) {
    const auto first = reinterpret_cast<std::uintptr_t>(address);
    Tick& now = threads_[static_cast<std::size_t>(thread)].now[thread];
    --now;  // it is part of what the event releases
    Piece* piece = first % 8 + size > 8 ? nullptr : exact(cell(first / 8), bytes_at(first, size));
    const bool races =
        piece != nullptr ? touch(*piece, thread, wrote) : atomic_pieces(thread, first, size, wrote);
    ++now;
    return races;
  }

 private:
  using Threads = std::uint16_t;  // a set

  // When each thread last touched a piece. Those count whose thread is in the set that the piece keeps beside them.
  using Touches = std::array<Tick, kMaxThreads>;
  struct Piece {
    Tick write = 0;
    std::uint8_t writer = 0;
    std::uint8_t bytes = 0;  // of the word, one bit each
    std::uint32_t next = 0;  // another piece of the word; 0: there is none
    Threads atomic = 0;      // that touched it as an atomic
    Threads plain_readers = 0;
    Threads atomic_readers = 0;
    Threads atomic_writers = 0;
    const void* write_pc = nullptr;
    const void* read_pc = nullptr;  // of the last plain read
    Touches plain_reads;            // what is asked most often comes before these
    Touches atomic_reads;
    Touches atomic_writes;
  };
  struct alignas(64) Cell {
    std::uintptr_t word = 0;
    std::uint32_t epoch = 0;
    std::array<std::uint16_t, 8> sync{};  // which clock is released at each byte; 0: none
    Piece piece;  // without bytes: no thread touched the word yet, and there are no others
  };
  struct Thread {
    Clock now{};
    Clock seen_relaxed{};  // what relaxed loads saw: an acquire fence makes it count
    Clock fenced{};        // the clock at the last release fence
  };

  std::size_t slot_of(std::uintptr_t word) const { return (word * 0x9E37'79B9'7F4A'7C15ULL >> 32U) & mask_; }
  // Few words share a slot: one that is not in its own takes the slow way each time.
  bool is_crowded() const { return used_ > mask_ / 4; }
  static Threads only(int self) { return static_cast<Threads>(1U << static_cast<unsigned>(self)); }
  static Threads others(Threads threads, int self) { return static_cast<Threads>(threads & ~only(self)); }
  static void add(Touches& touches, Threads& threads, int thread, Tick now) {
    touches[static_cast<std::size_t>(thread)] = now;
    threads = static_cast<Threads>(threads | only(thread));
  }
  static bool has(const Touches& touches, Threads threads, int thread, Tick now) {
    return (threads & only(thread)) != 0 && touches[static_cast<std::size_t>(thread)] == now;
  }
  // One of the threads whose touch does not come before; -1: there is none.
  static int unordered(const Touches& touches, Threads threads, int thread, const Clock& now);
  Cell& cell(std::uintptr_t word);
  Cell& find(std::uintptr_t word);
  Piece* quick_piece(std::uintptr_t first, std::size_t size);
  Piece* exact(Cell& cell, std::uint8_t bytes);
  template <class F>
  bool any_piece(Cell& cell, std::uint8_t bytes, const F& holds);
  Piece& add_piece(Piece& before);
  void part(Piece& piece, std::uint8_t bytes);
  // Bytes inside one word, one bit each.
  static std::uint8_t bytes_at(std::uintptr_t first, std::size_t size) {
    return static_cast<std::uint8_t>(((1U << size) - 1) << first % 8);
  }
  Clock& sync(Cell& cell, std::uintptr_t address);
  // Memory orders, as the compilers number them.
  static bool acquires(std::uint8_t order) { return order != 0 && order != 3; }
  static bool releases(std::uint8_t order) { return order >= 3; }
  static void empty(Piece& piece) {
    piece.write = 0;
    piece.bytes = 0;
    piece.next = 0;
    piece.atomic = piece.plain_readers = piece.atomic_readers = piece.atomic_writers = 0;
  }
  static void empty(Cell& cell) {
    cell.sync.fill(0);
    empty(cell.piece);
  }
  void claim(Cell& cell, std::uintptr_t word) {
    ++used_;
    cell.word = word;
    cell.epoch = epoch_;
    empty(cell);
  }
  static void note_read(Piece& piece, int thread, Tick now, const void* pc);
  static void note_write(Piece& piece, int thread, Tick now, const void* pc);
  static void note_atomic(Piece& piece, int thread, Tick now, bool wrote);
  void grow();
  bool touch(Piece& at, int thread, bool wrote);
  bool atomic_words(int thread, const runtime::Step& step, bool wrote);
  bool atomic_pieces(int thread, std::uintptr_t first, std::size_t size, bool wrote);
  void see(const Cell& at, int thread, const runtime::Step& step, std::uintptr_t first);
  void leave(Cell& at, int thread, const runtime::Step& step, std::uintptr_t first);
  Race check(int thread, const Piece& piece, bool write, bool atomic) const;

  Race race_;
  std::vector<Cell> cells_;  // a power of two
  std::size_t mask_;         // one less
  std::vector<Piece> more_;  // the pieces of words that have several; the first is none
  std::vector<Clock> syncs_;
  std::size_t used_ = 0;
  std::uint32_t epoch_ = 0;
  std::array<Thread, kMaxThreads> threads_;
};

inline void RaceDetector::note_read(Piece& piece, int thread, Tick now, const void* pc) {
  add(piece.plain_reads, piece.plain_readers, thread, now);
  piece.read_pc = pc;
}

inline void RaceDetector::note_write(Piece& piece, int thread, Tick now, const void* pc) {
  piece.write = now;
  piece.writer = static_cast<std::uint8_t>(thread);
  piece.write_pc = pc;
}

inline void RaceDetector::note_atomic(Piece& piece, int thread, Tick now, bool wrote) {
  piece.atomic = static_cast<Threads>(piece.atomic | only(thread));
  if (wrote) {  // if it read, too: whatever races with a read races with a write
    add(piece.atomic_writes, piece.atomic_writers, thread, now);
  } else {
    add(piece.atomic_reads, piece.atomic_readers, thread, now);
  }
}

// The piece that has these bytes and no others, which is then the only one that has any of them; else null.
inline RaceDetector::Piece* RaceDetector::exact(Cell& cell, std::uint8_t bytes) {
  Piece* piece = &cell.piece;
  if (piece->bytes == bytes) return piece;
  if (piece->bytes == 0) {
    piece->bytes = bytes;
    return piece;
  }
  while (piece->next != 0) {
    piece = &more_[piece->next];
    if (piece->bytes == bytes) return piece;
  }
  return nullptr;
}

// The same by address, if the word's first slot is its own, or free.
inline RaceDetector::Piece* RaceDetector::quick_piece(std::uintptr_t first, std::size_t size) {
  if (first % 8 + size > 8) return nullptr;
  const std::uintptr_t word = first / 8;
  Cell& at = cells_[slot_of(word)];
  if (at.word != word || at.epoch != epoch_) {
    if (at.epoch == epoch_ || is_crowded()) return nullptr;
    claim(at, word);
  }
  return exact(at, bytes_at(first, size));
}

inline bool RaceDetector::quick_read(int thread, const void* address, std::size_t size, const void* pc) {
  Piece* at = quick_piece(reinterpret_cast<std::uintptr_t>(address), size);
  if (at == nullptr || others(at->atomic, thread) != 0) return false;
  const Clock& clock = threads_[static_cast<std::size_t>(thread)].now;
  if (at->write > clock[at->writer]) return false;
  note_read(*at, thread, clock[thread], pc);
  return true;
}

inline bool RaceDetector::quick_write(int thread, const void* address, std::size_t size, const void* pc) {
  Piece* at = quick_piece(reinterpret_cast<std::uintptr_t>(address), size);
  if (at == nullptr || (others(at->atomic, thread) | others(at->plain_readers, thread)) != 0) return false;
  const Clock& clock = threads_[static_cast<std::size_t>(thread)].now;
  if (at->write > clock[at->writer]) return false;
  note_write(*at, thread, clock[thread], pc);
  return true;
}

inline bool RaceDetector::quick_atomic_at(int thread, const void* address, std::size_t size, bool wrote) {
  Piece* at = quick_piece(reinterpret_cast<std::uintptr_t>(address), size);
  if (at == nullptr || (wrote && others(at->plain_readers, thread) != 0)) return false;
  const Clock& clock = threads_[static_cast<std::size_t>(thread)].now;
  if (at->write > clock[at->writer]) return false;
  note_atomic(*at, thread, static_cast<Tick>(clock[thread] - 1), wrote);
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

// A piece of what an atomic step touches: whether that is a race.
inline bool RaceDetector::touch(Piece& at, int thread, bool wrote) {
  const Clock& clock = threads_[static_cast<std::size_t>(thread)].now;
  if (at.write > clock[at.writer] || (wrote && others(at.plain_readers, thread) != 0)) {
    race_ = check(thread, at, wrote, true);
    if (race_.found) return true;
  }
  note_atomic(at, thread, clock[thread], wrote);
  return false;
}

// What a step acquires that read there, `first` being its first byte in the word.
inline void RaceDetector::see(const Cell& at, int thread, const runtime::Step& step, std::uintptr_t first) {
  Thread& self = threads_[static_cast<std::size_t>(thread)];
  if (step.kind == runtime::StepKind::kStore) return;
  if (const std::uint16_t index = at.sync[first % 8]; index != 0)
    (acquires(step.order) ? self.now : self.seen_relaxed).join(syncs_[index]);
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

[[gnu::always_inline]] inline bool RaceDetector::atomic(int thread, const runtime::Step& step, bool wrote) {
  const auto first = reinterpret_cast<std::uintptr_t>(step.address);
  if (first % 8 + step.size > 8) return atomic_words(thread, step, wrote);
  Cell& at = cell(first / 8);
  Piece* piece = exact(at, bytes_at(first, step.size));
  if (piece == nullptr) return atomic_words(thread, step, wrote);
  if (touch(*piece, thread, wrote)) return true;
  see(at, thread, step, first);
  if (!wrote) return false;
  leave(at, thread, step, first);
  if (releases(step.order)) ++threads_[static_cast<std::size_t>(thread)].now[thread];
  return false;
}

}  // namespace plumb::engine
