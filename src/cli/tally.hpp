// How many verdicts of each kind, and the exit status that follows: an error outweighs a violation, a violation an unknown
// verdict.
#pragma once

#include <cstddef>

#include <plumb/check.hpp>

namespace plumb::cli {

struct Tally {
  std::size_t linearizable = 0;
  std::size_t violations = 0;
  std::size_t unknown = 0;
  std::size_t errors = 0;
  bool interrupted = false;
  bool cut_short = false;  // a limit left out something that was asked for, other than a verdict

  void add(Outcome outcome) {
    switch (outcome) {
      case Outcome::kLinearizable:
        ++linearizable;
        break;
      case Outcome::kViolation:
        ++violations;
        break;
      case Outcome::kUnknown:
        ++unknown;
        break;
    }
  }
  [[nodiscard]] std::size_t histories() const { return linearizable + violations + unknown; }
  [[nodiscard]] int status() const {
    if (errors != 0) return 2;
    if (violations != 0) return 1;
    return unknown != 0 || interrupted || cut_short ? 3 : 0;
  }
};

}  // namespace plumb::cli
