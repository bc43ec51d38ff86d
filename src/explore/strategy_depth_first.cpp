#include "explore/strategy_depth_first.hpp"

namespace plumb::engine {

int prefer(int current, Options options) {
  return current >= 0 && (options & bit(current)) != 0 ? current : lowest(options);
}

int DepthFirst::pick(const Choice& choice, Options without) {
  if (single(choice.options)) return lowest(choice.options);
  if (depth_ == path_.size()) {
    if (depth_ == most_) {
      was_cut_ = true;
      return kGiveUp;
    }
    path_.push_back(depth_ < prefix_.size() ? given(choice) : open(choice, without));
  }
  const Node& node = path_[depth_++];
  if (node.signature != choice.signature || node.options != choice.options) return kNondeterministic;
  if ((choice.options & bit(node.chosen)) == 0) return kDoesNotFit;
  if (!choice.outcome && running(choice) >= 0 && node.chosen != running(choice)) ++preemptions_;
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

DepthFirst::Node DepthFirst::open(const Choice& choice, Options without) {
  const Options within = choice.outcome ? choice.options : allowed(choice);
  if (within != choice.options) cut_ = true;
  const Options left = within & ~without;
  return {.options = choice.options,
          .left = left,
          .chosen = choice.outcome ? lowest(left) : prefer(choice.current, left),
          .signature = choice.signature};
}

DepthFirst::Node DepthFirst::given(const Choice& choice) const {
  const int chosen = prefix_[depth_].chosen;
  return {.options = choice.options, .left = bit(chosen), .chosen = chosen, .signature = choice.signature};
}

Prefix DepthFirst::prefix() const {
  Prefix prefix;
  for (const Node& node : path_) prefix.push_back({.chosen = static_cast<std::uint8_t>(node.chosen)});
  return prefix;
}

std::unique_ptr<Strategy> depth_first(int preemptions) { return std::make_unique<DepthFirst>(preemptions); }

}  // namespace plumb::engine
