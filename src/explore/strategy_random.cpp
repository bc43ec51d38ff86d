// Uniform random walk: at each scheduling point every enabled thread has the same chance.
#include <bit>

#include "base/rng.hpp"
#include "explore/strategy.hpp"

namespace plumb::engine {
namespace {

class RandomWalk final : public Strategy {
 public:
  explicit RandomWalk(std::uint64_t seed) : random_(seed) {}

  void begin() override {}
  Pick pick(const SchedulingPoint& point) override {
    ThreadSet enabled = point.enabled;
    if (const ThreadSet second = enabled & (enabled - 1); single(second))  // the most common case by far
      return lowest(random_.below(2) == 0 ? enabled : second);
    for (auto skip = random_.below(static_cast<std::uint64_t>(std::popcount(enabled))); skip > 0; --skip) {
      enabled &= enabled - 1;
    }
    return lowest(enabled);
  }
  bool end() override { return true; }
  bool complete() const override { return false; }

 private:
  Rng random_;
};

}  // namespace

std::unique_ptr<Strategy> random_walk(std::uint64_t seed) { return std::make_unique<RandomWalk>(seed); }

}  // namespace plumb::engine
