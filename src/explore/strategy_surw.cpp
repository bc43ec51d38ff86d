// SURW, the selectively uniform random walk (Zhao, Wolff, Mathur, Roychoudhury, ASPLOS 2025): of each execution some steps are
// chosen, the accesses to one shared object, and all orders of these have about the same chance. The thread that is to take the next
// chosen step is drawn by how many of them each has left; until it has, no other takes one, and all other steps are a random walk.
//
// How many a thread takes is known from the execution before. In one of four executions all steps are chosen.
#include <algorithm>
#include <array>
#include <vector>

#include "base/rng.hpp"
#include "explore/random_member.hpp"
#include "explore/strategy.hpp"

namespace plumb::engine {
namespace {

using Counts = std::array<std::uint64_t, kMaxThreads>;  // of steps, by thread

// What an execution does with one object.
struct Uses {
  const void* object = nullptr;
  Counts counts{};
  bool written = false;

  [[nodiscard]] bool shared() const {
    return written && std::ranges::count_if(counts, [](auto count) { return count > 0; }) > 1;
  }
};

class SelectivelyUniformWalk final : public Strategy {
 public:
  explicit SelectivelyUniformWalk(std::uint64_t seed) : random_(seed) { needs_every_step_ = true; }

  void begin() override {
    choose_steps();
    uses_.clear();
    all_.fill(0);
    intended_ = -1;
  }

  Pick pick(const SchedulingPoint& point) override {
    if (point.is_data_choice) return random_member(point.enabled, random_);
    ThreadSet chosen_steps = 0;
    for (ThreadSet left = point.enabled; left != 0; left &= left - 1) {
      if (is_chosen(next_of(point, lowest(left)))) chosen_steps |= bit(lowest(left));
    }
    if (intended_ < 0 || (point.enabled & bit(intended_)) == 0) intended_ = draw(point.enabled);
    const ThreadSet others = point.enabled & ~chosen_steps;
    const int picked = random_member(others | (point.enabled & bit(intended_)), random_);
    if ((chosen_steps & bit(picked)) != 0) {
      std::uint64_t& left = left_.at(static_cast<std::size_t>(picked));
      left -= left > 0 ? 1 : 0;
      intended_ = -1;
    }
    note(next_of(point, picked), picked);
    return picked;
  }

  bool end() override {
    known_.swap(uses_);
    known_all_ = all_;
    return true;
  }
  bool complete() const override { return false; }

 private:
  static constexpr std::uint64_t kEverything = 4;  // once in so many executions
  static constexpr std::size_t kMostObjects = 64;  // that are told apart

  static const runtime::Step& next_of(const SchedulingPoint& point, int thread) {
    return *(*point.next)[static_cast<std::size_t>(thread)];
  }

  [[nodiscard]] bool is_chosen(const runtime::Step& step) const {
    return object_ == nullptr || step.address == object_ || step.also == object_;
  }

  void choose_steps() {
    std::erase_if(known_, [](const Uses& uses) { return !uses.shared(); });
    object_ = nullptr;
    left_ = known_all_;
    if (known_.empty() || random_.below(kEverything) == 0) return;
    const Uses& uses = known_[random_.below(known_.size())];
    object_ = uses.object;
    left_ = uses.counts;
  }

  // Threads that have taken more steps than they were thought to are as likely as one with a step left.
  int draw(ThreadSet enabled) {
    const auto weight = [&](int thread) {
      return std::max<std::uint64_t>(left_.at(static_cast<std::size_t>(thread)), 1);
    };
    std::uint64_t sum = 0;
    for (ThreadSet left = enabled; left != 0; left &= left - 1) sum += weight(lowest(left));
    std::uint64_t at = random_.below(sum);
    for (ThreadSet left = enabled;; left &= left - 1) {
      const int thread = lowest(left);
      if (at < weight(thread)) return thread;
      at -= weight(thread);
    }
  }

  void note(const runtime::Step& step, int thread) {
    ++all_.at(static_cast<std::size_t>(thread));
    if (step.address == nullptr) return;
    auto uses = std::ranges::find_if(uses_, [&](const Uses& each) { return each.object == step.address; });
    if (uses == uses_.end()) {
      if (uses_.size() == kMostObjects) return;
      uses = uses_.insert(uses, Uses{.object = step.address});
    }
    ++uses->counts.at(static_cast<std::size_t>(thread));
    uses->written |= step.writes;
  }

  Rng random_;
  const void* object_ = nullptr;  // whose accesses are chosen; null: all steps
  Counts left_{};                 // of the chosen steps
  int intended_ = -1;             // the thread that is to take the next one
  std::vector<Uses> uses_;        // of this execution
  Counts all_{};
  std::vector<Uses> known_;  // of the one before
  Counts known_all_{};
};

}  // namespace

std::unique_ptr<Strategy> selectively_uniform_walk(std::uint64_t seed) {
  return std::make_unique<SelectivelyUniformWalk>(seed);
}

}  // namespace plumb::engine
