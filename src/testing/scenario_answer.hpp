// What a worker process answers about its scenario: the figures of an outcome, as they are in memory, so that no locale has a say in
// how a number reads.
#pragma once

#include <optional>
#include <string>

#include "testing/line_up.hpp"

namespace plumb::testing {

[[nodiscard]] std::string to_answer(const ScenarioResult& outcome);
// Nothing: this is no such answer.
[[nodiscard]] std::optional<ScenarioResult> from_answer(const std::string& answer);

}  // namespace plumb::testing
