// Reading a header member by member, and writing it as JSON.
#include "history/header.hpp"

#include <fmt/format.h>

namespace plumb {

bool Header::has(std::string_view name) { return name == "plumb" || name == "model" || name == "initial"; }

Status Header::set(std::string_view name, Value value, const Values& values, Place place) {
  if (name == "plumb") {
    if (value != Value::small(1)) {
      return Error{fmt::format("expected version 1 of the format, found {}", values.to_json(value)), place};
    }
    present_ = true;
  } else if (name == "model") {
    const ValueKind kind = values.kind(value);
    if (kind != ValueKind::kString && kind != ValueKind::kNil) {
      return Error{fmt::format("expected the model's name as a string, found {}", values.to_json(value)),
                   place};
    }
    model_ = kind == ValueKind::kString ? values.as_string(value) : std::string_view();
    if (model_.starts_with(':')) model_.erase(0, 1);  // an EDN keyword
  } else {
    initial_ = value;
  }
  return Ok{};
}

void Header::set_name(Value id, const Values& values) {
  name_ = values.kind(id) == ValueKind::kString ? std::string(values.as_string(id)) : values.to_json(id);
}

void Header::apply(HistoryBuilder& builder) const {
  builder.set_model(model_);
  builder.set_initial(initial_);
  builder.set_name(name_);
}

bool needs_header(const History& history, std::string_view before) {
  return !before.empty() || history.empty() || !history.model().empty() || !history.initial().is_null() ||
         !history.name().empty();
}

std::string header_model(const History& history) {
  return history.model().starts_with(':') ? ":" + history.model()
                                          : history.model();  // one colon is dropped again
}

void append_json_header(const History& history, std::string& out) {
  if (!needs_header(history, out)) return;
  out += R"({"plumb":1)";
  if (!history.model().empty()) {
    out += R"(,"model":)";
    append_json_string(header_model(history), out);
  }
  if (!history.initial().is_null()) {
    out += R"(,"initial":)";
    history.values().append_json(history.initial(), out);
  }
  if (!history.name().empty()) {
    out += R"(,"id":)";
    append_json_string(history.name(), out);
  }
  out += "}\n";
}

}  // namespace plumb
