// What --replay takes: which test, which scenario of it, and which execution of that. "NAME@SCENARIO@SCHEDULE", where the schedule is
// the engine's token, its checksum over all that stands before it, too.
#pragma once

#include <string>
#include <string_view>

#include "plumb/result.hpp"
#include "testing/scenario.hpp"

namespace plumb::testing {

struct ReplayToken {
  Scenario scenario;
  bool fuses_call_with_first_step =
      false;          // to the first step of the operation: not in those of the simplest search
  bool solo = false;  // likewise, and one thread goes on alone
  MemoryModel memory_model = MemoryModel::kSequential;
  std::string schedule = {};  // as the engine takes it
};

[[nodiscard]] std::string to_text(const ReplayToken& token, const TestCase& test);
[[nodiscard]] Result<ReplayToken> parse_replay_token(std::string_view text, const TestCase& test);
// Whether all of the token but the name was made for a test of this name.
[[nodiscard]] bool token_was_made_for(std::string_view token, const std::string& test);
[[nodiscard]] bool token_is_for(std::string_view token, std::string_view test);

}  // namespace plumb::testing
