// The table of built-in models, and finding one by name.
#include "spec/models.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/suggest.hpp"
#include "spec/entries.hpp"
#include "spec/typed_model.hpp"

namespace plumb {

namespace {

// A run by steps: every state that a nondeterministic model may be in by now.
class StepRun final : public Run {
 public:
  explicit StepRun(States& states) : states_(states), now_({states.initial()}) {}

  bool apply(const Call& call, std::optional<Value> result) override {
    next_.clear();
    for (const StateId state : now_) states_.step(state, call, result, next_);
    std::ranges::sort(next_);
    next_.erase(std::unique(next_.begin(), next_.end()), next_.end());
    now_.swap(next_);
    return !now_.empty();
  }

 private:
  States& states_;
  std::vector<StateId> now_;
  std::vector<StateId> next_;
};

}  // namespace

std::unique_ptr<Run> States::start_run() { return std::make_unique<StepRun>(*this); }

std::span<const Model* const> built_in_models() {
  static const auto all = [] {
    std::vector<const Model*> models = {
#define PLUMB_BUILT_IN(NAME, HAS_PROFILES) &NAME##_model(),
#include "spec/models.def"
#undef PLUMB_BUILT_IN
    };
    for (const Model* model : relaxed_models()) models.push_back(model);
    for (const auto& model : java_models()) models.push_back(model.get());
    return models;
  }();
  return all;
}

const Model* model_of(Family family) {
  if (family == Family::kNone) return nullptr;
  const auto models = built_in_models();
  const auto it = std::ranges::find_if(models, [&](const Model* m) { return known_family(*m) == family; });
  return it == models.end() ? nullptr : *it;
}

Result<const Model*> find_model(std::string_view name) {
  std::vector<std::string> names;
  for (const Model* model : built_in_models()) {
    if (model->name() == name) return model;
    names.emplace_back(model->name());
  }
  if (auto relaxed = find_relaxed_model(name)) return *relaxed;
  return Error{
      fmt::format("unknown model '{}'{}; 'plumb models' lists them", name, did_you_mean(name, names))};
}

std::optional<std::uint32_t> find_operation(const Model& model, std::string_view name) {
  const auto operations = model.operations();
  for (std::uint32_t i = 0; i < operations.size(); ++i) {
    if (operations[i].name == name ||
        std::ranges::find(operations[i].aliases, name) != operations[i].aliases.end()) {
      return i;
    }
  }
  return std::nullopt;
}

Result<std::vector<Value>> initial_elements(std::string_view model, const Values& values, Value given) {
  if (given.is_null()) return std::vector<Value>();
  if (values.kind(given) != ValueKind::kArray) {
    return Error{fmt::format("initial value {} of a {}; expected an array of what is inside",
                             values.to_json(given), model)};
  }
  const auto items = values.as_array(given);
  return std::vector<Value>(items.begin(), items.end());
}

Result<std::vector<Value>> initial_items(std::string_view model, const Values& values, Value given) {
  auto items = initial_elements(model, values, given);
  if (items && std::ranges::find(*items, kNull) != items->end()) {
    return Error{
        fmt::format("null in the initial value of a {}; expected values other than null, which stands for "
                    "'empty'",
                    model)};
  }
  return items;
}

Result<Entries<Value>> initial_entries(std::string_view model, const Values& values, Value given) {
  const auto wrong = [&] {
    return Error{fmt::format("initial value {} of a {}; expected an object, or an array of [key, value]",
                             values.to_json(given), model)};
  };
  Entries<Value> entries;
  if (given.is_null()) return entries;
  if (values.kind(given) == ValueKind::kObject) {
    const auto members = values.as_object(given);
    for (std::size_t i = 0; i + 1 < members.size(); i += 2) entries.set(members[i], members[i + 1]);
    return entries;
  }
  if (values.kind(given) != ValueKind::kArray) return wrong();
  for (const Value item : values.as_array(given)) {
    if (values.kind(item) != ValueKind::kArray || values.as_array(item).size() != 2) return wrong();
    entries.set(values.as_array(item)[0], values.as_array(item)[1]);
  }
  return entries;
}

std::string list_entries(const Entries<Value>& entries, const Values& values) {
  std::vector<Entries<Value>::Entry> sorted(entries.begin(), entries.end());
  std::ranges::sort(sorted, [&](const auto& a, const auto& b) { return values.compare(a.key, b.key) < 0; });
  std::string out = "{";
  for (const auto& [key, value] : sorted) {
    if (out.size() > 1) out += ", ";
    values.append_json(key, out);
    out += ": ";
    values.append_json(value, out);
  }
  return out + "}";
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
