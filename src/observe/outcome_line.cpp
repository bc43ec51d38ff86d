#include "observe/outcome_line.hpp"

#include <cstdio>

#include <fmt/format.h>

namespace plumb::observe {

std::string to_line(const Outcome& outcome) {
  return fmt::format("{} {} {} {} {} {} {}", static_cast<int>(outcome.verdict), outcome.executions,
                     outcome.histories, outcome.exhausted ? 1 : 0, outcome.serial_seconds,
                     outcome.concurrent_seconds, outcome.serial_histories);
}

Outcome from_line(const std::string& line) {
  Outcome outcome;
  int verdict = 0;
  int exhausted = 0;
  unsigned long long executions = 0;
  unsigned long long histories = 0;
  unsigned long long serial = 0;
  if (std::sscanf(line.c_str(), "%d %llu %llu %d %lf %lf %llu", &verdict, &executions, &histories, &exhausted,
                  &outcome.serial_seconds, &outcome.concurrent_seconds, &serial) != 7) {
    return outcome;
  }
  outcome.verdict = static_cast<TestResult::Verdict>(verdict);
  outcome.executions = executions;
  outcome.histories = histories;
  outcome.exhausted = exhausted != 0;
  outcome.serial_histories = serial;
  return outcome;
}

}  // namespace plumb::observe
