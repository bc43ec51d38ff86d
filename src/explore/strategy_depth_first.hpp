// Depth first over all schedules; with a bound, over those with at most so many preemptions, and the bound is deepened
// from 0 so that the simplest failure is found first (Musuvathi and Qadeer, PLDI 2007). A preemption is a change of threads
// although the running one could go on and did not yield.
#pragma once

#include <vector>

#include "explore/strategy.hpp"

namespace plumb::engine {

// The running thread if it may go on here, so that a change to another one is a preemption; else -1.
inline int running(const Choice& choice) {
  const bool goes_on = choice.current >= 0 && (choice.options & bit(choice.current)) != 0;
  return goes_on && !choice.voluntary ? choice.current : -1;
}

class DepthFirst final : public Strategy {
 public:
  explicit DepthFirst(int limit) : limit_(limit), bound_(limit < 0 ? -1 : 0) {}

  void begin() override {
    depth_ = 0;
    preemptions_ = 0;
    was_cut_ = false;
  }
  int pick(const Choice& choice) override { return pick(choice, 0); }
  int pick(const Choice& choice, Options without);  // the same, but where the choice is new, not those
  bool ended_early() const override { return on_known_path(); }
  bool end() override;
  bool complete() const override { return path_.empty(); }

  void confine(const Prefix& prefix) override { prefix_ = prefix; }
  void cut_at(std::size_t depth) override { most_ = depth; }
  bool was_cut() const override { return was_cut_; }
  Prefix prefix() const override;

  // Choices that were made before are made again; how many of them there are in all.
  bool on_known_path() const { return depth_ < path_.size(); }
  std::size_t known() const { return path_.size(); }
  // Whom the bound allows to go on at a new choice of a thread, and how many preemptions are left when one of them does.
  Options allowed(const Choice& choice) const {
    return bound_ >= 0 && preemptions_ >= bound_ && running(choice) >= 0 ? bit(running(choice))
                                                                         : choice.options;
  }
  int preemptions_left(const Choice& choice, int chosen) const {
    return bound_ - preemptions_ - (running(choice) >= 0 && chosen != running(choice) ? 1 : 0);
  }

 private:
  struct Node {
    Options options = 0;
    Options left = 0;  // still to be run, the chosen one included
    int chosen = 0;
    std::uint64_t signature = 0;
  };

  Node open(const Choice& choice, Options without);
  Node given(const Choice& choice) const;

  int limit_;
  int bound_;
  bool cut_ = false;  // the present bound left something out
  std::vector<Node> path_;
  std::size_t depth_ = 0;
  int preemptions_ = 0;
  Prefix prefix_;
  std::size_t most_ = ~std::size_t{0};
  bool was_cut_ = false;
};

}  // namespace plumb::engine
