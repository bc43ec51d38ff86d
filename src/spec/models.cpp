// The table of built-in models, and finding one by name.
#include "spec/models.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/suggest.hpp"
#include "spec/typed_model.hpp"

namespace plumb {

std::span<const Model* const> built_in_models() {
  static const std::array all = {&register_model(), &queue_model()};
  return all;
}

Result<const Model*> find_model(std::string_view name) {
  std::vector<std::string> names;
  for (const Model* model : built_in_models()) {
    if (model->name() == name) return model;
    names.emplace_back(model->name());
  }
  return Error{fmt::format("unknown model '{}'{}; 'plumb models' lists them", name, did_you_mean(name, names))};
}

std::optional<std::uint32_t> find_operation(const Model& model, std::string_view name) {
  const auto operations = model.operations();
  for (std::uint32_t i = 0; i < operations.size(); ++i) {
    if (operations[i].name == name || std::ranges::find(operations[i].aliases, name) != operations[i].aliases.end()) {
      return i;
    }
  }
  return std::nullopt;
}

Result<std::vector<Value>> initial_items(std::string_view model, const Values& values, Value given) {
  if (given.is_null()) return std::vector<Value>();
  if (values.kind(given) != ValueKind::kArray) {
    return Error{fmt::format("initial value {} of a {}; expected an array of what is inside", values.to_json(given),
                             model)};
  }
  const auto items = values.as_array(given);
  return std::vector<Value>(items.begin(), items.end());
}

std::string list_items(std::span<const Value> items, const Values& values) {
  std::string out = "[";
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i != 0) out += ", ";
    values.append_json(items[i], out);
  }
  return out + "]";
}

}  // namespace plumb
