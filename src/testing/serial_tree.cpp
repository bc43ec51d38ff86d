#include "testing/serial_tree.hpp"

namespace plumb::testing {

SerialTree::SerialTree(const Layout& layout, std::uint64_t may_be_left_out)
    : layout_(&layout),
      may_be_left_out_(may_be_left_out),
      operations_(layout.size()),
      nodes_(1),
      children_(operations_, kNone) {}

std::optional<SerialTree::Contradiction> SerialTree::add(const ObservedHistory& observed) {
  std::vector<std::size_t> order;
  std::vector<std::optional<Value>> results;
  for (const Event event : observed.events()) {
    if (event.is_return()) continue;
    const std::size_t operation = event.operation();
    order.push_back(operation);
    results.push_back(observed.returned(operation) ? std::optional(observed.result(operation))
                                                   : std::nullopt);
  }
  return add(order, results);
}

std::optional<SerialTree::Contradiction> SerialTree::add(const std::vector<std::size_t>& order,
                                                         const std::vector<std::optional<Value>>& results) {
  Node at = kRoot;
  bool fresh = false;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Entry entry{.result = results[i].value_or(kNull),
                      .blocks = !results[i].has_value(),
                      .parent = at,
                      .operation = static_cast<std::uint32_t>(order[i])};
    Node next = child(at, order[i]);
    if (next == kNone) {
      next = static_cast<Node>(nodes_.size());
      nodes_.push_back(entry);
      children_.resize(children_.size() + operations_, kNone);
      children_[at * operations_ + order[i]] = next;
      fresh = true;
    } else if (nodes_[next].blocks != entry.blocks || nodes_[next].result != entry.result) {
      const Entry& known = nodes_[next];
      return Contradiction{.order = {order.begin(), order.begin() + static_cast<std::ptrdiff_t>(i) + 1},
                           .before = known.blocks ? std::nullopt : std::optional(known.result),
                           .now = results[i]};
    }
    at = next;
  }
  if (fresh) ++(nodes_[at].blocks ? stuck_ : full_);
  return std::nullopt;
}

std::vector<std::size_t> SerialTree::path(Node node) const {
  std::vector<std::size_t> operations;
  for (; node != kRoot; node = nodes_[node].parent) operations.push_back(nodes_[node].operation);
  return {operations.rbegin(), operations.rend()};
}

std::optional<SerialTree::Node> SerialTree::dead_end() const {
  for (Node node = 0; node < nodes_.size(); ++node) {
    if (nodes_[node].blocks) continue;
    bool calls = false;
    bool goes_on = false;
    for (std::size_t process = 0; process < layout_->processes() && !goes_on; ++process) {
      const auto all = calls_of(node, process);
      calls = calls || all.blocks;
      goes_on = all.must_return;
    }
    if (calls && !goes_on) return node;
  }
  return std::nullopt;
}

// A process that may leave calls out has several that may come next: it may stand still if one of them blocks.
SerialTree::Calls SerialTree::calls_of(Node node, std::size_t process) const {
  Calls all;
  bool needed = false;
  for (std::size_t i = 0; i < layout_->count(process); ++i) {
    const std::size_t operation = layout_->first(process) + i;
    const Node next = child(node, operation);
    if (next == kNone) continue;
    all.blocks = all.blocks || nodes_[next].blocks;
    needed = needed || (may_be_left_out_ >> operation & 1U) == 0;
  }
  all.must_return = needed && !all.blocks;
  return all;
}

SerialTree::Node TreeSteps::child(StateId node, std::size_t operation) {
  const SerialTree::Node known = tree_.child(node, operation);
  if (known != SerialTree::kNone || !grow_) return known;
  grow_(node, operation);
  return tree_.child(node, operation);
}

void TreeSteps::step(StateId from, std::size_t operation, std::vector<StateId>& next) {
  const SerialTree::Node to = child(from, operation);
  if (to != SerialTree::kNone && !tree_.blocks(to) && tree_.result(to) == observed_.result(operation))
    next.push_back(to);
}

bool TreeSteps::blocks(StateId state, std::size_t operation) {
  const SerialTree::Node to = child(state, operation);
  return to != SerialTree::kNone && tree_.blocks(to);
}

}  // namespace plumb::testing
