// A verdict as a document: what a terminal shows of it, and the facts.
#include "cli/verdict_output.hpp"
#include "report/history_document.hpp"

namespace plumb::cli {
namespace {

Facts facts_of(const Violation& violation, const History& history) {
  FactValue::List allowed;
  for (const std::string& value : violation.allowed) allowed.emplace_back(FactValue::Json{value});
  Facts facts = {{"operations", violation.operations}, {"reason", violation.reason},
                 {"stuck", violation.stuck},           {"linearized", violation.prefix.size()},
                 {"allowed", std::move(allowed)},      {"allowed_complete", violation.allowed_complete},
                 {"states", violation.states}};
  if (violation.of_core_only) facts.emplace_back("of_core_only", true);
  if (const Value object = history.object(violation.stuck); !object.is_null())
    facts.emplace_back("object", FactValue::Json{history.values().to_json(object)});
  return facts;
}

// Besides those that every verdict has.
void add_facts(const Verdict& verdict, const History& history, Facts& facts) {
  if (!verdict.relax.empty()) {
    Facts relax;
    for (const Relaxation& one : verdict.relax) relax.emplace_back(one.operation, one.k.value_or(0));
    facts.emplace_back("relax", std::move(relax));
  }
  if (!verdict.engines.empty() && verdict.engines.front() == Engine::kHitting)
    facts.emplace_back("depth", verdict.depth);
  if (verdict.explained) {
    facts.emplace_back("explained",
                       Facts{{"operations", verdict.explained->returned}, {"next", verdict.explained->next}});
  }
  if (verdict.violation) facts.emplace_back("violation", facts_of(*verdict.violation, history));
  if (!history.name().empty()) facts.emplace_back("name", history.name());
  facts.emplace_back("parts", verdict.parts);
  facts.emplace_back("configurations", verdict.configurations);
}

}  // namespace

ReportSource source_of(const CheckedHistory& checked) {
  return {std::string(checked.file), checked.index, checked.alone, std::string(checked.model)};
}

Document document_of(const CheckedHistory& checked) {
  Document document = verdict_document(source_of(checked), *checked.history, *checked.verdict);
  document.evidence = verdict_lines(checked);
  document.remarks = {figures_text(checked)};
  add_facts(*checked.verdict, *checked.history, document.facts);
  return document;
}

}  // namespace plumb::cli
