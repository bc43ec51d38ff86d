// Phase 1 of Line-Up: what the object does when its operations run one at a time. All serial histories of a scenario as a
// tree: a path is an order of operations; each node knows what its operation returned, or that it blocks there. Calls that may fail
// may be left out of a serial history: then they are not on its path.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "testing/observed_history.hpp"
#include "testing/reorderings.hpp"
#include "testing/scenario.hpp"

namespace plumb::testing {

class SerialTree {
 public:
  using Node = std::uint32_t;
  static constexpr Node kRoot = 0;
  static constexpr Node kNone = 0xFFFF'FFFF;

  // The layout must live longer. `may_be_left_out`: operations, as bits.
  explicit SerialTree(const Layout& layout, std::uint64_t may_be_left_out = 0);

  // Two serial histories that differ for the first time in what an operation returned, or whether it did.
  struct Contradiction {
    std::vector<std::size_t> order;  // operations up to the one that differs, which is the last
    std::optional<Value> before;     // nothing: it blocked
    std::optional<Value> now;
  };
  // Takes over what a serial execution did: calls and returns in turn; an open operation at the end is one that blocks.
  [[nodiscard]] std::optional<Contradiction> add(const ObservedHistory& observed);
  // The same for an order with its results; nothing for the last one: it blocks.
  [[nodiscard]] std::optional<Contradiction> add(const std::vector<std::size_t>& order,
                                                 const std::vector<std::optional<Value>>& results);

  [[nodiscard]] Node child(Node node, std::size_t operation) const {
    return children_[node * operations_ + operation];
  }
  [[nodiscard]] bool blocks(Node node) const { return nodes_[node].blocks; }
  [[nodiscard]] Value result(Node node) const { return nodes_[node].result; }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] std::vector<std::size_t> path(Node node) const;  // the operations that lead there

  // A point at which threads have calls left to make, and all of these block; nothing: threads that run this always come to their end.
  [[nodiscard]] std::optional<Node> dead_end() const;

  [[nodiscard]] std::uint64_t full() const { return full_; }    // serial histories that ran to their end
  [[nodiscard]] std::uint64_t stuck() const { return stuck_; }  // that ended with an operation that blocks

 private:
  struct Entry {
    Value result;
    bool blocks = false;
    Node parent = kNone;
    std::uint32_t operation = 0;
  };
  // What may come next of a process.
  struct Calls {
    bool blocks = false;       // some call does
    bool must_return = false;  // there is one, none blocks, and not all may be left out
  };
  [[nodiscard]] Calls calls_of(Node node, std::size_t process) const;

  const Layout* layout_;
  std::uint64_t may_be_left_out_;
  std::size_t operations_;
  std::vector<Entry> nodes_;
  std::vector<Node> children_;
  std::uint64_t full_ = 0;
  std::uint64_t stuck_ = 0;
};

// The tree as the judge of a history: a state is a node. All must live longer.
class TreeSteps final : public SerialSteps {
 public:
  // Makes the tree grow at this node by this operation, where it is made only as far as histories ask. Empty: it is whole.
  using Grow = std::function<void(SerialTree::Node node, std::size_t operation)>;

  TreeSteps(const SerialTree& tree, const ObservedHistory& observed, Grow grow = {})
      : tree_(tree), observed_(observed), grow_(std::move(grow)) {}
  StateId initial() override { return SerialTree::kRoot; }
  void step(StateId from, std::size_t operation, std::vector<StateId>& next) override;
  bool blocks(StateId state, std::size_t operation) override;

 private:
  [[nodiscard]] SerialTree::Node child(StateId node, std::size_t operation);

  const SerialTree& tree_;
  const ObservedHistory& observed_;
  Grow grow_;
};

}  // namespace plumb::testing
