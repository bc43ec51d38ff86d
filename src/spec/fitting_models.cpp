#include "spec/fitting_models.hpp"

#include <algorithm>

#include <plumb/model.hpp>

namespace plumb {

std::vector<std::string> fitting_models(const History& history) {
  std::vector<std::string> names;
  for (const Model* model : built_in_models()) {
    const bool fits = std::ranges::all_of(history.functions(), [&](const std::string& name) {
      return find_operation(*model, name).has_value();
    });
    // Java's collections have something of everything: they are named only where nothing simpler fits.
    const bool simpler = !names.empty() && model->name().starts_with("java:");
    if (fits && (!simpler || names.front().starts_with("java:"))) names.emplace_back(model->name());
  }
  return names;
}

}  // namespace plumb
