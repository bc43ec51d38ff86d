// What takes one of the possibilities each time, where not all graphs are searched: a random execution, and one that is run again.
#pragma once

#include <bit>
#include <span>

#include "base/rng.hpp"
#include "explore/graph/graph_execution.hpp"
#include "explore/schedule.hpp"

namespace plumb::engine {

// A random thread, and half of the time the newest value: loops that wait come to an end.
class RandomChoices final : public graph::Chooser, public GraphExecution::ThreadOrder {
 public:
  explicit RandomChoices(std::uint64_t seed) : random_(seed) {}

  std::size_t pick(std::span<const int> behind) override {
    if (random_.below(2) == 0) return behind.size() - 1;
    return static_cast<std::size_t>(random_.below(behind.size()));
  }
  int pick(ThreadSet able) override {
    for (auto skip = random_.below(static_cast<std::uint64_t>(std::popcount(able))); skip > 0; --skip)
      able &= able - 1;
    return lowest(able);
  }

 private:
  Rng random_;
};

// Those of a token; what goes on after its end takes the newest value each time.
class GivenChoices final : public graph::Chooser, public GraphExecution::ThreadOrder {
 public:
  explicit GivenChoices(const Schedule& choices) : choices_(choices) {}

  void begin() {
    at_ = 0;
    fits_ = true;
  }
  [[nodiscard]] bool fits() const { return fits_ && at_ >= choices_.size(); }
  std::size_t pick(std::span<const int> behind) override {
    const std::size_t newest = behind.size() - 1;
    if (at_ + 1 >= choices_.size()) return newest;
    const int wanted = choices_[at_ + 1];
    at_ += 2;
    for (std::size_t i = 0; i < behind.size(); ++i) {
      if (behind[i] == wanted) return i;
    }
    fits_ = false;
    return newest;
  }
  int pick(ThreadSet able) override {
    if (at_ + 1 >= choices_.size()) return lowest(able);
    if ((able & bit(choices_[at_])) != 0) return choices_[at_];
    fits_ = false;
    return lowest(able);
  }

 private:
  const Schedule& choices_;
  std::size_t at_ = 0;
  bool fits_ = true;
};

}  // namespace plumb::engine
