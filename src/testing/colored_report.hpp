// The report of a test for a terminal: what a line is about, its first word, in a colour.
#pragma once

#include <string>
#include <string_view>

namespace plumb::testing {

[[nodiscard]] std::string colored(std::string_view report);

}  // namespace plumb::testing
