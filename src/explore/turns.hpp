// Loops that wait and change something each time round: a reader that adds itself to a lock and takes itself back, a count of how often
// it had to wait. Only who schedules unfairly keeps such a thread from what it waits for. So a thread that has come again and again to a
// step at which it changed something, in one operation, lets others go first: after a few times if it keeps the same on its stack and in its
// registers and finds the same there, after some more if it finds something else (it may take what is there, one after the other), and
// after many if it keeps something, for it may count. It goes on when no other thread is enabled; for another time round when another
// thread changes something that it touched, and that for the first time: those that wait like this do not release each other for ever.
//
// What decides is each thread's own doing, and whether steps depend on each other: it is the same in every order of independent steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "explore/late.hpp"
#include "runtime/step.hpp"

namespace plumb::engine {

class Turns {
 public:
  void clear() {
    seen_ = places_ = 0;
    if (!often_) return;
    places_changed_.clear();
    often_ = false;
    held_at_ = kNowhere;
  }

  // The thread changed something here, and found `value` before. True: for the first time.
  bool changed(const runtime::Step& step, std::uint64_t value, std::uint64_t places) {
    const std::uint64_t me = bit(step);
    places_ |= places;
    if ((seen_ & me) != 0) {
      again(step, value);
      return false;
    }
    seen_ |= me;
    return true;
  }

  // It was somewhere so often that waits() has to be asked there.
  bool often() const { return often_; }
  bool suspects(const runtime::Step& step) const {
    if (!often_) return false;
    const std::size_t number = find(step);
    if (number == places_changed_.size()) return false;
    const Place& here = places_changed_[number];
    return here.finds_the_same || here.times >= kFirstLook || held_at_ == number;
  }
  // `state`: what it keeps, at this step.
  bool waits(const runtime::Step& step, std::uint64_t state, unsigned patience) {
    const std::size_t number = find(step);
    Place& here = places_changed_[number];
    if (here.times <= kMostLooks) {
      here.same = state != 0 && state == here.state ? here.same + 1 : 0;
      here.state = state;
    }
    const bool is_enough = here.same >= (here.finds_the_same ? kSame : kSameButForWhatItFinds) ||
                           here.times >= kPatience * patience;
    if (held_at_ == kNowhere && is_enough) held_at_ = number;
    return held_at_ == number;
  }
  // It waited so in this operation.
  bool is_held() const { return held_at_ != kNowhere; }
  // What it changed, as Spin::places() has it.
  std::uint64_t places() const { return places_; }

  std::uint64_t hash() const {
    std::uint64_t hash = seen_ + held_at_;
    for (const Place& place : places_changed_)
      hash = (hash ^ place.state) * 31 + (place.value << 8U) + place.times * 4 + place.same * 2 +
             (place.finds_the_same ? 1 : 0);
    return hash * 0x9E37'79B9'7F4A'7C15ULL;
  }

 private:
  static constexpr unsigned kSame = 2;  // rounds after which it keeps the same
  static constexpr unsigned kSameButForWhatItFinds = 8;
  static constexpr unsigned kFirstLook =
      8;  // at what it keeps, if it finds something else each time: to look takes long
  static constexpr unsigned kMostLooks = 20;  // rounds in which it is looked at
  static constexpr unsigned kPatience = 8;    // times as much as loops have that change nothing
  static constexpr std::size_t kNowhere = SIZE_MAX;

  struct Place {
    const void* pc;
    const void* address;
    std::uint64_t value;  // that it found there last
    unsigned times;
    unsigned same = 0;
    bool finds_the_same = true;
    std::uint64_t state = 0;  // of the thread when it last stood there
  };

  static std::uint64_t bit(const runtime::Step& step) {
    const auto mixed =
        (reinterpret_cast<std::uintptr_t>(step.pc) ^ reinterpret_cast<std::uintptr_t>(step.address) << 16U) *
        0x9E37'79B9'7F4A'7C15ULL;
    return std::uint64_t{1} << (mixed >> 58U);
  }
  // Its number; the size if there is none.
  std::size_t find(const runtime::Step& step) const {
    std::size_t i = 0;
    while (i < places_changed_.size() &&
           (places_changed_[i].pc != step.pc || places_changed_[i].address != step.address))
      ++i;
    return i;
  }
  // Steps share bits: the first time that a step is here may be its first at all.
  [[gnu::noinline]] void again(const runtime::Step& step, std::uint64_t value) {
    often_ = true;
    const std::size_t number = find(step);
    if (number < places_changed_.size()) {
      Place& here = places_changed_[number];
      ++here.times;
      here.finds_the_same = here.value == value;
      here.value = value;
    } else if (number < kMostPlaces) {
      places_changed_.push_back({.pc = step.pc, .address = step.address, .value = value, .times = 1});
    }
  }
  static constexpr std::size_t kMostPlaces = 64;

  // What every step asks comes first, and lies together.
  std::uint64_t seen_ = 0;    // steps that changed something
  std::uint64_t places_ = 0;  // what they changed
  bool often_ = false;
  std::size_t held_at_ = kNowhere;  // the place in its loop where it waits
  std::vector<Place> places_changed_;
};

}  // namespace plumb::engine
