// The insertions of a watched collection that are open, or lost: each has a slot, so that a mask says which have taken effect.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "watch/online.hpp"

namespace plumb {

class OpenInsertions {
 public:
  struct One {
    std::uint64_t bit;
    Value value;
    Moment called;
    bool lost = false;
  };

  [[nodiscard]] bool empty() const { return all_.empty(); }
  [[nodiscard]] auto begin() const { return all_.begin(); }
  [[nodiscard]] auto end() const { return all_.end(); }
  [[nodiscard]] const One& find(Moment called) const {
    return *std::ranges::find(all_, called, &One::called);
  }

  // Room is made, where there is none, by `forget_lost`. False: there is none all the same.
  template <class Forget>
  [[nodiscard]] bool open(Value value, Moment called, Forget&& forget_lost) {
    if (~used_ == 0) forget_lost();
    if (~used_ == 0) return false;
    all_.push_back({std::uint64_t{1} << static_cast<unsigned>(std::countr_one(used_)), value, called});
    used_ |= all_.back().bit;
    return true;
  }
  void close(std::uint64_t bit) {
    std::erase_if(all_, [&](const One& one) { return one.bit == bit; });
    used_ &= ~bit;
  }
  void lose(Moment called) { std::ranges::find(all_, called, &One::called)->lost = true; }

  // Another one of the same value stands in for this one: both are lost, and it is free.
  [[nodiscard]] bool has_substitute(const One& one, std::uint64_t taken) const {
    return one.lost && std::ranges::any_of(all_, [&](const One& other) {
             return other.lost && other.value == one.value && other.bit < one.bit && (taken & other.bit) == 0;
           });
  }

 private:
  std::vector<One> all_;  // by call
  std::uint64_t used_ = 0;
};

}  // namespace plumb
