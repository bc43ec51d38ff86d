// What a worker process answers about its scenario: the figures of an outcome in a line.
#pragma once

#include <optional>
#include <string>

#include "observe/line_up.hpp"

namespace plumb::observe {

[[nodiscard]] std::string to_line(const Outcome& outcome);
// Nothing: this is no such line.
[[nodiscard]] std::optional<Outcome> from_line(const std::string& line);

}  // namespace plumb::observe
