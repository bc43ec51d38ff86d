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
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "explore/late.hpp"
#include "runtime/step.hpp"

namespace plumb::engine {

class Spin {
 public:
  void clear() {
    size_ = 0;
    places_ = 0;
    often_ = stale_ = false;
  }

  // The thread read here and changed nothing.
  void saw(const runtime::Step& step, unsigned threshold, const TimeSeen& time) {
    Read* read = find(step);
    if (stale_ && ((read != nullptr && read->times >= threshold) || reads_a_change(step))) {
      clear();
      read = nullptr;
    }
    if (read == nullptr) {
      if (size_ == reads_.size()) clear();  // too long a loop to be followed: begin anew
      read = &reads_[size_++];
      *read = Read(step, time);
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

 private:
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

  const Read* find(const runtime::Step& step) const {
    if ((places_ & places(step)) == 0) return nullptr;
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
  std::array<Read, 16> reads_{};
};

}  // namespace plumb::engine
