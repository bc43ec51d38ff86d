// Who yields wants others to go first. A thread that has come to the same yield so often, while nothing that it touched from one
// to the next was changed by others, waits until something of that is: otherwise a loop that takes and gives back a lock each time
// round would have executions without an end. Unlike a circle (spin.hpp) it changes things itself, so this is a bound: what it
// would do after more yields in a row is explored only when nobody else can go on.
//
// As there, all of it is forgotten by the thread's own doing only, so that it is the same in every order of independent steps.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime/step.hpp"

namespace plumb::engine {

class Yields {
 public:
  void clear() {
    count_ = 0;
    size_ = 0;
    changed_ = false;
  }

  // A step of the thread itself.
  void did(const runtime::Step& step) {
    if (is_yield(step)) {
      const bool again = step.pc == pc_ && !changed_;
      if (!again) clear();
      pc_ = step.pc;
      ++count_;
    } else if (count_ != 0 && step.address != nullptr) {
      touched(step);
    }
  }
  bool often() const { return count_ >= kMost; }  // then waits() has to be asked
  bool waits(const runtime::Step& step) const {
    return count_ >= kMost && is_yield(step) && step.pc == pc_ && !changed_;
  }
  bool may_mind() const { return size_ != 0; }  // a change: then changed() has to be told
  // Another thread changed something; true: something that this one touched.
  bool changed(const runtime::Step& change) {
    bool any = false;
    for (std::size_t i = 0; i < size_ && !any; ++i)
      any = runtime::touch(touched_[i].address, touched_[i].bytes, change.address, change.size);
    changed_ |= any;
    return any;
  }
  std::uint64_t hash() const { return count_ * 2 + (changed_ ? 1 : 0); }

 private:
  static constexpr unsigned kMost = 8;  // the waits of the standard library give up after four

  struct Place {
    const void* address;
    unsigned bytes;
  };
  static bool is_yield(const runtime::Step& step) {
    return step.kind == runtime::StepKind::kYield || step.kind == runtime::StepKind::kSleep;
  }
  void touched(const runtime::Step& step) {
    for (std::size_t i = 0; i < size_; ++i) {
      if (touched_[i].address == step.address && touched_[i].bytes >= step.size) return;
    }
    if (size_ == touched_.size()) return clear();  // too much to be followed
    touched_[size_++] = {step.address, step.size};
  }

  const void* pc_ = nullptr;
  unsigned count_ = 0;
  bool changed_ = false;
  std::size_t size_ = 0;
  std::array<Place, 32> touched_{};
};

}  // namespace plumb::engine
