// The client that sees a violation under a weak memory model, for people: what its threads learn of each other, in words and as code.
#pragma once

#include <string>
#include <vector>

#include "testing/scenario.hpp"
#include "testing/strengthening.hpp"

namespace plumb::testing {

// "thread 2 learns that push(1) of thread 1 has returned, then calls pop()"
[[nodiscard]] std::vector<std::string> client_in_words(const TestCase& test, const Layout& layout,
                                                       const std::vector<ClientEdge>& edges);

// The scenario as a program of threads that synchronise so, by release stores and acquire loads. `returned`: what is said behind each call.
[[nodiscard]] std::string client_as_code(MemoryModel model, const TestCase& test, const Layout& layout,
                                         const std::vector<ClientEdge>& edges,
                                         const std::vector<std::string>& returned);

}  // namespace plumb::testing
