// The stack monitor: O(n log n) for histories in which no value is pushed twice (LiMo's is quadratic).
//
// A value whose push and pop overlap can go in and out at one moment and constrains nothing. Of the others, values
// whose sure stays hang together in time form a group; between groups the stack can be empty, and a pop of empty needs
// such a moment. A group can be explained exactly if some value can lie at the bottom of all the others: its push may
// come before every other value of the group is surely in, and its pop after every pop of the group was called. Take
// it away; the rest falls into smaller groups; go on with each (LiMo, section 5; any such value will do).
//
// What makes it fast: values are numbered by the return of their push, so that a group is a range of numbers. The
// moments that make a value fit for the bottom of its group only get closer as groups shrink, so that each of its two
// conditions is found fulfilled once (MaxTree), and the gaps that open when a value is taken away are the zeros in a
// count of covering stays (CoverTree).
//
// A pending pop may have taken a value that nobody else popped. A linearization without that is one all the same; a
// group or a chain that cannot be explained without such values is a violation; otherwise the search decides.
#include <algorithm>
#include <array>
#include <utility>

#include "base/huge_pages.hpp"
#include "check/monitors/empties.hpp"
#include "check/monitors/lifetimes.hpp"
#include "check/monitors/monitor.hpp"
#include "check/monitors/range_trees.hpp"
#include "check/monitors/timeline.hpp"

namespace plumb {
namespace {

// Values first … last of a group, and the rest of them is out of the way.
struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

// Explains one group of values whose sure stays hang together.
class GroupSolver {
 public:
  // The values by return of push. Appends the operations in their gaps; false if the group cannot be explained, then
  // stuck() are the values of the smallest group met that has no bottom.
  bool solve(std::span<const Lifetime> group, std::vector<Placed>& out) {
    group_ = group;
    out_ = &out;
    prepare();
    tasks_.assign(1, {.range = {0, static_cast<std::uint32_t>(group.size() - 1)}});
    while (!tasks_.empty()) {
      const Task task = tasks_.back();
      tasks_.pop_back();
      if (task.pop != kNoPop) {
        place(group_[task.pop].removal(), task.gap);
      } else if (!take_bottom(task.range)) {
        stuck_ = task.range;
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] std::vector<Lifetime> stuck() const {
    std::vector<Lifetime> values;
    for (std::size_t v = left_.next(stuck_.first); v <= stuck_.last; v = left_.next(v + 1))
      values.push_back(group_[v]);
    return values;
  }

 private:
  static constexpr std::uint32_t kNoPop = ~std::uint32_t{0};
  // Either a range of values to explain, or a pop to place after what lies above its value.
  struct Task {
    Range range = {};
    std::uint32_t pop = kNoPop;
    std::uint32_t gap = 0;
  };

  void prepare() {
    const auto count = static_cast<std::uint32_t>(group_.size());
    for (MaxTree* tree : {&early_, &late_, &pops_}) tree->reset(count);
    for (PositionSet* set : {&left_, &bottoms_}) set->reset(count);
    fit_.assign(count, 0);
    std::vector<std::int32_t> cover(count + 1);
    for (std::uint32_t v = 0; v < count; ++v) {
      early_.set_at_first(v, ~group_[v].ic());
      late_.set_at_first(v, group_[v].rr());
      pops_.set_at_first(v, group_[v].rc());
      left_.insert(v);
      ++cover[v + 1 <= last_covered(v) ? v + 1 : count];
      --cover[v + 1 <= last_covered(v) ? last_covered(v) + 1 : count];
    }
    for (MaxTree* tree : {&early_, &late_, &pops_}) tree->build();
    for (std::uint32_t v = 1; v < count; ++v) cover[v] += cover[v - 1];
    cover.resize(count);
    cover_.reset(cover);
  }

  // The last value whose push returns before v's pop is called; at least v itself.
  [[nodiscard]] std::uint32_t last_covered(std::uint32_t v) const {
    const auto it = std::ranges::lower_bound(group_, group_[v].rc(), {}, &Lifetime::ir);
    return static_cast<std::uint32_t>(it - group_.begin()) - 1;
  }

  // Puts a value that fits at the bottom of the range, and what is above it on the list of things to do.
  bool take_bottom(Range range) {
    const std::uint32_t start = group_[range.first].ir();
    const std::uint32_t end = pops_.greatest(range.first, range.last).number;
    find_fit(range, start, end);
    const std::size_t found = bottoms_.next(range.first);
    if (found > range.last) return false;
    const auto bottom = static_cast<std::uint32_t>(found);
    place(group_[bottom].insertion(), start);
    if (!group_[bottom].stays()) tasks_.push_back({.pop = bottom, .gap = end + 1});
    take_away(bottom);
    split(range);
    return true;
  }

  // A value that is pushed early enough, or popped late enough, is so in every smaller group too.
  void find_fit(Range range, std::uint32_t start, std::uint32_t end) {
    const auto fits = [&](MaxTree& tree, std::uint32_t v) {
      tree.clear(v);
      if (++fit_[v] == 2) bottoms_.insert(v);
    };
    for (auto e = early_.greatest(range.first, range.last); ~e.number < start;
         e = early_.greatest(range.first, range.last)) {
      fits(early_, e.position);
    }
    for (auto e = late_.greatest(range.first, range.last); e.number > end;
         e = late_.greatest(range.first, range.last)) {
      fits(late_, e.position);
    }
  }

  void take_away(std::uint32_t v) {
    left_.erase(v);
    bottoms_.erase(v);
    pops_.clear(v);
    cover_.add(v + 1, last_covered(v), -1);
    cover_.retire(v);
  }

  // What is left of the range, as groups: a new one begins at each value that no earlier one of the range covers. The
  // first is to be done first, so it goes on top.
  void split(Range range) {
    const std::size_t first = left_.next(range.first);
    if (first > range.last) return;
    const std::size_t bottom_of_pile = tasks_.size();
    std::size_t start = first;
    while (start <= range.last) {
      const std::size_t next = cover_.first_zero(start + 1, range.last);
      tasks_.push_back({.range = {static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(next - 1)}});
      start = next;
    }
    std::reverse(tasks_.begin() + static_cast<std::ptrdiff_t>(bottom_of_pile), tasks_.end());
  }

  void place(OperationId operation, std::uint32_t gap) {
    out_->push_back({gap, static_cast<std::uint32_t>(2 * out_->size() + 1), operation});
  }

  std::span<const Lifetime> group_;
  std::vector<Placed>* out_ = nullptr;
  std::vector<Task> tasks_;
  MaxTree early_;    // by call of push, complemented: the values not yet known to be pushed early enough
  MaxTree late_;     // by return of pop: the values not yet known to be popped late enough
  MaxTree pops_;     // by call of pop: the values left
  CoverTree cover_;  // by value left: how many others are surely inside when its push returns
  PositionSet left_;
  PositionSet bottoms_;  // values left that fit at the bottom of their group
  std::vector<std::uint8_t> fit_;
  Range stuck_ = {};
};

class StackMonitor {
 public:
  explicit StackMonitor(const Part& part) : part_(part), lives_(Lifetimes::of(part)) {}

  MonitorVerdict run() {
    if (!lives_.unsuitable.empty()) return MonitorVerdict::not_applicable(lives_.unsuitable);
    if (!lives_.impossible.empty()) return MonitorVerdict::violation(lives_.impossible);
    sort_values();
    if (const EmptyRemoval* blocked =
            place_empties(lives_.empties_by_return(), values_, part_.events.size(), empties_)) {
      return blocked_empty(*blocked);
    }
    if (auto core = solve_groups(); !core.empty()) return core_of(core);
    return MonitorVerdict::linearizable(
        merge_placed(part_, std::array{std::move(momentary_), std::move(stacked_), std::move(empties_)}));
  }

 private:
  // By return of push; those that can go in and out at one moment do so, one right after the other.
  void sort_values() {
    for (std::uint32_t at = 0; at < part_.events.size(); ++at) {
      const std::uint32_t who = lives_.who[part_.events[at].operation()];
      if (who >= Lifetimes::kEmpty) continue;
      const Lifetime& l = lives_.values[who / 2];
      if (!l.may_be_momentary()) {
        if (l.ir() == at) values_.push_back(l);
      } else if (l.out_from() == at) {
        momentary_.push_back({at + 1, 0, l.insertion()});
        momentary_.push_back({at + 1, 0, l.removal()});
      }
    }
    lives_.values = {};  // large, and not needed any more
    reserve_large(stacked_, 2 * values_.size());
  }

  // The values of a group that cannot be explained, if there is one.
  std::vector<Lifetime> solve_groups() {
    GroupSolver solver;
    for (std::size_t first = 0; first < values_.size();) {
      const std::size_t next = end_of_group(first);
      rank_at_start_of_group(first);
      if (!solver.solve(std::span(values_).subspan(first, next - first), stacked_)) return solver.stuck();
      first = next;
    }
    rank_at_start_of_group(values_.size());
    return {};
  }

  [[nodiscard]] MonitorVerdict blocked_empty(const EmptyRemoval& e) const {
    std::vector<Lifetime> chain;
    for (const std::uint32_t v : values_that_block(e, values_)) chain.push_back(values_[v]);
    MonitorVerdict verdict = core_of(chain);
    verdict.core.push_back(e.operation);
    return verdict;
  }

  [[nodiscard]] std::size_t end_of_group(std::size_t first) const {
    std::uint32_t until = values_[first].rc();
    std::size_t next = first + 1;
    for (; next < values_.size() && values_[next].ir() < until; ++next)
      until = std::max(until, values_[next].rc());
    return next;
  }

  // Pops of empty that come before this group and after the one before it stand between the two.
  void rank_at_start_of_group(std::size_t first) {
    const std::uint32_t start = first == values_.size() ? kGone : values_[first].ir();
    for (; ranked_ < empties_.size() && empties_[ranked_].gap <= start; ++ranked_) {
      empties_[ranked_].rank = static_cast<std::uint32_t>(2 * stacked_.size());
    }
  }

  [[nodiscard]] MonitorVerdict core_of(std::span<const Lifetime> values) const {
    std::vector<OperationId> core;
    for (const Lifetime& l : values) {
      core.push_back(l.insertion());
      if (!l.stays()) {
        core.push_back(l.removal());
      } else if (!lives_.pending.empty()) {
        return MonitorVerdict::not_applicable("pending pops may have taken values that no other popped");
      }
    }
    return MonitorVerdict::violation(std::move(core));
  }

  const Part& part_;
  Lifetimes lives_;
  std::vector<Lifetime> values_;  // those that are surely inside at some moment, by return of push
  std::vector<Placed> momentary_;
  std::vector<Placed> stacked_;
  std::vector<Placed> empties_;
  std::size_t ranked_ = 0;
};

}  // namespace

MonitorVerdict monitor_stack(const Part& part) { return StackMonitor(part).run(); }

}  // namespace plumb
