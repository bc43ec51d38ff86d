// Who yields, sleeps or waits until a time wants others to go first. A thread that has come to the same such place again and again, each
// time in vain, while nothing that it touched in between was changed by others, waits until something of that is: otherwise a loop
// that takes and gives back a lock each time round would have executions without an end. It waits the third time if it keeps the
// same, but for the time, as the time before (local_state.hpp): all it can do is the same again. Else, since it may count its
// rounds, the fifth time, and with yields the ninth: what it would do after more of them is explored only when nobody else can go on.
//
// As in spin.hpp, all of it is forgotten by the thread's own doing only, so that it is the same in every order of independent steps.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "explore/sections.hpp"
#include "runtime/step.hpp"

namespace plumb::engine {

class Yields {
 public:
  void clear() {
    count_ = 0;
    size_ = 0;
    changed_ = circles_ = false;
  }

  // A step of the thread itself. `changed`: it changed something; `late`: it timed out.
  void did(const runtime::Step& step, bool changed, bool late) {
    if (late || is_pause(step)) {
      if (step.pc != pc_ || changed_) clear();
      pc_ = step.pc;
      most_ = step.kind == runtime::StepKind::kYield ? kMostYields : kMostWaits;
      ++count_;
    }
    if (count_ == 0) return;
    const bool minds = is_lock(step.kind) && !changed;
    if (step.address != nullptr) touched({step.address, step.size, minds});
    if (step.also != nullptr) touched({step.also, step.size, minds});
  }
  unsigned count() const { return count_; }  // in a row, in vain

  // At this step it may be about to wait: then waits() has to be asked.
  bool often() const { return count_ + 1 >= kFew; }
  bool suspects(const runtime::Step& step) const {
    return often() && (step.timed || is_pause(step)) && step.pc == pc_ && !changed_;
  }
  // `state`: what it keeps at this step, the time left out.
  bool waits(std::uint64_t state) {
    circles_ = std::exchange(state_, state) == state && state != 0;
    return count_ >= most_ || (count_ >= kFew && circles_);
  }
  bool circles() const { return circles_; }  // it kept the same

  bool may_mind() const { return size_ != 0; }  // a change: then changed() has to be told
  // Another thread did this; `visible`: others may see a difference. True: in something that this one touched.
  bool changed(const runtime::Step& change, bool visible) {
    if (takes_lock(change.kind)) return false;  // who waits for it sees it taken as before
    bool any = false;
    for (std::size_t i = 0; i < size_ && !any; ++i) any = meets(touched_[i], change, visible);
    changed_ |= any;
    return any;
  }
  std::uint64_t hash() const { return (state_ * 31 + count_) * 2 + (changed_ ? 1 : 0); }

 private:
  static constexpr unsigned kFew = 2;
  static constexpr unsigned kMostYields = 8;  // the waits of the standard library give up after four
  static constexpr unsigned kMostWaits = 4;

  struct Place {
    const void* address;
    unsigned bytes;
    bool minds;  // that a lock is given back: it was not to be had
  };
  static bool is_pause(const runtime::Step& step) {
    return step.kind == runtime::StepKind::kYield || step.kind == runtime::StepKind::kSleep;
  }
  static bool meets(const Place& place, const runtime::Step& change, bool visible) {
    if (!visible && !place.minds) return false;
    return runtime::touch(place.address, place.bytes, change.address, change.size) ||
           (change.also != nullptr && runtime::touch(place.address, place.bytes, change.also, change.size));
  }
  void touched(const Place& place) {
    for (std::size_t i = 0; i < size_; ++i) {
      Place& known = touched_[i];
      if (known.address != place.address || known.bytes < place.bytes) continue;
      known.minds |= place.minds;
      return;
    }
    if (size_ == touched_.size()) return clear();  // too much to be followed
    touched_[size_++] = place;
  }

  const void* pc_ = nullptr;
  unsigned count_ = 0;
  unsigned most_ = 0;
  bool changed_ = false;
  bool circles_ = false;
  std::uint64_t state_ = 0;  // when it last stood there
  std::size_t size_ = 0;
  std::array<Place, 32> touched_{};
};

}  // namespace plumb::engine
