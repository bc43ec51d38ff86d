// Looks for operations that cannot end by themselves: a random walk, up to some moment; from there on one thread that is inside
// an operation runs alone. Where it cannot go on, because it waits for another or goes round in circles, the operation is
// not obstruction-free.
#include <algorithm>
#include <bit>

#include "base/rng.hpp"
#include "explore/strategy.hpp"

namespace plumb::engine {
namespace {

class Alone final : public Strategy {
 public:
  explicit Alone(std::uint64_t seed) : random_(seed) { needs_every_step_ = true; }

  void begin() override {
    longest_ = std::max(longest_, step_);
    step_ = 0;
    alone_ = kNobody;
    begin_ = random_.below(longest_ + 1);
  }

  int pick(const Choice& choice) override {
    if (choice.outcome) return any_of(choice.options);
    if (step_++ >= begin_ && alone_ == kNobody) choose_one(choice);
    if (alone_ < 0) return any_of(choice.options);
    return (choice.options & bit(alone_)) != 0 ? alone_ : kCannotGoOnAlone;
  }
  void returned(int thread) override {
    if (thread == alone_) alone_ = kDone;
  }
  bool end() override { return true; }
  bool complete() const override { return false; }

 private:
  static constexpr int kNobody = -1;
  static constexpr int kDone = -2;

  void choose_one(const Choice& choice) {
    Options inside = 0;
    for (Options left = choice.options & ~bit(0); left != 0; left &= left - 1) {
      if ((*choice.next)[static_cast<std::size_t>(lowest(left))]->kind != runtime::StepKind::kCall)
        inside |= bit(lowest(left));
    }
    if (inside != 0) alone_ = any_of(inside);
  }
  int any_of(Options options) {
    for (auto skip = random_.below(static_cast<std::uint64_t>(std::popcount(options))); skip > 0; --skip)
      options &= options - 1;
    return lowest(options);
  }

  Rng random_;
  std::uint64_t longest_ = 0;  // execution so far, in points
  std::uint64_t step_ = 0;
  std::uint64_t begin_ = 0;
  int alone_ = kNobody;
};

}  // namespace

std::unique_ptr<Strategy> alone(std::uint64_t seed) { return std::make_unique<Alone>(seed); }

}  // namespace plumb::engine
