// POS, partial order sampling (Yuan, Yang, Gu, CAV 2018): each step that a thread is about to take has a random priority, and the
// enabled one with the highest is taken. Steps that conflict with it draw again: so two steps come in either order with the same
// chance, whatever happened between others, and the choice is among partial orders rather than among sequences.
#include <array>

#include "base/rng.hpp"
#include "explore/random_member.hpp"
#include "explore/strategy.hpp"

namespace plumb::engine {
namespace {

class PartialOrderSampling final : public Strategy {
 public:
  explicit PartialOrderSampling(std::uint64_t seed) : random_(seed) { needs_every_step_ = true; }

  void begin() override { drawn_ = 0; }

  Pick pick(const SchedulingPoint& point) override {
    if (point.is_data_choice) return random_member(point.enabled, random_);
    // A thread that yields would otherwise be taken again at once as often as it likes.
    if (point.is_yielding && !single(point.enabled)) drawn_ &= ~bit(point.current);
    const int chosen = highest(point.enabled);
    draw_again(point, chosen);
    return chosen;
  }

  bool end() override { return true; }
  bool complete() const override { return false; }

 private:
  int highest(ThreadSet enabled) {
    int best = lowest(enabled);
    for (ThreadSet left = enabled; left != 0; left &= left - 1) {
      const int thread = lowest(left);
      if (priority(thread) > priority(best)) best = thread;
    }
    return best;
  }

  std::uint64_t priority(int thread) {
    std::uint64_t& known = priorities_.at(static_cast<std::size_t>(thread));
    if ((drawn_ & bit(thread)) == 0) known = random_.next();
    drawn_ |= bit(thread);
    return known;
  }

  // The thread itself is about to take another step then.
  void draw_again(const SchedulingPoint& point, int chosen) {
    const runtime::Step& taken = *(*point.next)[static_cast<std::size_t>(chosen)];
    drawn_ &= ~bit(chosen);
    for (ThreadSet left = drawn_; left != 0; left &= left - 1) {
      const int thread = lowest(left);
      if (runtime::dependent(*(*point.next)[static_cast<std::size_t>(thread)], taken)) drawn_ &= ~bit(thread);
    }
  }

  Rng random_;
  std::array<std::uint64_t, kMaxThreads> priorities_{};
  ThreadSet drawn_ = 0;  // the threads whose next step has a priority
};

}  // namespace

std::unique_ptr<Strategy> partial_order_sampling(std::uint64_t seed) {
  return std::make_unique<PartialOrderSampling>(seed);
}

}  // namespace plumb::engine
