// Looks for operations that cannot end by themselves: a random walk, up to some entry; from there on one thread that is inside
// an operation runs solo. Where it is not enabled, because it waits for another or spins, the operation is not obstruction-free.
#include <algorithm>
#include <bit>

#include "base/rng.hpp"
#include "explore/strategy.hpp"

namespace plumb::engine {
namespace {

class SoloExecution final : public Strategy {
 public:
  explicit SoloExecution(std::uint64_t seed) : random_(seed) { needs_every_step_ = true; }

  void begin() override {
    longest_ = std::max(longest_, step_);
    step_ = 0;
    solo_ = kNobody;
    begin_ = random_.below(longest_ + 1);
  }

  Pick pick(const SchedulingPoint& point) override {
    if (point.is_data_choice) return any_of(point.enabled);
    if (step_++ >= begin_ && solo_ == kNobody) choose_one(point);
    if (solo_ < 0) return any_of(point.enabled);
    return pick_if_enabled(point, solo_, Stop::kNotObstructionFree);
  }
  void returned(int thread) override {
    if (thread == solo_) solo_ = kDone;
  }
  bool end() override { return true; }
  bool complete() const override { return false; }

 private:
  static constexpr int kNobody = -1;
  static constexpr int kDone = -2;

  void choose_one(const SchedulingPoint& point) {
    ThreadSet in_operation = 0;
    for (ThreadSet left = point.enabled & ~bit(0); left != 0; left &= left - 1) {
      if ((*point.next)[static_cast<std::size_t>(lowest(left))]->kind != runtime::StepKind::kCall)
        in_operation |= bit(lowest(left));
    }
    if (in_operation != 0) solo_ = any_of(in_operation);
  }
  int any_of(ThreadSet set) {
    for (auto skip = random_.below(static_cast<std::uint64_t>(std::popcount(set))); skip > 0; --skip)
      set &= set - 1;
    return lowest(set);
  }

  Rng random_;
  std::uint64_t longest_ = 0;  // execution so far, in points
  std::uint64_t step_ = 0;
  std::uint64_t begin_ = 0;
  int solo_ = kNobody;
};

}  // namespace

std::unique_ptr<Strategy> solo_execution(std::uint64_t seed) { return std::make_unique<SoloExecution>(seed); }

}  // namespace plumb::engine
