#include "testing/blame.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace plumb::testing {
namespace {

// Walks over all serial histories of what was called and returned that keep the observed order.
class Walk {
 public:
  Walk(const SerialTree& tree, const Layout& layout, const ObservedHistory& observed,
       std::uint64_t may_be_left_out)
      : tree_(tree), layout_(layout), observed_(observed), may_be_left_out_(may_be_left_out) {}

  // With at most `budget` results that differ; tells `end` of each such history.
  template <class End>
  void run(std::size_t budget, const End& end) {
    from(SerialTree::kRoot, 0, budget, [&](SerialTree::Node) { end(); });
  }
  // Those of all the others, with their results, after which `operation` blocks.
  template <class End>
  void run_until_blocked(std::size_t operation, const End& end) {
    without_ = std::uint64_t{1} << operation;
    const std::size_t process = layout_.process(operation);
    from(SerialTree::kRoot, 0, 0, [&](SerialTree::Node node) {
      if (layout_.first(process) + next_[process] != operation) return;
      const SerialTree::Node child = tree_.child(node, operation);
      if (child != SerialTree::kNone && tree_.blocks(child)) end();
    });
    without_ = 0;
  }
  [[nodiscard]] const std::vector<std::size_t>& order() const { return order_; }
  [[nodiscard]] const std::vector<Value>& results() const { return results_; }

 private:
  template <class End>
  void from(SerialTree::Node node, std::uint64_t done, std::size_t budget, const End& end) {
    if (done == (observed_.returned() & ~without_)) return end(node);
    for (std::size_t process = 0; process < layout_.processes(); ++process) {
      if (next_[process] == layout_.count(process)) continue;
      const std::size_t operation = layout_.first(process) + next_[process];
      const std::uint64_t bit = std::uint64_t{1} << operation;
      if (!observed_.returned(operation) || bit == without_) continue;
      if ((observed_.before(operation) & ~without_ & ~done) != 0) continue;
      if ((may_be_left_out_ & bit) != 0) {
        ++next_[process];
        from(node, done | bit, budget, end);
        --next_[process];
      }
      const SerialTree::Node child = tree_.child(node, operation);
      if (child == SerialTree::kNone || tree_.blocks(child)) continue;
      const std::size_t cost = tree_.result(child) == observed_.result(operation) ? 0 : 1;
      if (cost > budget) continue;
      ++next_[process];
      order_.push_back(operation);
      results_.push_back(tree_.result(child));
      from(child, done | bit, budget - cost, end);
      order_.pop_back();
      results_.pop_back();
      --next_[process];
    }
  }

  const SerialTree& tree_;
  const Layout& layout_;
  const ObservedHistory& observed_;
  std::uint64_t may_be_left_out_;
  std::array<std::size_t, kMaxTestThreads + 2> next_{};
  std::vector<std::size_t> order_;
  std::vector<Value> results_;
  std::uint64_t without_ = 0;  // the operation that is left out
};

// An operation that returned where serial runs of all the others leave it waiting: of several, the one that returned last.
void blame_a_return(Walk& walk, const ObservedHistory& observed, Blame& blame) {
  std::vector<std::size_t> closest;
  for (const Event event : observed.events()) {
    if (!event.is_return()) continue;
    walk.run_until_blocked(event.operation(), [&] {
      closest = walk.order();
      blame.closest_results = walk.results();
      blame.operation = event.operation();
    });
  }
  if (!blame.operation) return;
  blame.closest = std::move(closest);
  blame.closest.push_back(*blame.operation);
}

}  // namespace

Blame find_blame(const SerialTree& tree, const Layout& layout, const ObservedHistory& observed,
                 std::uint64_t may_be_left_out) {
  Blame blame;
  Walk walk(tree, layout, observed, may_be_left_out);
  struct Run {
    std::vector<std::size_t> order;
    std::vector<Value> results;
  };
  std::vector<std::vector<Value>> instead(layout.size());
  std::vector<Run> closest(layout.size());  // in which it is this operation that differs
  const auto operations = static_cast<std::size_t>(std::popcount(observed.returned()));
  for (std::size_t budget = 1; budget <= operations && blame.closest.empty(); ++budget) {
    walk.run(budget, [&] {
      if (blame.closest.empty()) {
        blame.closest = walk.order();
        blame.closest_results = walk.results();
      }
      if (budget > 1) return;
      for (std::size_t i = 0; i < walk.order().size(); ++i) {
        const std::size_t operation = walk.order()[i];
        auto& allowed = instead[operation];
        const Value result = walk.results()[i];
        if (result == observed.result(operation)) continue;
        if (allowed.empty()) closest[operation] = {walk.order(), walk.results()};
        if (std::find(allowed.begin(), allowed.end(), result) == allowed.end()) allowed.push_back(result);
      }
    });
  }
  // Of several, the one that returned last: what came before it is easier to accept.
  for (const Event event : observed.events()) {
    if (!event.is_return() || instead[event.operation()].empty()) continue;
    blame.operation = event.operation();
    blame.allowed = instead[event.operation()];
    blame.closest = closest[event.operation()].order;
    blame.closest_results = closest[event.operation()].results;
  }
  if (!blame.operation) blame_a_return(walk, observed, blame);
  return blame;
}

}  // namespace plumb::testing
