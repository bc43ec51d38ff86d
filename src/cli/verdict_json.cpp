// One verdict, one line. Values of the history are JSON already and go in as they are.
#include <fmt/format.h>

#include "cli/verdict_output.hpp"
#include "history/printable.hpp"

namespace plumb::cli {
namespace {

template <class Items, class ToText>
std::string json_array(const Items& items, const ToText& to_text) {
  std::string out = "[";
  for (const auto& item : items) {
    if (out.size() > 1) out += ",";
    out += to_text(item);
  }
  return out + "]";
}

std::string violation_json(const Violation& violation, const History& history) {
  const auto number = [](OperationId id) { return fmt::format("{}", id); };
  const auto as_is = [](const std::string& json) { return json; };
  const Value object = history.object(violation.stuck);
  return fmt::format(
      R"({{"operations":{},"reason":{},"stuck":{},"linearized":{},"allowed":{},"allowed_complete":{},"states":{}{}{}}})",
      json_array(violation.operations, number), json_string(violation.reason), violation.stuck,
      violation.prefix.size(), json_array(violation.allowed, as_is), violation.allowed_complete,
      json_array(violation.states, json_string), violation.of_core_only ? R"(,"of_core_only":true)" : "",
      object.is_null() ? "" : R"(,"object":)" + history.values().to_json(object));
}

std::string relax_json(const std::vector<Relax>& relax) {
  std::string out;
  for (const Relax& one : relax)
    out += fmt::format("{}{}:{}", out.empty() ? "" : ",", json_string(one.operation), one.k.value_or(0));
  return "{" + out + "}";
}

}  // namespace

std::string verdict_json(const Judged& judged) {
  const History& history = *judged.history;
  const Verdict& verdict = *judged.verdict;
  std::string out = fmt::format(
      R"({{"file":{},"history":{},"verdict":"{}","model":{},"engine":{},"why":{},"operations":{},"pending":{},"processes":{},"elapsed_ms":{:.3f})",
      json_string(judged.file), judged.index, to_string(verdict.outcome), json_string(judged.model),
      json_string(verdict.engine), json_string(verdict.why), history.size(), history.pending(),
      history.processes(), verdict.elapsed_ms);
  if (!verdict.relax.empty()) out += ",\"relax\":" + relax_json(verdict.relax);
  if (verdict.engine.starts_with("hitting")) {
    out += fmt::format(",\"depth\":{}", verdict.depth ? fmt::format("{}", *verdict.depth) : "null");
  }
  if (verdict.explained) {
    out += fmt::format(R"(,"explained":{{"operations":{},"next":{}}})", verdict.explained->returned,
                       verdict.explained->next);
  }
  if (verdict.violation) out += ",\"violation\":" + violation_json(*verdict.violation, history);
  if (!history.name().empty()) out += ",\"name\":" + json_string(history.name());
  out += fmt::format(",\"parts\":{},\"configurations\":{}", verdict.parts, verdict.configurations);
  return without_raw_controls(out) + "}\n";
}

}  // namespace plumb::cli
