// With what the command and the programs of tests end: the same for all.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace plumb {

enum class ExitStatus : std::uint8_t {
  kHolds = 0,      // the property holds for everything given
  kViolation = 1,  // at least one violation
  kError = 2,      // wrong use, or input that could not be read
  kUnknown = 3,    // no violation, but a budget was spent, or Ctrl-C
};

// For main() and _exit().
[[nodiscard]] constexpr int number_of(ExitStatus status) { return static_cast<int>(status); }

// Of two parts of a run: an error outweighs everything, a violation what is only unknown.
[[nodiscard]] constexpr ExitStatus worse(ExitStatus a, ExitStatus b) {
  for (const ExitStatus status : {ExitStatus::kError, ExitStatus::kViolation, ExitStatus::kUnknown}) {
    if (a == status || b == status) return status;
  }
  return ExitStatus::kHolds;
}

}  // namespace plumb
