// plumb models: what a history can be checked against.
#include <fmt/format.h>

#include <plumb/model.hpp>

#include "cli/verbs.hpp"
#include "history/printable.hpp"
#include "json/json_writer.hpp"

namespace plumb::cli {
namespace {

std::string_view to_word(Takes takes) {
  switch (takes) {
    case Takes::kAny:
      return "value";
    case Takes::kNotNull:
      return "non-null";
    case Takes::kInteger:
      return "integer";
    case Takes::kString:
      return "string";
    case Takes::kArray:
      return "array";
  }
  return "";
}

std::string_view to_word(Returns returns) {
  switch (returns) {
    case Returns::kNothing:
      return "nothing";
    case Returns::kBool:
      return "boolean";
    case Returns::kInteger:
      return "integer";
    case Returns::kString:
      return "string";
    case Returns::kAny:
      return "value";
  }
  return "";
}

std::string arguments_of(const OperationSpec& operation) {
  std::string arguments;
  for (std::size_t i = 0; i < operation.takes.size(); ++i) {
    const bool optional = i + operation.optional >= operation.takes.size();
    arguments += fmt::format("{}{}{}", i == 0 ? "" : ", ", to_word(operation.takes[i]), optional ? "?" : "");
  }
  return arguments;
}

// "cas(value, value) → boolean"
std::string signature(const OperationSpec& operation) {
  const std::string result =
      operation.returns == Returns::kNothing ? "" : fmt::format(" → {}", to_word(operation.returns));
  return fmt::format("{}({}){}", operation.name, arguments_of(operation), result);
}

std::string a_line_each(const Model& model, const Console& console) {
  std::string out;
  for (const OperationSpec& operation : model.operations()) {
    out += fmt::format("{:17}{}", "", signature(operation));
    if (!operation.aliases.empty())
      out += console.paint(Paint::kDim, "  / " + joined(operation.aliases, " / "));
    out += "\n";
  }
  return out;
}

// Classes with dozens of methods, whose results are said by their documentation.
std::string many_a_line(const Model& model) {
  constexpr std::size_t kWidth = 100;
  std::string out;
  std::string line;
  for (const OperationSpec& operation : model.operations()) {
    const std::string text = fmt::format("{}({})", operation.name, arguments_of(operation));
    if (!line.empty() && 17 + line.size() + 2 + text.size() > kWidth) {
      out += fmt::format("{:17}{},\n", "", line);
      line.clear();
    }
    line += (line.empty() ? "" : ", ") + text;
  }
  return out + fmt::format("{:17}{}\n", "", line);
}

std::string in_short(const Model& model, const Console& console) {
  constexpr std::size_t kMany = 12;
  std::string out = fmt::format("{}  {}\n", console.paint(Paint::kBold, fmt::format("{:<15}", model.name())),
                                model.summary());
  return out + (model.operations().size() > kMany ? many_a_line(model) : a_line_each(model, console));
}

std::string as_json(const Model& model) {
  JsonWriter json;
  json.object([&] {
    json.member("model", model.name());
    json.member("summary", model.summary());
    json.key("operations").array(model.operations(), [&](const OperationSpec& operation) {
      json.object([&] {
        json.member("name", operation.name);
        json.key("aliases").array(operation.aliases);
        json.key("takes").array(operation.takes, [&](Takes takes) { json.value(to_word(takes)); });
        json.member("optional", operation.optional);
        json.member("returns", to_word(operation.returns));
      });
    });
    json.member("keyed", model.is_keyed());
  });
  return json.take() + "\n";
}

}  // namespace

ExitStatus run_models(const Options& options, Console& console) {
  std::vector<const Model*> chosen(built_in_models().begin(), built_in_models().end());
  if (!options.arguments.empty()) {
    const auto model = find_model(options.arguments.front());
    if (!model) {
      console.error("plumb models: " + model.error().text());
      return ExitStatus::kError;
    }
    chosen = {*model};
  }
  for (const Model* model : chosen) console.out(options.json ? as_json(*model) : in_short(*model, console));
  return ExitStatus::kHolds;
}

}  // namespace plumb::cli
