// Depth first over all schedules; with a bound, over those with at most so many preemptions, and the bound is deepened
// from 0 so that the simplest failure is found first (Musuvathi and Qadeer, PLDI 2007). A preemption is a change of threads
// although the running one could go on and did not yield.
#include <vector>

#include "explore/strategy.hpp"

namespace plumb::engine {

int prefer(int current, Options options) {
  return current >= 0 && (options & bit(current)) != 0 ? current : lowest(options);
}

namespace {

class DepthFirst final : public Strategy {
 public:
  explicit DepthFirst(int limit) : limit_(limit), bound_(limit < 0 ? -1 : 0) {}

  void begin() override {
    depth_ = 0;
    preemptions_ = 0;
  }

  int pick(const Choice& choice) override {
    if (single(choice.options)) return lowest(choice.options);
    if (depth_ == path_.size()) path_.push_back(open(choice));
    const Node& node = path_[depth_++];
    if (node.signature != choice.signature || node.options != choice.options) return kNondeterministic;
    if (costs(choice, node.chosen)) ++preemptions_;
    return node.chosen;
  }

  bool end() override {
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
    if (!cut_) return false;  // the bound left nothing out
    if (bound_ == limit_) return false;
    cut_ = false;
    ++bound_;
    return true;
  }

  bool complete() const override { return path_.empty(); }

 private:
  struct Node {
    Options options = 0;
    Options left = 0;  // still to be run, the chosen one included
    int chosen = 0;
    std::uint64_t signature = 0;
  };

  static bool costs(const Choice& choice, int chosen) {
    return !choice.outcome && !choice.voluntary && choice.current >= 0 && chosen != choice.current &&
           (choice.options & bit(choice.current)) != 0;
  }

  Node open(const Choice& choice) {
    Node node{
        .options = choice.options, .left = choice.options, .chosen = prefer(choice.current, choice.options)};
    node.signature = choice.signature;
    if (choice.outcome) {
      node.chosen = lowest(choice.options);
    } else if (bound_ >= 0 && preemptions_ >= bound_ && !choice.voluntary && node.chosen == choice.current) {
      cut_ |= node.left != bit(node.chosen);
      node.left = bit(node.chosen);
    }
    return node;
  }

  int limit_;
  int bound_;
  bool cut_ = false;  // the present bound left something out
  std::vector<Node> path_;
  std::size_t depth_ = 0;
  int preemptions_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> depth_first(int preemptions) { return std::make_unique<DepthFirst>(preemptions); }

}  // namespace plumb::engine
