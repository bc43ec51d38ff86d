// Which model a history is checked against: what the user says, else what the file says, else an error that
// helps.
#pragma once

#include <memory>
#include <string_view>

#include <plumb/history.hpp>
#include <plumb/model.hpp>
#include <plumb/result.hpp>

#include "cli/options.hpp"

namespace plumb::cli {

// The model of --model or --spec, or null where there is neither. `verb` is for messages.
[[nodiscard]] Result<std::shared_ptr<const Model>> given_model(const Options& options, std::string_view verb);

// `given` is the model of --model or --spec, or null.
[[nodiscard]] Result<const Model*> choose_model(const Model* given, const History& history);

}  // namespace plumb::cli
