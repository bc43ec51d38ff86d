#include "explore/strategy_depth_first.hpp"

namespace plumb::engine {

int prefer(int current, ThreadSet set) {
  return current >= 0 && (set & bit(current)) != 0 ? current : lowest(set);
}

Pick DepthFirst::pick(const SchedulingPoint& point, ThreadSet without) {
  if (single(point.enabled)) return lowest(point.enabled);
  if (depth_ == path_.size()) {
    if (depth_ == depth_limit_) {
      hit_depth_limit_ = true;
      return Stop::kRedundant;
    }
    path_.push_back(depth_ < prefix_.size() ? given(point) : open(point, without));
  }
  const Node& node = path_[depth_++];
  if (node.signature != point.signature || node.enabled != point.enabled) return Stop::kNondeterministic;
  if ((point.enabled & bit(node.chosen)) == 0) return Stop::kReplayMismatch;
  if (!point.is_data_choice && running(point) >= 0 && node.chosen != running(point)) ++preemptions_;
  return node.chosen;
}

bool DepthFirst::end() {
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
  if (!cut_ || bound_ == limit_) return false;  // the bound left nothing out, or was the last
  cut_ = false;
  ++bound_;
  return true;
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

DepthFirst::Node DepthFirst::given(const SchedulingPoint& point) const {
  const int chosen = prefix_[depth_].chosen;
  return {.enabled = point.enabled, .left = bit(chosen), .chosen = chosen, .signature = point.signature};
}

Prefix DepthFirst::prefix() const {
  Prefix prefix;
  for (const Node& node : path_) prefix.push_back({.chosen = static_cast<std::uint8_t>(node.chosen)});
  return prefix;
}

std::unique_ptr<Strategy> depth_first(std::optional<int> preemptions) {
  return std::make_unique<DepthFirst>(preemptions.value_or(-1));
}

}  // namespace plumb::engine
