#include "observe/outcome_line.hpp"

#include <cstdio>

#include <fmt/format.h>

namespace plumb::observe {

std::string to_line(const Outcome& outcome) {
  return fmt::format("{} {} {} {} {} {} {} {} {}", static_cast<int>(outcome.verdict), outcome.executions,
                     outcome.histories, outcome.exhausted ? 1 : 0, outcome.serial_seconds,
                     outcome.concurrent_seconds, outcome.serial_histories, outcome.returned,
                     outcome.went_round);
}

std::optional<Outcome> from_line(const std::string& line) {
  Outcome outcome;
  int verdict = 0;
  int exhausted = 0;
  unsigned long long executions = 0;
  unsigned long long histories = 0;
  unsigned long long serial = 0;
  unsigned long long returned = 0;
  unsigned long long went_round = 0;
  if (std::sscanf(line.c_str(), "%d %llu %llu %d %lf %lf %llu %llu %llu", &verdict, &executions, &histories,
                  &exhausted, &outcome.serial_seconds, &outcome.concurrent_seconds, &serial, &returned,
                  &went_round) != 9) {
    return std::nullopt;
  }
  outcome.verdict = static_cast<TestResult::Verdict>(verdict);
  outcome.executions = executions;
  outcome.histories = histories;
  outcome.exhausted = exhausted != 0;
  outcome.serial_histories = serial;
  outcome.returned = returned;
  outcome.went_round = went_round;
  return outcome;
}

}  // namespace plumb::observe
