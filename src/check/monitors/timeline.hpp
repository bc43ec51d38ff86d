// Where operations take effect: in the gaps between the events of a part. Gap g lies just before event g.
//
// Monitors place operations in gaps, several in one, and say in which order those of a gap come.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/huge_pages.hpp"
#include "check/part.hpp"

namespace plumb {

// For each gap 0 … n whether something covers it; then, which gap is the next one that nothing covers.
class Coverage {
 public:
  explicit Coverage(std::size_t events) : change_(events + 2) {}

  // From the gap after event `from` up to the gap before event `to` (which may be later than every event).
  void cover(std::uint32_t from, std::uint32_t to) {
    if (from >= to) return;
    ++change_[from + 1];
    if (to + std::size_t{1} < change_.size()) --change_[to + std::size_t{1}];
  }

  // For each gap, the first uncovered gap at or after it; one past the last gap if there is none. In place.
  [[nodiscard]] std::vector<std::uint32_t> next_free() && {
    const std::size_t gaps = change_.size() - 1;
    for (std::size_t g = 1; g < gaps; ++g) change_[g] += change_[g - 1];
    change_[gaps] = static_cast<std::uint32_t>(gaps);
    for (std::size_t g = gaps; g-- > 0;)
      change_[g] = change_[g] == 0 ? static_cast<std::uint32_t>(g) : change_[g + 1];
    return std::move(change_);
  }

 private:
  std::vector<std::uint32_t> change_;  // of how many cover it, from the gap before; modulo 2^32
};

// Something that is surely there in the gaps after event `from` and up to event `to`.
struct Stay {
  std::uint32_t from;
  std::uint32_t to;
  std::uint32_t who;
};

// The fewest stays that together cover every gap between the events `call` and `ret`, in order; none if they do not.
[[nodiscard]] inline std::vector<std::uint32_t> covering_chain(std::vector<Stay> stays, std::uint32_t call,
                                                               std::uint32_t ret) {
  std::ranges::sort(stays, {}, &Stay::from);
  std::vector<std::uint32_t> chain;
  auto next = stays.begin();
  const Stay* best = nullptr;
  for (std::uint32_t at = call; at < ret; at = best->to) {
    for (; next != stays.end() && next->from <= at; ++next) {
      if (best == nullptr || next->to > best->to) best = &*next;
    }
    if (best == nullptr || best->to <= at) return {};
    chain.push_back(best->who);
  }
  return chain;
}

// An operation in its gap; within a gap the lower rank comes first.
struct Placed {
  std::uint32_t gap;
  std::uint32_t rank;
  OperationId operation;

  friend bool operator<(const Placed& a, const Placed& b) {
    return a.gap != b.gap ? a.gap < b.gap : a.rank < b.rank;
  }
};

// Placed operations in any order as a linearization: a counting sort by gap, and by rank within each gap.
[[nodiscard]] inline Linearization sort_placed(const Part& part, std::span<const Placed> placed) {
  struct Ranked {
    std::uint32_t rank;
    OperationId operation;
  };
  const std::size_t gaps = part.events.size() + 1;
  auto start = large_vector<std::uint32_t>(gaps + 1);
  for (const Placed& p : placed) ++start[p.gap + 1];
  for (std::size_t g = 1; g <= gaps; ++g) start[g] += start[g - 1];
  auto ranked = large_vector<Ranked>(placed.size());
  for (const Placed& p : placed) ranked[start[p.gap]++] = {p.rank, p.operation};  // then start is the end
  Linearization sorted = part.new_linearization();
  std::size_t at = 0;
  for (std::uint32_t gap = 0; gap < gaps; ++gap) {
    const auto in_gap = std::span(ranked).subspan(at, start[gap] - at);
    if (in_gap.size() > 1) std::ranges::sort(in_gap, {}, &Ranked::rank);
    for (const Ranked& r : in_gap) sorted.add(r.operation, gap);
    at = start[gap];
  }
  return sorted;
}

// An order as a linearization: each operation takes effect as early as it can.
[[nodiscard]] inline Linearization place_early(const Part& part, std::vector<OperationId> order) {
  if (part.positions.empty()) return Linearization(std::move(order));
  for (std::uint32_t at = 0; at < part.events.size(); ++at) {
    if (!part.events[at].is_return()) part.scratch[part.events[at].operation()] = at;
  }
  Linearization placed = part.new_linearization();
  std::uint32_t gap = 0;
  for (const OperationId op : order) {
    gap = std::max(gap, part.scratch[op] + 1);
    placed.add(op, gap);
  }
  return placed;
}

// Several lists of placed operations, each in order, as one linearization.
[[nodiscard]] inline Linearization merge_placed(const Part& part,
                                                std::span<const std::vector<Placed>> lists) {
  std::vector<std::size_t> next(lists.size());
  std::size_t total = 0;
  for (const auto& list : lists) total += list.size();
  Linearization merged = part.new_linearization();
  while (merged.size() < total) {
    std::size_t least = lists.size();
    for (std::size_t i = 0; i < lists.size(); ++i) {
      if (next[i] == lists[i].size()) continue;
      if (least == lists.size() || lists[i][next[i]] < lists[least][next[least]]) least = i;
    }
    const Placed& placed = lists[least][next[least]++];
    merged.add(placed.operation, placed.gap);
  }
  return merged;
}

}  // namespace plumb
