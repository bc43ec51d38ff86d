// How many verdicts of each kind, and the exit status that follows: an error outweighs a violation, a
// violation an unknown verdict.
#pragma once

#include <cstddef>

#include <plumb/check.hpp>

#include "base/exit_status.hpp"

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
      case Outcome::kHolds:
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
  [[nodiscard]] ExitStatus status() const {
    if (errors != 0) return ExitStatus::kError;
    if (violations != 0) return ExitStatus::kViolation;
    return unknown != 0 || interrupted || cut_short ? ExitStatus::kUnknown : ExitStatus::kHolds;
  }
};

}  // namespace plumb::cli
