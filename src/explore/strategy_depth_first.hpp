// Depth first over all schedules; with a bound, over those with at most so many preemptions, and the bound is deepened
// from 0 so that the simplest failure is found first (Musuvathi and Qadeer, PLDI 2007). A preemption is a change of threads
// although the running one is enabled and does not yield.
#pragma once

#include <vector>

#include "explore/strategy.hpp"

namespace plumb::engine {

// The running thread if it is enabled here and does not yield, so that a change to another one is a preemption; else -1.
inline int running(const SchedulingPoint& point) {
  const bool is_enabled = point.current >= 0 && (point.enabled & bit(point.current)) != 0;
  return is_enabled && !point.is_yielding ? point.current : -1;
}

class DepthFirst final : public Strategy {
 public:
  // -1: any number of preemptions.
  explicit DepthFirst(int limit) : limit_(limit), bound_(limit < 0 ? -1 : 0) {}

  void begin() override {
    depth_ = 0;
    preemptions_ = 0;
  }
  Pick pick(const SchedulingPoint& point) override { return pick(point, 0); }
  Pick pick(const SchedulingPoint& point,
            ThreadSet without);  // the same, but not those where the choice is new
  bool ended_early() const override { return on_known_path(); }
  bool end() override;
  bool next_round() override;
  bool complete() const override { return path_.empty(); }

  bool can_be_split() const override { return first_open() < path_.size(); }
  void leave_last_part() override;
  void keep_last_part() override;
  bool leaves_more() const override { return cut_; }
  void note_more_left() override { cut_ = true; }

  // Choices that were made before are made again; how many of them there are in all.
  bool on_known_path() const { return depth_ < path_.size(); }
  std::size_t known() const { return path_.size(); }
  // Whom the bound allows to continue at a new choice of a thread, and how many preemptions are left when one of them does.
  ThreadSet allowed(const SchedulingPoint& point) const {
    return bound_ >= 0 && preemptions_ >= bound_ && running(point) >= 0 ? bit(running(point)) : point.enabled;
  }
  int preemptions_left(const SchedulingPoint& point, int chosen) const {
    return bound_ - preemptions_ - (running(point) >= 0 && chosen != running(point) ? 1 : 0);
  }

 private:
  struct Node {
    ThreadSet enabled = 0;
    ThreadSet left = 0;  // still to be run, the chosen one included
    int chosen = 0;
    std::uint64_t signature = 0;
  };

  Node open(const SchedulingPoint& point, ThreadSet without);
  // The first choice that is to be made otherwise after this one; beyond the path: there is none.
  std::size_t first_open() const;

  int limit_;
  int bound_;
  bool cut_ = false;  // the present bound left something out
  std::vector<Node> path_;
  std::size_t depth_ = 0;
  int preemptions_ = 0;
  bool adopts_ =
      false;  // thread-local variables may lie elsewhere than when the path was made, in another process
};

}  // namespace plumb::engine
