// Which built-in models a history could be meant for, by the names of its operations: said where no model is named.
#pragma once

#include <string>
#include <vector>

#include <plumb/history.hpp>

namespace plumb {

[[nodiscard]] std::vector<std::string> fitting_models(const History& history);

}  // namespace plumb
