// Which model a history is checked against: what the user says, else what the file says, else an error that
// helps.
#pragma once

#include <plumb/history.hpp>
#include <plumb/model.hpp>
#include <plumb/result.hpp>

namespace plumb::cli {

// `given` is the model of --model or --spec, or null.
[[nodiscard]] Result<const Model*> choose_model(const Model* given, const History& history);

}  // namespace plumb::cli
