// All tiny histories of some given operations: every way in which their calls and returns can lie in time.
//
// Only what comes before what matters: time goes in runs of calls and runs of returns, in turn, and the order
// within a run is free. It is drawn anew for each history, so that no engine lives on one particular order.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "base/rng.hpp"
#include "support/tiny.hpp"

namespace plumb::test {

// An operation to be placed in time.
struct TinyLetter {
  TinyCall call;
  TinyResult result = kNothing;
  bool may_return = true;
  bool may_pend = false;
  int process = -1;      // -1: one of its own; else after the letters of this process that stand before it
  std::size_t most = 9;  // how often it may occur
};

class TinyPlacements {
 public:
  explicit TinyPlacements(std::function<void(const TinyHistory&)> visit) : visit_(std::move(visit)) {}

  // `first_of[i]`: an operation that is to be called no later than i, because the two are
  // interchangeable; i: none.
  void run(const std::vector<TinyLetter>& letters, const std::vector<std::size_t>& first_of) {
    letters_ = &letters;
    first_of_ = &first_of;
    all_ = (1U << letters.size()) - 1;
    history_.clear();
    for (std::size_t i = 0; i < letters.size(); ++i) {
      const int process = letters[i].process < 0 ? static_cast<int>(i) : letters[i].process;
      history_.push_back({letters[i].call, letters[i].result, 0, kNever, process});
    }
    place_calls(0, 0, 0);
  }

 private:
  static constexpr Time kRun = 16;  // moments in a run

  [[nodiscard]] static bool has(std::uint32_t set, std::size_t i) { return (set >> i & 1U) != 0; }

  void place_calls(Time run, std::uint32_t called, std::uint32_t returned) {
    const std::uint32_t ready = can_be_called(called, returned);
    for (std::uint32_t chosen = ready; chosen != 0; chosen = (chosen - 1) & ready) {
      if (!in_order(chosen, called)) continue;
      for (std::size_t i = 0; i < history_.size(); ++i) {
        if (has(chosen, i)) history_[i].called = run * kRun;
      }
      place_returns(run + 1, called | chosen, returned);
    }
  }

  void place_returns(Time run, std::uint32_t called, std::uint32_t returned) {
    const std::uint32_t open = called & ~returned;
    std::uint32_t chosen = open & those(&TinyLetter::may_return);
    const std::uint32_t can = chosen;
    while (true) {
      const std::uint32_t left = open & ~chosen;
      if (called == all_ && (left & ~those(&TinyLetter::may_pend)) == 0) {
        set_returns(chosen, run * kRun);
        show();
      } else if (called != all_ && chosen != 0) {
        set_returns(chosen, run * kRun);
        place_calls(run + 1, called, returned | chosen);
      }
      set_returns(chosen, kNever);
      if (chosen == 0) break;
      chosen = (chosen - 1) & can;
    }
  }

  void set_returns(std::uint32_t chosen, Time time) {
    for (std::size_t i = 0; i < history_.size(); ++i) {
      if (has(chosen, i)) history_[i].returned = time;
    }
  }

  [[nodiscard]] std::uint32_t those(bool TinyLetter::*member) const {
    std::uint32_t set = 0;
    for (std::size_t i = 0; i < letters_->size(); ++i) set |= (*letters_)[i].*member ? 1U << i : 0U;
    return set;
  }

  // Not those whose process is busy or has others to call first.
  [[nodiscard]] std::uint32_t can_be_called(std::uint32_t called, std::uint32_t returned) const {
    std::uint32_t set = all_ & ~called;
    for (std::size_t i = 0; i < history_.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (history_[j].process == history_[i].process && !has(returned, j)) set &= ~(1U << i);
      }
    }
    return set;
  }

  [[nodiscard]] bool in_order(std::uint32_t chosen, std::uint32_t called) const {
    for (std::size_t i = 0; i < history_.size(); ++i) {
      const std::size_t first = (*first_of_)[i];
      if (has(chosen, i) && first != i && !has(called | chosen, first)) return false;
    }
    return true;
  }

  // With moments of their own within each run.
  void show() {
    TinyHistory drawn = history_;
    std::vector<Time> moments(drawn.size());
    for (Time TinyOp::*time : {&TinyOp::called, &TinyOp::returned}) {
      for (std::size_t i = 0; i < drawn.size(); ++i) {
        const auto at = static_cast<std::size_t>(rng_.below(i + 1));
        moments[i] = moments[at];
        moments[at] = static_cast<Time>(i);
      }
      for (std::size_t i = 0; i < drawn.size(); ++i) {
        if (drawn[i].*time != kNever) drawn[i].*time += moments[i];
      }
    }
    visit_(drawn);
  }

  std::function<void(const TinyHistory&)> visit_;
  const std::vector<TinyLetter>* letters_ = nullptr;
  const std::vector<std::size_t>* first_of_ = nullptr;
  std::uint32_t all_ = 0;
  TinyHistory history_;
  Rng rng_{1};
};

// Calls `visit` with every choice of exactly `count` of the letters, as numbers in ascending order.
class TinyChoices {
 public:
  TinyChoices(const std::vector<TinyLetter>& letters,
              std::function<void(const std::vector<std::size_t>&)> visit)
      : letters_(letters), visit_(std::move(visit)) {}

  void run(std::size_t count) { choose(0, count); }

 private:
  void choose(std::size_t first, std::size_t count) {
    if (count == 0) return visit_(chosen_);
    if (first == letters_.size()) return;
    const std::size_t before = chosen_.size();
    for (std::size_t times = 0; times <= std::min(count, letters_[first].most); ++times) {
      if (times != 0) chosen_.push_back(first);
      choose(first + 1, count - times);
    }
    chosen_.resize(before);
  }

  const std::vector<TinyLetter>& letters_;
  std::function<void(const std::vector<std::size_t>&)> visit_;
  std::vector<std::size_t> chosen_;
};

}  // namespace plumb::test
