// PCT (Burckhardt, Kothari, Musuvathi, Nagarakatte, ASPLOS 2010): random priorities, the enabled thread with the highest runs, and at
// d − 1 random points the running thread falls to the lowest. With n threads and k steps, an execution finds a bug of depth d
// with a probability of at least 1/(n·k^(d−1)). The number of steps is taken from the executions seen so far.
#include <algorithm>
#include <vector>

#include "base/rng.hpp"
#include "explore/random_member.hpp"
#include "explore/strategy.hpp"

namespace plumb::engine {
namespace {

class Pct final : public Strategy {
 public:
  Pct(std::uint64_t seed, int depth)
      : random_(seed), changes_(static_cast<std::size_t>(std::max(depth - 1, 0))) {}

  void begin() override {
    for (auto& priority : priorities_) priority = (random_.next() >> 1U) + kLow;
    for (auto& change : changes_) change = random_.below(longest_) + 1;
    points_ = 0;
    fallen_ = 0;
  }

  Pick pick(const SchedulingPoint& point) override {
    if (point.is_data_choice) return random_member(point.enabled, random_);
    ++points_;
    const bool falls = std::find(changes_.begin(), changes_.end(), points_) != changes_.end();
    if (falls || point.is_yielding) fall(highest(point.enabled));
    return highest(point.enabled);
  }

  bool end() override {
    longest_ = std::max(longest_, points_);
    return true;
  }
  bool complete() const override { return false; }

 private:
  static constexpr std::uint64_t kLow = std::uint64_t{1} << 32U;  // threads that fell are below it

  // A thread that yields falls, too: otherwise a loop that waits would never let the other one work.
  void fall(int thread) { priorities_.at(static_cast<std::size_t>(thread)) = kLow - ++fallen_; }

  int highest(ThreadSet enabled) const {
    int best = lowest(enabled);
    for (ThreadSet left = enabled; left != 0; left &= left - 1) {
      const int thread = lowest(left);
      if (priorities_[static_cast<std::size_t>(thread)] > priorities_[static_cast<std::size_t>(best)])
        best = thread;
    }
    return best;
  }

  Rng random_;
  std::vector<std::uint64_t> changes_;
  std::array<std::uint64_t, kMaxThreads> priorities_{};
  std::uint64_t points_ = 0;
  std::uint64_t longest_ = 1;
  std::uint64_t fallen_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> pct(std::uint64_t seed, int depth) { return std::make_unique<Pct>(seed, depth); }

}  // namespace plumb::engine
