// What a stress run found, for a person: the figures; of a violation the round in a file, its core as a timeline, and a sentence.
#pragma once

#include <optional>
#include <string>

#include "plumb/record.hpp"
#include "plumb/stress.hpp"
#include "testing/round_judge.hpp"

namespace plumb::testing {

// Those that have not returned, a line each.
[[nodiscard]] std::string open_operations(const Recorder& recorder);
// Writes the texts of the result, and the file that `options` asks for.
void finish_stress_report(const TestCase& test, const StressOptions& options,
                          const std::optional<WrongRound>& wrong, TestResult& result);

}  // namespace plumb::testing
