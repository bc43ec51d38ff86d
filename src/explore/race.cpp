#include "explore/race.hpp"

#include <algorithm>
#include <bit>

namespace plumb::engine {
namespace {

constexpr std::size_t kFirstCells = 1024;

// The bytes of the word that [first, last) covers, one bit each.
std::uint8_t bytes_of(std::uintptr_t word, std::uintptr_t first, std::uintptr_t last) {
  const unsigned from = first > word * 8 ? static_cast<unsigned>(first - word * 8) : 0;
  const unsigned to = last < word * 8 + 8 ? static_cast<unsigned>(last - word * 8) : 8;
  return static_cast<std::uint8_t>(((1U << to) - 1) & ~((1U << from) - 1));
}

}  // namespace

RaceDetector::RaceDetector() : cells_(kFirstCells), mask_(kFirstCells - 1), syncs_(1) {}

void RaceDetector::begin() {
  ++epoch_;
  used_ = 0;
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
      if (used_ > mask_ / 2) {
        grow();
        return find(word);
      }
      claim(cell, word);
      return cell;
    }
  }
}

int RaceDetector::unordered(const Touches& touches, Threads threads, int thread, const Clock& now,
                            std::uint8_t bytes) {
  for (unsigned left = others(threads, thread); left != 0; left &= left - 1) {
    const int other = std::countr_zero(left);
    const Touch& last = touches[static_cast<std::size_t>(other)];
    if (last.tick > now[other] && (last.bytes & bytes) != 0) return other;
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

Race RaceDetector::check_word(int thread, const Cell& cell, std::uint8_t bytes, bool write,
                              bool atomic) const {
  const Clock& now = threads_[static_cast<std::size_t>(thread)].now;
  if ((cell.write_bytes & bytes) != 0 && cell.writer != thread && cell.write > now[cell.writer]) {
    return {.found = true, .other = cell.writer, .other_write = true, .other_pc = cell.write_pc};
  }
  const auto race = [&](const Touches& touches, Threads threads, bool other_write, const void* pc) -> Race {
    const int other = unordered(touches, threads, thread, now, bytes);
    if (other < 0) return {};
    return {.found = true, .other = other, .other_write = other_write, .other_pc = pc};
  };
  Race found;
  if (write) found = race(cell.plain_reads, cell.plain_readers, false, cell.read_pc);
  if (write && !atomic && !found.found) found = race(cell.atomic_reads, cell.atomic_readers, false, nullptr);
  if (!atomic && !found.found) found = race(cell.atomic_writes, cell.atomic_writers, true, nullptr);
  return found;
}

Race RaceDetector::access(int thread, const void* address, std::size_t size, bool write, const void* pc) {
  const auto first = reinterpret_cast<std::uintptr_t>(address);
  const Tick now = threads_[static_cast<std::size_t>(thread)].now[thread];
  for (std::uintptr_t word = first / 8; word * 8 < first + size; ++word) {
    Cell& at = cell(word);
    const std::uint8_t bytes = bytes_of(word, first, first + size);
    // Touched by this thread at this very tick: who touched it since, and races, was found then.
    if (at.write == now && at.writer == thread && (bytes & ~at.write_bytes) == 0) continue;
    if (!write && has(at.plain_reads, at.plain_readers, thread, now, bytes)) continue;
    if (const Race race = check_word(thread, at, bytes, write, false); race.found) return race;
    if (write) {
      note_write(at, thread, now, bytes, pc);
    } else {
      note_read(at, thread, now, bytes, pc);
    }
  }
  return {};
}

// The same where it touches more than one word.
bool RaceDetector::atomic_words(int thread, const runtime::Step& step, bool wrote) {
  const auto first = reinterpret_cast<std::uintptr_t>(step.address);
  const std::uintptr_t last = first + step.size;
  for (std::uintptr_t word = first / 8; word * 8 < last; ++word) {
    if (touch(cell(word), thread, step, wrote, std::max(first, word * 8), bytes_of(word, first, last)))
      return true;
  }
  if (!wrote) return false;
  for (std::uintptr_t word = first / 8; word * 8 < last; ++word)
    leave(cell(word), thread, step, std::max(first, word * 8));
  if (releases(step.order)) ++threads_[static_cast<std::size_t>(thread)].now[thread];
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
