#include "litmus.hpp"

#include <simdjson.h>

#include <fstream>

namespace plumb_tests {
namespace {

using simdjson::dom::element;

std::uint8_t order_of(std::string_view name) {
  static const std::map<std::string_view, std::uint8_t> kOrders = {
      {"rlx", 0}, {"acq", 2}, {"rel", 3}, {"acq_rel", 4}, {"sc", 5}};
  return kOrders.at(name);
}

Operand operand_of(element value) {
  if (value.is_string()) return {.reg = std::string(std::string_view(value))};
  return {.number = std::int64_t(value)};
}

Code code_of(element list, const std::vector<std::string>& locations);

Instruction instruction_of(element from, const std::vector<std::string>& locations) {
  using Kind = Instruction::Kind;
  static const std::map<std::string_view, Kind> kKinds = {
      {"load", Kind::kLoad},     {"store", Kind::kStore},         {"add", Kind::kAdd},
      {"xchg", Kind::kExchange}, {"cas", Kind::kCompareExchange}, {"fence", Kind::kFence},
      {"if", Kind::kIf}};
  Instruction result{.kind = kKinds.at(std::string_view(from["op"]))};
  if (result.kind == Kind::kIf) {
    result.reg = std::string_view(from["reg"]);
    result.value = operand_of(from["equals"]);
    result.then = code_of(from["then"], locations);
    element otherwise;
    if (from["else"].get(otherwise) == simdjson::SUCCESS) result.otherwise = code_of(otherwise, locations);
    return result;
  }
  result.order = order_of(std::string_view(from["order"]));
  if (result.kind == Kind::kFence) return result;
  const auto found = std::find(locations.begin(), locations.end(), std::string_view(from["loc"]));
  result.location = static_cast<int>(found - locations.begin());
  element field;
  if (from["reg"].get(field) == simdjson::SUCCESS) result.reg = std::string_view(field);
  if (from["value"].get(field) == simdjson::SUCCESS) result.value = operand_of(field);
  if (result.kind == Kind::kCompareExchange) {
    result.failure_order = order_of(std::string_view(from["failure"]));
    result.value = operand_of(from["desired"]);
    result.expected = operand_of(from["expected"]);
  }
  return result;
}

Code code_of(element list, const std::vector<std::string>& locations) {
  Code code;
  for (const element instruction : list.get_array()) code.push_back(instruction_of(instruction, locations));
  return code;
}

Behaviours behaviours_of(element from) {
  Behaviours result{.executions = std::uint64_t(from["executions"]), .outcomes = {}};
  for (const element outcome : from["outcomes"].get_array()) {
    LitmusOutcome values;
    for (const auto [name, value] : outcome.get_object()) values[std::string(name)] = std::int64_t(value);
    result.outcomes.insert(values);
  }
  return result;
}

}  // namespace

std::vector<LitmusProgram> read_litmus(const std::string& path) {
  std::vector<LitmusProgram> programs;
  std::ifstream file(path);
  simdjson::dom::parser parser;
  for (std::string line; std::getline(file, line);) {
    const element from = parser.parse(line);
    LitmusProgram program{.name = std::string(std::string_view(from["name"]))};
    for (const auto [name, value] : from["locations"].get_object()) {
      program.locations.emplace_back(name);
      program.initial.push_back(std::int64_t(value));
    }
    for (const element thread : from["threads"].get_array())
      program.threads.push_back(code_of(thread, program.locations));
    program.rc11 = behaviours_of(from["rc11"]);
    program.sequential = behaviours_of(from["sc"]);
    programs.push_back(program);
  }
  return programs;
}

}  // namespace plumb_tests
