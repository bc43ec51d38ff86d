#include "observe/blame.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace plumb::observe {
namespace {

// Walks over all serial histories of what was called and returned that keep the observed order.
class Walk {
 public:
  Walk(const SerialTree& tree, const Layout& layout, const Log& log)
      : tree_(tree), layout_(layout), log_(log) {}

  // With at most `budget` results that differ; tells `end` of each such history.
  template <class End>
  void run(std::size_t budget, const End& end) {
    from(SerialTree::kRoot, 0, budget, end);
  }
  [[nodiscard]] const std::vector<std::size_t>& order() const { return order_; }
  [[nodiscard]] const std::vector<Value>& results() const { return results_; }

 private:
  template <class End>
  void from(SerialTree::Node node, std::uint64_t done, std::size_t budget, const End& end) {
    if (done == log_.returned()) return end();
    for (std::size_t process = 0; process < tree_.processes(); ++process) {
      if (next_[process] == layout_.count(process)) continue;
      const std::size_t operation = layout_.first(process) + next_[process];
      if (!log_.returned(operation) || (log_.before(operation) & ~done) != 0) continue;
      const SerialTree::Node child = tree_.child(node, process);
      if (child == SerialTree::kNone || tree_.blocks(child)) continue;
      const std::size_t cost = tree_.result(child) == log_.result(operation) ? 0 : 1;
      if (cost > budget) continue;
      ++next_[process];
      order_.push_back(operation);
      results_.push_back(tree_.result(child));
      from(child, done | std::uint64_t{1} << operation, budget - cost, end);
      order_.pop_back();
      results_.pop_back();
      --next_[process];
    }
  }

  const SerialTree& tree_;
  const Layout& layout_;
  const Log& log_;
  std::array<std::size_t, kMaxTestThreads + 2> next_{};
  std::vector<std::size_t> order_;
  std::vector<Value> results_;
};

}  // namespace

Blame find_blame(const SerialTree& tree, const Layout& layout, const Log& log) {
  Blame blame;
  Walk walk(tree, layout, log);
  std::vector<std::vector<Value>> instead(layout.size());
  const auto operations = static_cast<std::size_t>(std::popcount(log.returned()));
  for (std::size_t budget = 1; budget <= operations && blame.closest.empty(); ++budget) {
    walk.run(budget, [&] {
      if (blame.closest.empty()) {
        blame.closest = walk.order();
        blame.closest_results = walk.results();
      }
      if (budget > 1) return;
      for (std::size_t i = 0; i < walk.order().size(); ++i) {
        auto& allowed = instead[walk.order()[i]];
        const Value result = walk.results()[i];
        if (result != log.result(walk.order()[i]) &&
            std::find(allowed.begin(), allowed.end(), result) == allowed.end())
          allowed.push_back(result);
      }
    });
  }
  // Of several, the one that returned last: what came before it is easier to accept.
  for (const Event event : log.events()) {
    if (!event.is_return() || instead[event.operation()].empty()) continue;
    blame.operation = event.operation();
    blame.allowed = instead[event.operation()];
  }
  return blame;
}

}  // namespace plumb::observe
