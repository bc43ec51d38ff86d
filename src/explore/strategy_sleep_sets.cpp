// Depth first with sleep sets (Godefroid, 1996): once a thread's step was explored here, it sleeps in the branches beside
// it until some step that does not commute with it is taken. Of each class of schedules that differ only in the order of
// independent steps exactly one is run to its end; where every enabled thread sleeps, the execution is pruned.
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
  }

  Pick pick(const SchedulingPoint& point) override {
    const Pick picked = single(point.enabled) && !point.is_data_choice ? only(point) : branch(point);
    needs_every_step_ = asleep_ != 0;
    return picked;
  }

  bool ended_early() const override { return depth_ < path_.size(); }

  bool end() override {
    adopts_ = false;
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

  bool can_be_split() const override { return first_open() < path_.size(); }
  void leave_last_part() override {
    Node& node = path_[first_open()];
    node.left = bit(node.chosen);
  }
  // What is chosen first there is run elsewhere, and sleeps here as if it had been run before.
  void keep_last_part() override {
    path_.resize(first_open() + 1);
    Node& node = path_.back();
    node.left &= ~bit(node.chosen);
    node.done |= bit(node.chosen);
    node.chosen = lowest(node.left);
    adopts_ = true;
  }

 private:
  struct Node {
    ThreadSet enabled = 0;
    ThreadSet left = 0;  // still to be run, the chosen one included
    ThreadSet done = 0;
    ThreadSet asleep = 0;
    ThreadSet asleep_after = 0;
    int chosen = 0;
    std::uint64_t signature = 0;
  };

  // Nothing to choose, but the thread may be asleep, or wake one that is.
  Pick only(const SchedulingPoint& point) {
    if ((asleep_ & point.enabled) != 0) return Stop::kRedundant;
    asleep_ = still_asleep(asleep_, point, lowest(point.enabled));
    return lowest(point.enabled);
  }

  Pick branch(const SchedulingPoint& point) {
    if (depth_ == path_.size()) {
      const ThreadSet awake = point.is_data_choice ? point.enabled : point.enabled & ~asleep_;
      if (awake == 0) return Stop::kRedundant;
      const int first = point.is_data_choice ? lowest(awake) : prefer(point.current, awake);
      path_.push_back({.enabled = point.enabled,
                       .left = awake,
                       .asleep = asleep_,
                       .chosen = first,
                       .signature = point.signature});
    }
    Node& node = path_[depth_++];
    if (adopts_) node.signature = point.signature;
    if (node.signature != point.signature || node.enabled != point.enabled) return Stop::kNondeterministic;
    if ((point.enabled & bit(node.chosen)) == 0) return Stop::kReplayMismatch;
    if (!point.is_data_choice && depth_ == path_.size())
      node.asleep_after = still_asleep(node.asleep | node.done, point, node.chosen);
    asleep_ = point.is_data_choice ? node.asleep : node.asleep_after;
    return node.chosen;
  }

  // Those whose steps commute with the one that is taken.
  static ThreadSet still_asleep(ThreadSet sleepers, const SchedulingPoint& point, int chosen) {
    ThreadSet after = 0;
    const auto& taken = *(*point.next)[static_cast<std::size_t>(chosen)];
    for (ThreadSet left = sleepers & ~bit(chosen); left != 0; left &= left - 1) {
      const int thread = lowest(left);
      if (!runtime::dependent(*(*point.next)[static_cast<std::size_t>(thread)], taken)) after |= bit(thread);
    }
    return after;
  }

  // The first choice that is to be made otherwise after this one; beyond the path: there is none.
  std::size_t first_open() const {
    std::size_t at = 0;
    while (at < path_.size() && path_[at].left == bit(path_[at].chosen)) ++at;
    return at;
  }

  std::vector<Node> path_;
  std::size_t depth_ = 0;
  ThreadSet asleep_ = 0;
  bool adopts_ =
      false;  // thread-local variables may lie elsewhere than when the path was made, in another process
};

}  // namespace

std::unique_ptr<Strategy> sleep_sets() { return std::make_unique<SleepSets>(); }

}  // namespace plumb::engine
