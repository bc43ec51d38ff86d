// One verdict, one line. Values of the history are JSON already and go in as they are.
#include "cli/verdict_output.hpp"
#include "json/json_writer.hpp"

namespace plumb::cli {
namespace {

void write_violation(JsonWriter& json, const Violation& violation, const History& history) {
  const Value object = history.object(violation.stuck);
  json.object([&] {
    json.key("operations").array(violation.operations);
    json.member("reason", violation.reason);
    json.member("stuck", violation.stuck);
    json.member("linearized", violation.prefix.size());
    json.key("allowed").array(violation.allowed,
                              [&](const std::string& value) { json.value(JsonWriter::Raw{value}); });
    json.member("allowed_complete", violation.allowed_complete);
    json.key("states").array(violation.states);
    if (violation.of_core_only) json.member("of_core_only", true);
    if (!object.is_null()) json.member("object", JsonWriter::Raw{history.values().to_json(object)});
  });
}

void write_verdict(JsonWriter& json, const Verdict& verdict, const History& history) {
  if (!verdict.relax.empty()) {
    json.key("relax").object([&] {
      for (const Relax& one : verdict.relax) json.member(one.operation, one.k.value_or(0));
    });
  }
  if (verdict.engine.starts_with("hitting")) json.member("depth", verdict.depth);
  if (verdict.explained) {
    json.key("explained").object([&] {
      json.member("operations", verdict.explained->returned);
      json.member("next", verdict.explained->next);
    });
  }
  if (verdict.violation) write_violation(json.key("violation"), *verdict.violation, history);
}

}  // namespace

std::string verdict_json(const Judged& judged) {
  const History& history = *judged.history;
  const Verdict& verdict = *judged.verdict;
  JsonWriter json;
  json.object([&] {
    json.member("file", judged.file);
    json.member("history", judged.index);
    json.member("verdict", to_string(verdict.outcome));
    json.member("model", judged.model);
    json.member("engine", verdict.engine);
    json.member("why", verdict.why);
    json.member("operations", history.size());
    json.member("pending", history.pending());
    json.member("processes", history.processes());
    json.member("elapsed_ms", JsonWriter::Fixed{verdict.elapsed_ms, 3});
    write_verdict(json, verdict, history);
    if (!history.name().empty()) json.member("name", history.name());
    json.member("parts", verdict.parts);
    json.member("configurations", verdict.configurations);
  });
  return json.take() + "\n";
}

}  // namespace plumb::cli
