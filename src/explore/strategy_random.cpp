// Uniform random walk: at each scheduling point every enabled thread has the same chance.
#include "base/rng.hpp"
#include "explore/random_member.hpp"
#include "explore/strategy.hpp"

namespace plumb::engine {
namespace {

class RandomWalk final : public Strategy {
 public:
  explicit RandomWalk(std::uint64_t seed) : random_(seed) {}

  void begin() override {}
  Pick pick(const SchedulingPoint& point) override { return random_member(point.enabled, random_); }
  bool end() override { return true; }
  bool complete() const override { return false; }

 private:
  Rng random_;
};

}  // namespace

std::unique_ptr<Strategy> random_walk(std::uint64_t seed) { return std::make_unique<RandomWalk>(seed); }

}  // namespace plumb::engine
