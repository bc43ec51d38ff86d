// What the structures of this folder have in common: the faults they can be given, and memory that
// lives as long as they do.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

namespace quasi {

// The faults of the Round-Up paper.
enum class Fault {
  kNone,
  kTooFar,  // b1: a value further from the head than allowed
  kTwice,   // b2: a value that was removed before; of the k-stack: a value that is pushed twice
  kNull,    // b3: nothing, although it is not empty
};

// Objects that are never given back before the end, so that no pointer to one is ever stale.
template <class T, std::size_t kMost = 24>
class Arena {
 public:
  T* make() { return &all_.at(used_.fetch_add(1)); }

 private:
  std::array<T, kMost> all_{};
  std::atomic<std::size_t> used_{0};
};

template <class T>
using SmallArena = Arena<T>;

}  // namespace quasi
