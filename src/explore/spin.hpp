// Loops that wait. A thread that comes to a read once more, after nothing that it read was changed and it changed nothing itself,
// and that keeps the same on its stack and in its registers as the last time it was there (local_state.hpp), repeats
// itself: all it can do is the same again. It waits until something it read changes, and no behaviour is lost by that. What counts
// as a read changes nothing: a failed compare-exchange, an exchange that left the value as it was.
//
// A loop that keeps something (it counts its rounds) does not: it continues, and what it does when it has had enough is
// explored. But not forever: after `patience` rounds it waits, too, until no other thread is enabled; if it looks at the clock, not
// before it was shown that much time has passed (late.hpp). Rounds in which it pauses are counted elsewhere (yields.hpp). A loop that
// keeps nothing but the time repeats itself if the time does not end it.
//
// What a thread has read is forgotten by its own doing only: when it reads a change, when it changes something itself, and
// when it continues after waiting. So all this is the same in every order of independent steps, as the reductions need it.
//
// Most loops read a few places, and are looked through; of those that read more the places are found by a table.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "explore/late.hpp"
#include "runtime/step.hpp"

namespace plumb::engine {

class Spin {
 public:
  void clear() {
    if (size_ > kFew) std::fill(table_.begin(), table_.end(), kNone);
    size_ = 0;
    places_ = 0;
    often_ = stale_ = too_long_ = false;
  }

  // The thread read here and changed nothing.
  void saw(const runtime::Step& step, unsigned threshold, const TimeSeen& time) {
    Read* read = find(step);
    if (stale_ && ((read != nullptr && read->times >= threshold) || reads_a_change(step))) {
      clear();
      read = nullptr;
    }
    if (read == nullptr) {
      read = &add(Read(step, time));
      places_ |= places(step);
    } else {
      ++read->rounds;
      ++read->times;
    }
    often_ |= read->times + 1 >= threshold;
    threshold_ = threshold;
  }

  // Something was read as often as counts as waiting: then suspects() has to be asked.
  bool often() const { return often_; }
  // At this step it may be about to do one more round: then waits() has to be asked.
  bool suspects(const runtime::Step& step) const {
    if (!often_ || stale_) return false;
    const Read* known = find(step);
    return known != nullptr && known->times + 1 >= threshold_;
  }
  // `state`: what it keeps, at this step.
  Waits waits(const runtime::Step& step, std::uint64_t state, unsigned patience, TimeSeen& time) {
    Read& known = *find(step);
    const bool same = std::exchange(known.state, state) == state && state != 0;
    if (known.times < threshold_) return Waits::kNo;
    if (same) return Waits::kRepeats;
    return known.since.is_enough(known.rounds, patience, time) ? Waits::kCounts : Waits::kNo;
  }
  // The same without the time.
  bool repeats_but_for_time(const runtime::Step& step, std::uint64_t state, TimeSeen& time) {
    Read& known = *find(step);
    if (known.times >= threshold_ && state != 0 && known.kept.state == state) return known.kept.repeats(time);
    known.kept = {state, time};
    return false;
  }
  // It yielded, slept or timed out.
  void paused() {
    for (std::size_t i = 0; i < size_; ++i) reads_[i].rounds = 0;
  }

  // One bit for each block of sixteen bytes that it touches; blocks share bits.
  static std::uint64_t places(const runtime::Step& step) {
    const auto first = reinterpret_cast<std::uintptr_t>(step.address);
    return std::uint64_t{1} << (first / 16 % 64) | std::uint64_t{1} << ((first + step.size) / 16 % 64);
  }
  // Whether something there may have been read: then changed() has to be told.
  bool may_mind(std::uint64_t places) const { return (places_ & places) != 0; }
  // Another thread changed something; true: something that was read here.
  bool changed(const runtime::Step& change) {
    if ((places_ & places(change)) == 0) return false;
    bool any = false;
    for (std::size_t i = 0; i < size_; ++i) {
      if (!runtime::touch(reads_[i].address, reads_[i].bytes, change.address, change.size)) continue;
      reads_[i].changed = any = stale_ = true;
    }
    return any;
  }

  // Of all that decides whether it waits.
  std::uint64_t hash() const {
    std::uint64_t hash = size_;
    for (std::size_t i = 0; i < size_; ++i) {
      const Read& read = reads_[i];
      hash = (hash ^ reinterpret_cast<std::uint64_t>(read.pc)) * 0x9E37'79B9'7F4A'7C15ULL;
      hash ^= reinterpret_cast<std::uint64_t>(read.address) + (hash >> 29U) + read.times * 2 +
              (read.changed ? 1 : 0) + (read.state << 1U) + (read.kept.state << 3U) + (read.rounds << 8U) +
              (read.since.looks << 16U) + (read.since.leaps << 24U);
    }
    return hash * 0xBF58'476D'1CE4'E5B9ULL;
  }

  // It read more places in a row than are followed: it may be in a loop that waits.
  [[nodiscard]] bool too_long() const { return too_long_; }
  static constexpr std::size_t kMost = 4096;

 private:
  static constexpr std::size_t kFew = 16;
  static constexpr std::uint16_t kNone = 0xFFFF;

  struct Read {
    Read() = default;
    Read(const runtime::Step& step, const TimeSeen& time)
        : kind(step.kind), pc(step.pc), address(step.address), bytes(step.size), since(time) {}

    runtime::StepKind kind{};
    const void* pc = nullptr;
    const void* address = nullptr;
    unsigned bytes = 0;
    unsigned times = 1;
    unsigned rounds = 1;      // the same since the thread last paused
    bool changed = false;     // since it was read
    std::uint64_t state = 0;  // of the thread when it last stood there; 0: not known
    Kept kept;
    Since since;
  };

  Read& add(const Read& read) {
    if (size_ == reads_.size()) grow();
    reads_[size_] = read;
    if (size_ == kFew) {
      for (std::size_t i = 0; i < kFew; ++i) list(i);
    }
    if (size_ >= kFew) list(size_);
    return reads_[size_++];
  }
  [[gnu::noinline]] void grow() {
    if (size_ == kMost) {  // begin anew
      clear();
      too_long_ = true;
      return;
    }
    reads_.resize(2 * size_);
    table_.assign(2 * reads_.size(), kNone);
    for (std::size_t i = 0; i < size_ && size_ > kFew; ++i) list(i);
  }
  // Into the table.
  void list(std::size_t number) {
    std::size_t slot = slot_of(reads_[number].pc, reads_[number].address);
    while (table_[slot] != kNone) slot = (slot + 1) % table_.size();
    table_[slot] = static_cast<std::uint16_t>(number);
  }
  [[nodiscard]] std::size_t slot_of(const void* pc, const void* address) const {
    const auto mixed =
        (reinterpret_cast<std::uintptr_t>(pc) ^ reinterpret_cast<std::uintptr_t>(address) << 7U) *
        0x9E37'79B9'7F4A'7C15ULL;
    return static_cast<std::size_t>(mixed >> 32U) % table_.size();
  }
  [[gnu::noinline]] const Read* find_listed(const runtime::Step& step) const {
    for (std::size_t slot = slot_of(step.pc, step.address); table_[slot] != kNone;
         slot = (slot + 1) % table_.size()) {
      const Read& read = reads_[table_[slot]];
      if (read.pc == step.pc && read.address == step.address && read.kind == step.kind) return &read;
    }
    return nullptr;
  }
  const Read* find(const runtime::Step& step) const {
    if ((places_ & places(step)) == 0) return nullptr;
    if (size_ > kFew) return find_listed(step);
    for (std::size_t i = 0; i < size_; ++i) {
      const Read& read = reads_[i];
      if (read.pc == step.pc && read.address == step.address && read.kind == step.kind) return &read;
    }
    return nullptr;
  }
  Read* find(const runtime::Step& step) { return const_cast<Read*>(std::as_const(*this).find(step)); }
  bool reads_a_change(const runtime::Step& step) const {
    for (std::size_t i = 0; i < size_; ++i) {
      const Read& read = reads_[i];
      if (read.changed && runtime::touch(read.address, read.bytes, step.address, step.size)) return true;
    }
    return false;
  }

  // What every step asks comes first, and lies together.
  std::size_t size_ = 0;
  std::uint64_t places_ = 0;  // of all that was read
  unsigned threshold_ = 0;
  bool often_ = false;  // something was read as often as counts as waiting
  bool stale_ = false;  // something that was read has changed
  bool too_long_ = false;
  std::vector<Read> reads_{kFew};     // of which the first `size_` are in use
  std::vector<std::uint16_t> table_;  // of their numbers, where they are more than a few
};

}  // namespace plumb::engine
