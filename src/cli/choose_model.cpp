#include "cli/choose_model.hpp"

#include <string>

#include <fmt/format.h>

#include "history/printable.hpp"
#include "spec/fitting_models.hpp"
#include "spec/spec_file.hpp"

namespace plumb::cli {
namespace {

Error no_model(const History& history) {
  const auto fitting = fitting_models(history);
  const std::string functions = joined(history.functions());
  if (fitting.empty()) {
    return Error{fmt::format(
        "no model is named, and none of the built-in ones has all of: {}; give your own with --spec",
        functions)};
  }
  return Error{fmt::format("no model is named; use --model NAME (its operations, {}, fit: {})", functions,
                           joined(fitting))};
}

}  // namespace

// An empty history is linearizable whatever the object is: the first model will do.
Result<std::shared_ptr<const Model>> given_model(const Options& options, std::string_view verb) {
  if (!options.spec.empty() && !options.model.empty()) {
    return Error{fmt::format("plumb {}: --model and --spec; expected only one of them", verb)};
  }
  if (!options.spec.empty()) return load_spec(options.spec);
  if (options.model.empty()) return std::shared_ptr<const Model>();
  const auto found = find_model(options.model);
  if (!found) return found.error();
  return std::shared_ptr<const Model>(std::shared_ptr<const Model>(), *found);  // built in: owned by nobody
}

Result<const Model*> choose_model(const Model* given, const History& history) {
  if (given != nullptr) return given;
  if (!history.model().empty()) return find_model(history.model());
  if (history.empty()) return built_in_models().front();
  return no_model(history);
}

}  // namespace plumb::cli
