// Uniform random walk: at each point every thread that can go on has the same chance.
#include <bit>

#include "base/rng.hpp"
#include "explore/strategy.hpp"

namespace plumb::engine {
namespace {

class RandomWalk final : public Strategy {
 public:
  explicit RandomWalk(std::uint64_t seed) : random_(seed) {}

  void begin() override {}
  int pick(const Choice& choice) override {
    Options options = choice.options;
    if (const Options second = options & (options - 1); single(second))  // the most common case by far
      return lowest(random_.below(2) == 0 ? options : second);
    for (auto skip = random_.below(static_cast<std::uint64_t>(std::popcount(options))); skip > 0; --skip) {
      options &= options - 1;
    }
    return lowest(options);
  }
  bool end() override { return true; }
  bool complete() const override { return false; }

 private:
  Rng random_;
};

}  // namespace

std::unique_ptr<Strategy> random_walk(std::uint64_t seed) { return std::make_unique<RandomWalk>(seed); }

}  // namespace plumb::engine
