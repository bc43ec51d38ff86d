// A thread that yields, sleeps or waits until a time wants others to go first. One that has come to such places again and again, each
// time in vain, while nothing that it touched in between was changed by others, waits until something of that is: otherwise a loop
// that takes and gives back a lock each time round would have executions without an end. It waits if it has come to a place with
// the same, but for the time, as before (local_state.hpp), and the time does not end it (late.hpp): all it can do is the same again.
// Else, since it may count its rounds, it waits the fifth time, with yields the ninth, or after it was shown the time: what it would
// do after more of them is explored only when no other thread is enabled. A loop may have several such places: std::counting_semaphore
// yields before it sleeps.
//
// As in spin.hpp, all of it is forgotten by the thread's own doing only, so that it is the same in every order of independent steps.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "explore/late.hpp"
#include "explore/sections.hpp"
#include "runtime/step.hpp"

namespace plumb::engine {

class Yields {
 public:
  void clear() {
    pauses_ = visits_ = size_ = 0;
    count_ = 0;
    changed_ = false;
  }

  // A step of the thread itself. `changed`: it changed something; `late`: it timed out.
  void executed(const runtime::Step& step, bool changed, bool late, const TimeSeen& time) {
    if (late || runtime::is_pause(step.kind)) pause(step, time);
    if (pauses_ == 0) return;
    const bool locks = runtime::takes_lock(step.kind) || runtime::releases_lock(step.kind);
    const bool minds = locks && !changed;
    if (step.address != nullptr) touched({step.address, step.size, minds});
    if (step.also != nullptr) touched({step.also, step.size, minds});
  }
  unsigned count() const { return count_; }  // at the last place, in vain

  // At this step it may be about to wait: then waits() has to be asked.
  bool often() const { return pauses_ != 0; }
  bool suspects(const runtime::Step& step) const {
    return often() && (step.timed || runtime::is_pause(step.kind)) && find(step.pc) != pauses_ && !changed_;
  }
  // `state`: what it keeps at this step, the time left out.
  Waits waits(const runtime::Step& step, std::uint64_t state, TimeSeen& time) {
    for (std::size_t i = 0; i < visits_ && state != 0; ++i) {
      if (visited_[i].pc == step.pc && visited_[i].kept.state == state)
        return visited_[i].kept.repeats(time) ? Waits::kRepeats : Waits::kNo;
    }
    const Pause& here = paused_[find(step.pc)];
    if (here.since.is_enough(here.count, here.most, time)) return Waits::kCounts;
    if (visits_ < visited_.size()) visited_[visits_++] = {step.pc, {state, time}};
    return Waits::kNo;
  }

  bool may_mind() const { return size_ != 0; }  // a change: then changed() has to be told
  // Another thread did this; `visible`: others may see a difference. True: in something that this one touched.
  bool changed(const runtime::Step& change, bool visible) {
    if (runtime::takes_lock(change.kind)) return false;  // threads that wait for it see it taken as before
    bool any = false;
    for (std::size_t i = 0; i < size_ && !any; ++i) any = meets(touched_[i], change, visible);
    changed_ |= any;
    return any;
  }
  std::uint64_t hash() const {
    std::uint64_t hash = pauses_;
    for (std::size_t i = 0; i < pauses_; ++i)
      hash = hash * 31 + (reinterpret_cast<std::uint64_t>(paused_[i].pc) ^ paused_[i].count << 24U ^
                          paused_[i].since.looks << 8U ^ paused_[i].since.leaps);
    for (std::size_t i = 0; i < visits_; ++i) hash = hash * 31 + visited_[i].kept.state;
    return hash * 2 + (changed_ ? 1 : 0);
  }

 private:
  static constexpr unsigned kMostYields = 8;  // the waits of the standard library give up after four
  static constexpr unsigned kMostWaits = 4;
  static constexpr std::size_t kMostPlaces = 1024;

  struct Place {
    const void* address;
    unsigned bytes;
    bool minds;  // that a lock is given back: it was not to be had
  };
  struct Pause {
    const void* pc;
    unsigned count;
    unsigned most;
    Since since;
  };
  struct Visit {
    const void* pc;
    Kept kept;
  };
  static bool meets(const Place& place, const runtime::Step& change, bool visible) {
    if (!visible && !place.minds) return false;
    return runtime::touch(place.address, place.bytes, change.address, change.size) ||
           (change.also != nullptr && runtime::touch(place.address, place.bytes, change.also, change.size));
  }
  // Its number; `pauses_` if there is none.
  std::size_t find(const void* pc) const {
    std::size_t i = 0;
    while (i < pauses_ && paused_[i].pc != pc) ++i;
    return i;
  }
  void pause(const runtime::Step& step, const TimeSeen& time) {
    if (changed_ || (find(step.pc) == pauses_ && pauses_ == paused_.size())) clear();
    const std::size_t here = find(step.pc);
    if (here == pauses_) {
      const unsigned most = step.kind == runtime::StepKind::kYield ? kMostYields : kMostWaits;
      paused_[pauses_++] = {step.pc, 0, most, Since(time)};
    }
    count_ = ++paused_[here].count;
  }
  void touched(const Place& place) {
    for (std::size_t i = 0; i < size_; ++i) {
      Place& known = touched_[i];
      if (known.address != place.address || known.bytes < place.bytes) continue;
      known.minds |= place.minds;
      return;
    }
    if (size_ == kMostPlaces) return clear();  // too much to be followed
    if (size_ == touched_.size()) touched_.resize(2 * size_);
    touched_[size_++] = place;
  }

  // What every step asks comes first, and lies together.
  std::size_t pauses_ = 0;
  std::size_t visits_ = 0;
  std::size_t size_ = 0;  // of what it touched
  unsigned count_ = 0;
  bool changed_ = false;
  std::array<Pause, 16>
      paused_{};  // compilers unroll loops: four yields of the library, twice, and the waits
  std::array<Visit, 32> visited_{};
  std::vector<Place> touched_{32};  // of which the first `size_` are in use
};

}  // namespace plumb::engine
