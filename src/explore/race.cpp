#include "explore/race.hpp"

#include <algorithm>
#include <bit>

namespace plumb::engine {
namespace {

// Most explorations are small: to zero more would take longer than they do.
constexpr std::size_t kFirstCells = 256;

// The bytes of the word that [first, last) covers, one bit each.
std::uint8_t bytes_of(std::uintptr_t word, std::uintptr_t first, std::uintptr_t last) {
  const unsigned from = first > word * 8 ? static_cast<unsigned>(first - word * 8) : 0;
  const unsigned to = last < word * 8 + 8 ? static_cast<unsigned>(last - word * 8) : 8;
  return static_cast<std::uint8_t>(((1U << to) - 1) & ~((1U << from) - 1));
}

}  // namespace

RaceDetector::RaceDetector() : cells_(kFirstCells), mask_(kFirstCells - 1), more_(1), syncs_(1) {}

void RaceDetector::begin() {
  ++epoch_;
  used_ = 0;
  more_.resize(1);
  syncs_.resize(1);
  threads_[0] = {};
  threads_[0].now[0] = 1;
}

void RaceDetector::start(int parent, int child) {
  Clock& now = threads_[static_cast<std::size_t>(parent)].now;
  threads_[static_cast<std::size_t>(child)] = {.now = now};
  threads_[static_cast<std::size_t>(child)].now[child] = 1;
  ++now[parent];
}

void RaceDetector::grow() {
  std::vector<Cell> old(cells_.size() * 2);
  old.swap(cells_);
  mask_ = cells_.size() - 1;
  for (const Cell& cell : old) {
    if (cell.epoch != epoch_) continue;
    std::size_t at = slot_of(cell.word);
    while (cells_[at].epoch == epoch_) at = (at + 1) & mask_;
    cells_[at] = cell;
  }
}

RaceDetector::Cell& RaceDetector::find(std::uintptr_t word) {
  for (std::size_t at = slot_of(word);; at = (at + 1) & mask_) {
    Cell& cell = cells_[at];
    if (cell.epoch == epoch_ && cell.word == word) return cell;
    if (cell.epoch != epoch_) {
      if (is_crowded()) {
        grow();
        return find(word);
      }
      claim(cell, word);
      return cell;
    }
  }
}

// Another piece of the word, behind this one, without bytes yet. Moves all pieces but the first of each word.
RaceDetector::Piece& RaceDetector::add_piece(Piece& before) {
  const std::uint32_t next = before.next;
  const auto index = static_cast<std::uint32_t>(more_.size());
  before.next = index;
  Piece& added = more_.emplace_back();
  added.next = next;
  return added;
}

// Leaves these bytes to the piece, and what it knows of its others to another one.
void RaceDetector::part(Piece& piece, std::uint8_t bytes) {
  Piece rest = piece;
  rest.bytes = static_cast<std::uint8_t>(piece.bytes & ~bytes);
  piece.bytes &= bytes;
  Piece& added = add_piece(piece);
  rest.next = added.next;
  added = rest;
}

// Whether it holds for a piece of these bytes; pieces that have others, too, are parted, and for bytes that were not touched yet
// there is one afterwards.
template <class F>
bool RaceDetector::any_piece(Cell& cell, std::uint8_t bytes, const F& holds) {
  if (Piece* only = exact(cell, bytes)) return holds(*only);
  more_.reserve(more_.size() + 8);  // a word has no more pieces than bytes, so none moves below
  std::uint8_t left = bytes;
  Piece* last = nullptr;
  for (Piece* piece = &cell.piece; piece != nullptr;
       piece = piece->next != 0 ? &more_[piece->next] : nullptr) {
    last = piece;
    if ((piece->bytes & bytes) == 0) continue;
    if ((piece->bytes & ~bytes) != 0) part(*piece, bytes);
    left = static_cast<std::uint8_t>(left & ~piece->bytes);
    if (holds(*piece)) return true;
  }
  if (left == 0) return false;
  Piece& fresh = add_piece(*last);
  fresh.bytes = left;
  return holds(fresh);
}

int RaceDetector::unordered(const Touches& touches, Threads threads, int thread, const Clock& now) {
  for (unsigned left = others(threads, thread); left != 0; left &= left - 1) {
    const int other = std::countr_zero(left);
    if (touches[static_cast<std::size_t>(other)] > now[other]) return other;
  }
  return -1;
}

void RaceDetector::acquire(int thread, const void* object) {
  const auto address = reinterpret_cast<std::uintptr_t>(object);
  const std::uint16_t index = cell(address / 8).sync[address % 8];
  if (index != 0) threads_[static_cast<std::size_t>(thread)].now.join(syncs_[index]);
}

void RaceDetector::release(int thread, const void* object) {
  Clock& now = threads_[static_cast<std::size_t>(thread)].now;
  const auto address = reinterpret_cast<std::uintptr_t>(object);
  sync(cell(address / 8), address).join(now);
  ++now[thread];
}

void RaceDetector::fence(int thread, std::uint8_t order) {
  Thread& self = threads_[static_cast<std::size_t>(thread)];
  if (acquires(order)) self.now.join(self.seen_relaxed);
  if (releases(order)) {
    self.fenced = self.now;
    ++self.now[thread];
  }
}

Race RaceDetector::check(int thread, const Piece& piece, bool write, bool atomic) const {
  const Clock& now = threads_[static_cast<std::size_t>(thread)].now;
  if (piece.writer != thread && piece.write > now[piece.writer]) {
    return {.found = true, .other = piece.writer, .other_write = true, .other_pc = piece.write_pc};
  }
  const auto race = [&](const Touches& touches, Threads threads, bool other_write, const void* pc) -> Race {
    const int other = unordered(touches, threads, thread, now);
    if (other < 0) return {};
    return {.found = true, .other = other, .other_write = other_write, .other_pc = pc};
  };
  Race found;
  if (write) found = race(piece.plain_reads, piece.plain_readers, false, piece.read_pc);
  if (write && !atomic && !found.found)
    found = race(piece.atomic_reads, piece.atomic_readers, false, nullptr);
  if (!atomic && !found.found) found = race(piece.atomic_writes, piece.atomic_writers, true, nullptr);
  return found;
}

Race RaceDetector::access(int thread, const void* address, std::size_t size, bool write, const void* pc) {
  const auto first = reinterpret_cast<std::uintptr_t>(address);
  const Tick now = threads_[static_cast<std::size_t>(thread)].now[thread];
  Race race;
  const auto races = [&](Piece& at) {
    // Touched by this thread at this very tick: a later access that races was found then.
    if (at.write == now && at.writer == thread) return false;
    if (!write && has(at.plain_reads, at.plain_readers, thread, now)) return false;
    race = check(thread, at, write, false);
    if (race.found) return true;
    if (write) {
      note_write(at, thread, now, pc);
    } else {
      note_read(at, thread, now, pc);
    }
    return false;
  };
  for (std::uintptr_t word = first / 8; word * 8 < first + size; ++word) {
    if (any_piece(cell(word), bytes_of(word, first, first + size), races)) break;
  }
  return race;
}

// The same where it touches more than one word, or more than one piece.
bool RaceDetector::atomic_words(int thread, const runtime::Step& step, bool wrote) {
  const auto first = reinterpret_cast<std::uintptr_t>(step.address);
  const std::uintptr_t last = first + step.size;
  const auto races = [&](Piece& at) { return touch(at, thread, wrote); };
  for (std::uintptr_t word = first / 8; word * 8 < last; ++word) {
    Cell& at = cell(word);
    if (any_piece(at, bytes_of(word, first, last), races)) return true;
    see(at, thread, step, std::max(first, word * 8));
  }
  if (!wrote) return false;
  for (std::uintptr_t word = first / 8; word * 8 < last; ++word)
    leave(cell(word), thread, step, std::max(first, word * 8));
  if (releases(step.order)) ++threads_[static_cast<std::size_t>(thread)].now[thread];
  return false;
}

bool RaceDetector::atomic_pieces(int thread, std::uintptr_t first, std::size_t size, bool wrote) {
  const auto races = [&](Piece& at) { return touch(at, thread, wrote); };
  for (std::uintptr_t word = first / 8; word * 8 < first + size; ++word) {
    if (any_piece(cell(word), bytes_of(word, first, first + size), races)) return true;
  }
  return false;
}

void RaceDetector::forget(const void* address, std::size_t size) {
  const auto first = reinterpret_cast<std::uintptr_t>(address);
  for (std::uintptr_t word = first / 8; word * 8 < first + size; ++word) {
    for (std::size_t at = slot_of(word); cells_[at].epoch == epoch_; at = (at + 1) & mask_) {
      if (cells_[at].word == word) empty(cells_[at]);
    }
  }
}

}  // namespace plumb::engine
