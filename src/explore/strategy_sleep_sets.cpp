// Depth first with sleep sets (Godefroid, 1996): once a thread's step was explored here, it sleeps in the branches beside
// it until some step that does not commute with it is taken. Of each class of schedules that differ only in the order of
// independent steps exactly one is run to its end; where everybody sleeps, the execution is given up.
#include <vector>

#include "explore/strategy.hpp"

namespace plumb::engine {
namespace {

class SleepSets final : public Strategy {
 public:
  void begin() override {
    depth_ = 0;
    asleep_ = 0;
    needs_every_step_ = false;
    was_cut_ = false;
  }

  int pick(const Choice& choice) override {
    const int chosen = single(choice.options) && !choice.outcome ? only(choice) : branch(choice);
    needs_every_step_ = asleep_ != 0;
    return chosen;
  }

  bool ended_early() const override { return depth_ < path_.size(); }

  bool end() override {
    path_.resize(depth_);
    while (!path_.empty()) {
      Node& node = path_.back();
      node.left &= ~bit(node.chosen);
      node.done |= bit(node.chosen);
      if (node.left != 0) {
        node.chosen = lowest(node.left);
        return true;
      }
      path_.pop_back();
    }
    return false;
  }

  bool complete() const override { return path_.empty(); }

  void confine(const Prefix& prefix) override { prefix_ = prefix; }
  void cut_at(std::size_t depth) override { most_ = depth; }
  bool was_cut() const override { return was_cut_; }
  Prefix prefix() const override {
    Prefix prefix;
    for (const Node& node : path_)
      prefix.push_back({.chosen = static_cast<std::uint8_t>(node.chosen), .done = node.done});
    return prefix;
  }

 private:
  struct Node {
    Options options = 0;
    Options left = 0;  // still to be run, the chosen one included
    Options done = 0;
    Options asleep = 0;
    Options asleep_after = 0;
    int chosen = 0;
    std::uint64_t signature = 0;
  };

  // Nothing to choose, but it may be asleep, or wake who is.
  int only(const Choice& choice) {
    if ((asleep_ & choice.options) != 0) return kGiveUp;
    asleep_ = still_asleep(asleep_, choice, lowest(choice.options));
    return lowest(choice.options);
  }

  int branch(const Choice& choice) {
    if (depth_ == path_.size()) {
      const Options awake = choice.outcome ? choice.options : choice.options & ~asleep_;
      if (awake == 0) return kGiveUp;
      if (depth_ == most_) {
        was_cut_ = true;
        return kGiveUp;
      }
      const int first = choice.outcome ? lowest(awake) : prefer(choice.current, awake);
      path_.push_back({.options = choice.options,
                       .left = awake,
                       .asleep = asleep_,
                       .chosen = first,
                       .signature = choice.signature});
      if (depth_ < prefix_.size()) {
        path_.back().chosen = prefix_[depth_].chosen;
        path_.back().left = bit(prefix_[depth_].chosen);
        path_.back().done = prefix_[depth_].done;
      }
    }
    Node& node = path_[depth_++];
    if (node.signature != choice.signature || node.options != choice.options) return kNondeterministic;
    if ((choice.options & bit(node.chosen)) == 0) return kDoesNotFit;
    if (!choice.outcome && depth_ == path_.size())
      node.asleep_after = still_asleep(node.asleep | node.done, choice, node.chosen);
    asleep_ = choice.outcome ? node.asleep : node.asleep_after;
    return node.chosen;
  }

  // Those who do not mind the step that is taken.
  static Options still_asleep(Options sleepers, const Choice& choice, int chosen) {
    Options after = 0;
    const auto& taken = *(*choice.next)[static_cast<std::size_t>(chosen)];
    for (Options left = sleepers & ~bit(chosen); left != 0; left &= left - 1) {
      const int thread = lowest(left);
      if (!runtime::dependent(*(*choice.next)[static_cast<std::size_t>(thread)], taken)) after |= bit(thread);
    }
    return after;
  }

  std::vector<Node> path_;
  std::size_t depth_ = 0;
  Options asleep_ = 0;
  Prefix prefix_;
  std::size_t most_ = ~std::size_t{0};
  bool was_cut_ = false;
};

}  // namespace

std::unique_ptr<Strategy> sleep_sets() { return std::make_unique<SleepSets>(); }

}  // namespace plumb::engine
