// Tokens of executions along graphs (schedule.hpp) that are part of a longer one, which says what they are of: the checksum is over that, too.
#pragma once

#include <string>
#include <string_view>

#include "explore/schedule.hpp"

namespace plumb::engine {

std::string to_graph_token(const Schedule& choices, std::string_view of);
Result<Schedule> from_graph_token(std::string_view token, std::string_view of);
bool is_graph_token(std::string_view token);  // by how it begins

}  // namespace plumb::engine
