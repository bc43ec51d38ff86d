// What open removals have taken so far, where it is not known which of them took what.
//
// What a removal took shows when it returns. Until then a search that went by removals would have to guess for
// each whether it has taken something, and what. Here only the values are kept that some open removal has taken
// (takings), each with the removals that may have been it: those that were open at the time, hence of the
// removals that are open now the first few, by call. So a taking is a value and a number. When a removal returns
// a value, it was one of the takings of that value that it can have been, the oldest as well as any: whoever
// takes the oldest instead could have taken the other. Or it was none of them, and takes the value now.
//
// Each taking needs a removal of its own. As those that may have been it are a beginning of the same list for
// each, that is possible exactly if for every k at most k takings have to be among the first k (Hall).
//
// Removals that found nothing are the same: of the moments at which the object was empty, the latest is kept, as
// the number of open removals that were called before it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <absl/container/inlined_vector.h>

#include "watch/online.hpp"

namespace plumb {

// The removals that are open, and those that are lost, by call.
class OpenRemovals {
 public:
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(called_.size()); }
  // So many were called before this moment.
  [[nodiscard]] std::uint32_t before(Moment moment) const {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(called_, moment) - called_.begin());
  }
  void open(Moment called) { called_.push_back(called); }
  void end(std::uint32_t place) { called_.erase(called_.begin() + place); }

 private:
  std::vector<Moment> called_;
};

struct Taking {
  std::uint32_t by;  // one of the first so many open removals
  Value value;

  friend bool operator==(const Taking&, const Taking&) = default;
  friend bool operator<(const Taking& a, const Taking& b) {
    return std::pair(a.by, a.value.bits()) < std::pair(b.by, b.value.bits());
  }
};

class Takings {
 public:
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(all_.size()); }
  [[nodiscard]] auto begin() const { return all_.begin(); }
  [[nodiscard]] auto end() const { return all_.end(); }

  void add(Value value, std::uint32_t by) {
    const Taking taking{by, value};
    all_.insert(std::ranges::lower_bound(all_, taking, std::less<>()), taking);
  }
  // The object is empty, and so many of the open removals were called before.
  void found_empty(std::uint32_t by) { empty_ = std::max(empty_, by); }
  [[nodiscard]] std::uint32_t empty() const { return empty_; }

  // All must have been among the first `by` removals.
  void limit(std::uint32_t by) {
    for (Taking& taking : all_) taking.by = std::min(taking.by, by);
    std::ranges::sort(all_, std::less<>());
  }
  [[nodiscard]] bool are_within(std::uint32_t by) const { return all_.empty() || all_.back().by <= by; }

  // The removal at this place can have been one that found nothing.
  [[nodiscard]] bool may_be_empty(std::uint32_t place) const { return place < empty_; }
  // It was one that took this value: false if it cannot have been.
  [[nodiscard]] bool assign(std::uint32_t place, Value value) {
    const auto it =
        std::ranges::find_if(all_, [&](const Taking& t) { return t.by > place && t.value == value; });
    if (it == all_.end()) return false;
    all_.erase(it);
    return true;
  }
  // The removal at this place is open no more, and was none of the takings that are left: false if it must have been.
  [[nodiscard]] bool close(std::uint32_t place) {
    for (Taking& taking : all_) taking.by -= taking.by > place ? 1 : 0;
    empty_ -= empty_ > place ? 1 : 0;
    std::ranges::sort(all_, std::less<>());
    return are_possible();
  }
  [[nodiscard]] bool are_possible() const {
    for (std::uint32_t i = 0; i < all_.size(); ++i) {
      if (all_[i].by <= i) return false;
    }
    return true;
  }

  // Whatever the others lead to, these do as well: the same values, each by as many removals or more. What covers others
  // is at least as large.
  [[nodiscard]] bool covers(const Takings& others) const;
  [[nodiscard]] std::uint64_t largeness() const {
    std::uint64_t sum = empty_;
    for (const Taking& taking : all_) sum += taking.by;
    return sum;
  }

  friend bool operator==(const Takings&, const Takings&) = default;
  template <class H>
  friend H AbslHashValue(H h, const Takings& t) {
    for (const Taking& taking : t.all_) h = H::combine(std::move(h), taking.by, taking.value);
    return H::combine(std::move(h), t.all_.size(), t.empty_);
  }

 private:
  absl::InlinedVector<Taking, 4> all_;  // ascending
  std::uint32_t empty_ = 0;
};

// Those of one value, the first with the first and so on.
inline bool Takings::covers(const Takings& others) const {
  if (empty_ < others.empty_ || size() != others.size()) return false;
  for (std::size_t i = 0; i < others.all_.size(); ++i) {
    const Taking& other = others.all_[i];
    auto before = std::count_if(others.all_.begin(), others.all_.begin() + static_cast<std::ptrdiff_t>(i),
                                [&](const Taking& t) { return t.value == other.value; });
    const auto same =
        std::ranges::find_if(all_, [&](const Taking& t) { return t.value == other.value && before-- == 0; });
    if (same == all_.end() || same->by < other.by) return false;
  }
  return true;
}

}  // namespace plumb
