// Loops that wait, as graphs have them: a thread that comes to a read again, with nothing but reads since, and keeps the same on its stack and
// in its registers (explore/local_state.hpp), does the same again if it reads the same. It adds no event: it goes on only in graphs where
// one of those reads has another source. Nothing is lost by that, since rounds that change nothing can be cut out of a consistent
// graph, and the other sources are explored anyway.
//
// To look at the stack takes long. It is done at places of the program that were seen to be in such a loop, and where a thread comes to a
// read again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "explore/graph/event.hpp"

namespace plumb::engine::graph {

class WaitingLoops {
 public:
  void clear() {
    reads_.clear();
    repeats_from_ = kNone;
  }

  // How often it read here before, with the same operand, and can have read the same since: then perhaps it waits in a loop.
  [[nodiscard]] int rounds(const void* pc, const void* address, std::uint64_t operand) const {
    const std::size_t last = last_at(pc, address);
    if (last == reads_.size() || reads_[last].operand != operand || !reads_the_same_from(last)) return 0;
    return reads_[last].round;
  }
  struct Read {
    const void* pc;
    const void* address;
    std::uint64_t operand;
    EventId source;
    std::uint64_t state;
    int index;       // of the event
    unsigned looks;  // at the clock, by then
    unsigned leaps;  // and how often it was shown that much time has passed
    int round = 1;   // how many there are of this kind in a row, with this one
  };
  // When it was here with this state, at this place, about to read this location, and can read the same again; null: never.
  const Read* repeats(const void* pc, const void* address, std::uint64_t state) {
    for (std::size_t i = reads_.size(); i-- > 0;) {
      const Read& read = reads_[i];
      if (read.pc != pc || read.address != address || read.state != state) continue;
      repeats_from_ = read.index;
      return reads_the_same_from(i) ? &read : nullptr;
    }
    return nullptr;
  }
  // When it was at this place first; it was.
  [[nodiscard]] const Read& first(const void* pc, const void* address) const {
    return *std::find_if(reads_.begin(), reads_.end(),
                         [&](const Read& read) { return read.pc == pc && read.address == address; });
  }
  // It has been round so often that it is taken to wait, though it counts its rounds.
  void gives_up() { repeats_from_ = reads_.empty() ? kNone : reads_.back().index; }
  void saw(const Read& read) {
    constexpr std::size_t kMost = 8192;  // a longer loop is not followed
    if (reads_.size() == kMost) reads_.clear();
    const std::size_t last = last_at(read.pc, read.address);
    const bool again = last < reads_.size() && reads_[last].operand == read.operand;
    const int round = again ? reads_[last].round + 1 : 1;
    reads_.push_back(read);
    reads_.back().round = round;
  }
  // Whether something holds for all events that were read in the loop.
  template <class F>
  [[nodiscard]] bool all_reads(const F& holds) const {
    return std::all_of(reads_.begin(), reads_.end(),
                       [&](const Read& read) { return read.index < repeats_from_ || holds(read.index); });
  }

 private:
  static constexpr int kNone = 1 << 30;
  // The size: it was never there.
  [[nodiscard]] std::size_t last_at(const void* pc, const void* address) const {
    std::size_t i = reads_.size();
    while (i-- > 0) {
      if (reads_[i].pc == pc && reads_[i].address == address) return i;
    }
    return reads_.size();
  }
  // Each location shows one value: a round in which one changed is another the next time, since no thread goes back to an older one.
  [[nodiscard]] bool reads_the_same_from(std::size_t first) const {
    for (std::size_t i = first; i < reads_.size(); ++i) {
      for (std::size_t j = first; j < i; ++j) {
        if (reads_[i].address == reads_[j].address && reads_[i].source != reads_[j].source) return false;
      }
    }
    return true;
  }

  std::vector<Read> reads_;  // since the thread last changed something
  int repeats_from_ = kNone;
};

}  // namespace plumb::engine::graph
