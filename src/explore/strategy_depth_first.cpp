#include "explore/strategy_depth_first.hpp"

namespace plumb::engine {

int prefer(int current, ThreadSet set) {
  return current >= 0 && (set & bit(current)) != 0 ? current : lowest(set);
}

Pick DepthFirst::pick(const SchedulingPoint& point, ThreadSet without) {
  if (single(point.enabled)) return lowest(point.enabled);
  if (depth_ == path_.size()) path_.push_back(open(point, without));
  Node& node = path_[depth_++];
  if (adopts_) node.signature = point.signature;
  if (node.signature != point.signature || node.enabled != point.enabled) return Stop::kNondeterministic;
  if ((point.enabled & bit(node.chosen)) == 0) return Stop::kReplayMismatch;
  if (!point.is_data_choice && running(point) >= 0 && node.chosen != running(point)) ++preemptions_;
  return node.chosen;
}

bool DepthFirst::end() {
  adopts_ = false;
  path_.resize(depth_);
  while (!path_.empty()) {
    Node& node = path_.back();
    node.left &= ~bit(node.chosen);
    if (node.left != 0) {
      node.chosen = lowest(node.left);
      return true;
    }
    path_.pop_back();
  }
  return false;
}

bool DepthFirst::next_round() {
  if (!cut_ || bound_ == limit_) return false;  // the bound left nothing out, or was the last
  cut_ = false;
  ++bound_;
  return true;
}

std::size_t DepthFirst::first_open() const {
  std::size_t at = 0;
  while (at < path_.size() && path_[at].left == bit(path_[at].chosen)) ++at;
  return at;
}

void DepthFirst::leave_last_part() {
  Node& node = path_[first_open()];
  node.left = bit(node.chosen);
}

void DepthFirst::keep_last_part() {
  path_.resize(first_open() + 1);
  Node& node = path_.back();
  node.left &= ~bit(node.chosen);
  node.chosen = lowest(node.left);
  cut_ = false;
  adopts_ = true;
}

DepthFirst::Node DepthFirst::open(const SchedulingPoint& point, ThreadSet without) {
  const ThreadSet within = point.is_data_choice ? point.enabled : allowed(point);
  if (within != point.enabled) cut_ = true;
  const ThreadSet left = within & ~without;
  return {.enabled = point.enabled,
          .left = left,
          .chosen = point.is_data_choice ? lowest(left) : prefer(point.current, left),
          .signature = point.signature};
}

std::unique_ptr<Strategy> depth_first(std::optional<int> preemptions) {
  return std::make_unique<DepthFirst>(preemptions.value_or(-1));
}

}  // namespace plumb::engine
