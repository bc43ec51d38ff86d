// Algorithm 1 of "Checking Linearizability Using Hitting Families" to the letter, one schedule index at a
// time, and the definitions it is to fulfil. What the engine is held against.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "check/hitting/hitting_family.hpp"

namespace plumb::test {

using Tuple = std::vector<std::uint32_t>;

// Every tuple of `length` different operations.
inline void for_each_tuple(std::size_t operations, std::size_t length,
                           const std::function<void(const Tuple&)>& tell, Tuple tuple = {}) {
  if (tuple.size() == length) return tell(tuple);
  for (std::uint32_t x = 0; x < operations; ++x) {
    if (std::ranges::find(tuple, x) != tuple.end()) continue;
    tuple.push_back(x);
    for_each_tuple(operations, length, tell, tuple);
    tuple.pop_back();
  }
}

class AlgorithmOne {
 public:
  explicit AlgorithmOne(const HittingPoset& poset) : poset_(poset) {}

  // The schedule of one index. A pending operation takes part only if the index names it or its chain.
  [[nodiscard]] Schedule schedule(std::uint32_t chain, const Tuple& x) const {
    Schedule schedule;
    for (std::uint32_t op = 0; op < poset_.size(); ++op) insert(schedule, op, chain, x);
    return schedule;
  }

  [[nodiscard]] std::set<Schedule> family(unsigned depth) const {
    std::set<Schedule> all;
    for (std::uint32_t chain = 0; chain < poset_.chains; ++chain) {
      for_each_tuple(poset_.size(), depth - 1, [&](const Tuple& x) { all.insert(schedule(chain, x)); });
    }
    return all;
  }

 private:
  // The lines of the paper, indices from 0.
  void insert(Schedule& schedule, std::uint32_t op, std::uint32_t chain, const Tuple& x) const {
    std::vector<std::size_t> inserted;  // i_1, …, i_l
    for (std::size_t k = 0; k < x.size(); ++k) {
      if (std::ranges::find(schedule, x[k]) != schedule.end()) inserted.push_back(k);
    }
    const auto concurrent_from = [&](std::size_t j) {
      return std::all_of(inserted.begin() + static_cast<std::ptrdiff_t>(j), inserted.end(),
                         [&](std::size_t k) { return !poset_.precedes(x[k], op); });
    };
    const auto insert_before = [&](std::uint32_t other) {
      schedule.insert(std::ranges::find(schedule, other), op);
    };
    const auto named = std::ranges::find(x, op);
    const bool after_last = inserted.empty() || poset_.precedes(x[inserted.back()], op);
    if (named != x.end()) {
      const auto i = static_cast<std::size_t>(named - x.begin());
      if (after_last || i > inserted.back()) return schedule.push_back(op);
      std::size_t j = 0;
      while (inserted[j] <= i || !concurrent_from(j)) ++j;
      return insert_before(x[inserted[j]]);
    }
    if (poset_.operations[op].chain == chain) {
      if (after_last) return schedule.push_back(op);
      std::size_t j = 0;
      while (!concurrent_from(j)) ++j;
      return insert_before(x[inserted[j]]);
    }
    if (poset_.operations[op].is_pending) return;
    auto place = schedule.begin();
    for (auto at = schedule.begin(); at != schedule.end(); ++at) {
      if (poset_.precedes(*at, op)) place = at + 1;
    }
    schedule.insert(place, op);
  }

  const HittingPoset& poset_;
};

inline bool is_linear_extension(const HittingPoset& poset, const Schedule& schedule) {
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    for (std::size_t k = i + 1; k < schedule.size(); ++k) {
      if (schedule[i] == schedule[k] || poset.precedes(schedule[k], schedule[i])) return false;
    }
  }
  return true;
}

// Definition 4.1: what comes after x_i in the schedule comes, in the poset, after x_i or an x
// of higher rank, or is one.
inline bool strongly_hits(const HittingPoset& poset, const Schedule& schedule, const Tuple& x) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (auto y = std::ranges::find(schedule, x[i]); y != schedule.end(); ++y) {
      const bool fine =
          std::any_of(x.begin() + static_cast<std::ptrdiff_t>(i), x.end(),
                      [&](std::uint32_t later) { return later == *y || poset.precedes(later, *y); });
      if (!fine) return false;
    }
  }
  return true;
}

}  // namespace plumb::test
