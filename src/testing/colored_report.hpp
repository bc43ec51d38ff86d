// The report of a test for a terminal: what a line is about, its first word, in a colour; and whole paths, which terminals and editors open.
#pragma once

#include <string>
#include <string_view>

#include "document/document.hpp"

namespace plumb::testing {

[[nodiscard]] std::string colored(std::string_view report);
// "Source: /home/me/queue.hpp:21", a line for each file of the interleaving and of what led to the finding, at its last place there.
[[nodiscard]] std::string sources_text(const Document& document);

}  // namespace plumb::testing
