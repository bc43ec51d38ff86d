// The insertions of a watched queue, and the sets of them that can have come out again: frontiers, as
// check/frontier/frontier_order.hpp has them, of a history that grows at one end and is forgotten at the other.
//
// A frontier is a number of returns and, of the insertions that are open at the next one (or now), those that are
// in it. What is kept begins with the return at which the oldest frontier stands: with the oldest value that may
// be inside.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include <absl/container/inlined_vector.h>

#include "watch/online.hpp"

namespace plumb {

struct InsertionFrontier {
  std::uint64_t returned = 0;  // so many returns of insertions come before the first that is not in it
  std::uint64_t taken = 0;     // by slot: of those that are open then

  friend bool operator==(const InsertionFrontier&, const InsertionFrontier&) = default;
  template <class H>
  friend H AbslHashValue(H h, const InsertionFrontier& f) {
    return H::combine(std::move(h), f.returned, f.taken);
  }
};

class InsertionOrder {
 public:
  using Id = std::uint32_t;
  static constexpr std::uint32_t kMostOpen = 64;

  [[nodiscard]] Value value(Id id) const { return all_[id].value; }
  [[nodiscard]] bool has_room() const { return ~now_.slots != 0; }
  [[nodiscard]] bool is_quiet() const { return now_.slots == 0; }
  void call(Value value, Moment called);  // there is room
  void lose(Moment called) { all_[find_open(called)].lost = true; }
  // It returns. Of the states, which have a frontier `in` each, those that stand at the present move on if they have it.
  template <class States>
  void ret(Moment called, Moment now, States& states);
  // It did not happen: of the frontiers, those that have_it() must be gone.
  [[nodiscard]] Id find_open(Moment called) const;
  void fail(Id id);

  [[nodiscard]] bool is_at_present(InsertionFrontier f) const { return f.returned == returns(); }
  // The first return of an insertion that is not in it; kNotYet: there was none.
  [[nodiscard]] Moment first_return(InsertionFrontier f) const {
    return is_at_present(f) ? kNotYet : at(f).at;
  }
  [[nodiscard]] bool has(InsertionFrontier f, Id id) const;
  void take(InsertionFrontier& f, Id id) const;
  // Those that may come next. Of two of the same value, one that was called earlier and does not return later can as well
  // come first; so the other is left out.
  template <class Visit>
  void each_next(InsertionFrontier f, Visit&& visit) const;

  // No frontier stands before this many returns any more.
  void forget(std::uint64_t returned);
  // Lost insertions that all states have give their slots back.
  template <class States>
  void forget_lost(States& states);

 private:
  struct Insertion {
    Value value;
    Moment called;
    Moment returned = kNotYet;
    std::uint8_t slot = 0;
    bool lost = false;
  };
  // What is open when an insertion returns, or now.
  struct Window {
    Moment at = kNotYet;
    Id returning = 0;
    std::uint64_t slots = 0;
    absl::InlinedVector<Id, 4> open = {};  // by slot

    [[nodiscard]] std::size_t place(std::uint64_t bit) const {
      return static_cast<std::size_t>(std::popcount(slots & (bit - 1)));
    }
    [[nodiscard]] Id in(std::uint64_t bit) const { return open[place(bit)]; }
    void add(Id id, std::uint64_t bit) {
      open.insert(open.begin() + static_cast<std::ptrdiff_t>(place(bit)), id);
      slots |= bit;
    }
    void remove(std::uint64_t bit) {
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(place(bit)));
      slots &= ~bit;
    }
  };

  [[nodiscard]] std::uint64_t returns() const { return first_ + past_.size(); }
  [[nodiscard]] const Window& at(InsertionFrontier f) const {
    return is_at_present(f) ? now_ : past_[f.returned - first_];
  }
  [[nodiscard]] std::uint64_t bit(Id id) const { return std::uint64_t{1} << all_[id].slot; }
  // a can come first wherever b could. One that may still fail cannot stand in for another.
  static bool is_better(const Insertion& a, const Insertion& b) {
    return a.value == b.value && a.called < b.called && (a.returned < b.returned || (a.lost && b.lost));
  }
  void remove_everywhere(Id id);

  std::vector<Insertion> all_;
  std::vector<Id> free_;
  std::deque<Window> past_;  // by return
  std::uint64_t first_ = 0;  // the number of the first of these
  Window now_;
};

inline void InsertionOrder::call(Value value, Moment called) {
  Id id = static_cast<Id>(all_.size());
  if (free_.empty()) {
    all_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  all_[id] = {
      .value = value, .called = called, .slot = static_cast<std::uint8_t>(std::countr_one(now_.slots))};
  now_.add(id, bit(id));
}

inline InsertionOrder::Id InsertionOrder::find_open(Moment called) const {
  std::size_t i = 0;
  while (all_[now_.open[i]].called != called) ++i;
  return now_.open[i];
}

template <class States>
void InsertionOrder::ret(Moment called, Moment now, States& states) {
  const Id id = find_open(called);
  const std::uint64_t present = returns();
  all_[id].returned = now;
  now_.at = now;
  now_.returning = id;
  past_.push_back(now_);
  now_.remove(bit(id));
  for (auto& state : states) {
    if (state.in.returned != present || (state.in.taken & bit(id)) == 0) continue;
    state.in.taken &= ~bit(id);
    ++state.in.returned;
  }
}

inline bool InsertionOrder::has(InsertionFrontier f, Id id) const {
  const Window& window = at(f);
  return (f.taken & bit(id)) != 0 && (window.slots & bit(id)) != 0 && window.in(bit(id)) == id;
}

inline void InsertionOrder::take(InsertionFrontier& f, Id id) const {
  f.taken |= bit(id);
  while (!is_at_present(f) && (f.taken & bit(at(f).returning)) != 0) {
    f.taken &= ~bit(at(f).returning);
    ++f.returned;
  }
}

template <class Visit>
void InsertionOrder::each_next(InsertionFrontier f, Visit&& visit) const {
  const Window& window = at(f);
  for (std::size_t i = 0; i < window.open.size(); ++i) {
    const Id id = window.open[i];
    if ((f.taken & bit(id)) != 0) continue;
    const bool has_better = std::ranges::any_of(window.open, [&](Id other) {
      return (f.taken & bit(other)) == 0 && is_better(all_[other], all_[id]);
    });
    if (!has_better) visit(id);
  }
}

inline void InsertionOrder::fail(Id id) { remove_everywhere(id); }

inline void InsertionOrder::remove_everywhere(Id id) {
  now_.remove(bit(id));
  for (auto it = past_.rbegin(); it != past_.rend() && it->at > all_[id].called; ++it) it->remove(bit(id));
  free_.push_back(id);
}

inline void InsertionOrder::forget(std::uint64_t returned) {
  for (; first_ < returned; ++first_) {
    free_.push_back(past_.front().returning);
    past_.pop_front();
  }
}

template <class States>
void InsertionOrder::forget_lost(States& states) {
  for (std::size_t i = now_.open.size(); i-- > 0;) {
    const Id id = now_.open[i];
    if (!all_[id].lost) continue;
    if (!std::ranges::all_of(states, [&](const auto& state) { return has(state.in, id); })) continue;
    const std::uint64_t slot = bit(id);
    remove_everywhere(id);
    for (auto& state : states) state.in.taken &= ~slot;
  }
}

}  // namespace plumb
