#include "testing/result_document.hpp"

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/milliseconds.hpp"
#include "explore/memory_models.hpp"
#include "report/renderers.hpp"

namespace plumb {
namespace {

FactValue::Decimal milliseconds(Seconds time) { return {in_milliseconds(time), 1}; }

void add_figures(const StressFigures& figures, Facts& facts) {
  facts.emplace_back("mode", "stress");
  facts.emplace_back("rounds", figures.rounds);
  facts.emplace_back("operations", figures.operations);
  facts.emplace_back("running_ms", milliseconds(figures.running_time));
  facts.emplace_back("lag_ms", milliseconds(figures.lag));
  facts.emplace_back("lag_rounds", figures.lag_rounds);
  facts.emplace_back("checking_ms", milliseconds(figures.checking_time));
  facts.emplace_back("waited_ms", milliseconds(figures.waiting_time));
  facts.emplace_back("judged", figures.judged);
  facts.emplace_back("overlapping", figures.overlapping);
  facts.emplace_back("left_out", figures.left_out);
  facts.emplace_back("released", figures.released);
  facts.emplace_back("clock", figures.clock ? clock_name(*figures.clock) : "");
  facts.emplace_back("engine", figures.engine);
  facts.emplace_back("why", figures.why);
  if (!figures.saved.empty()) facts.emplace_back("saved", figures.saved);
}

FactValue shapes(const std::vector<ExhaustedShape>& all) {
  FactValue::List list;
  for (const ExhaustedShape& each : all) {
    Facts facts = {{"shape", std::to_string(each.threads) + "x" + std::to_string(each.operations)}};
    if (each.preemptions) facts.emplace_back("preemptions", *each.preemptions);
    facts.emplace_back("scenarios", each.scenarios);
    if (each.existing > 0) facts.emplace_back("of", each.existing);
    facts.emplace_back("executions", each.executions);
    facts.emplace_back("histories", each.histories);
    list.emplace_back(std::move(facts));
  }
  return list;
}

Facts campaign_facts(const CampaignFigures& figures) {
  return {{"small", shapes(figures.first)},
          {"further", shapes(figures.further)},
          {"walks", figures.walks},
          {"walked", figures.walked},
          {"walk_histories", figures.walk_histories},
          {"unmet", FactValue::Decimal{figures.unmet, 6}}};
}

FactValue coverage_facts(const Coverage& coverage) {
  FactValue::List operations;
  for (const OperationCoverage& each : coverage.operations) {
    Facts facts = {{"operation", each.name}, {"called", each.is_called}, {"results", each.results}};
    if (each.are_more_results) facts.emplace_back("more_results", true);
    facts.emplace_back("succeeded", each.succeeded);
    if (each.failed) facts.emplace_back("failed", true);
    if (each.threw) facts.emplace_back("threw", true);
    if (each.waited) facts.emplace_back("waited", true);
    facts.emplace_back("overlapped", each.overlapped);
    facts.emplace_back("took_turns", each.took_turns);
    if (!each.apart.empty()) facts.emplace_back("apart", each.apart);
    operations.emplace_back(std::move(facts));
  }
  FactValue::List unreached;
  for (const SourcePlace& place : coverage.unreached)
    unreached.emplace_back(Facts{{"file", place.file}, {"line", place.line}, {"function", place.function}});
  return Facts{{"operations", std::move(operations)},
               {"overlapped", coverage.overlapped},
               {"pairs", coverage.pairs},
               {"warnings", coverage.warnings},
               {"unreached", std::move(unreached)}};
}

// What the run did not see, or did not come to.
void add_limits(const TestResult& result, Facts& facts) {
  if (result.planned > 0) {
    facts.emplace_back("planned", result.planned);
    facts.emplace_back("finished", result.planned - result.unfinished.size());
  }
  if (!result.unfinished.empty()) facts.emplace_back("unfinished", result.unfinished);
  if (!result.cut_off.empty()) {
    FactValue::List cut_off;
    for (const CutScenario& each : result.cut_off)
      cut_off.emplace_back(Facts{{"scenario", each.number}, {"threads", each.threads}});
    facts.emplace_back("cut_off", std::move(cut_off));
  }
  if (result.ended_by) facts.emplace_back("ended_by", to_string(*result.ended_by));
  if (result.unseen > 0) facts.emplace_back("unseen", result.unseen);
  if (result.held_back > 0) facts.emplace_back("held_back", result.held_back);
  if (result.by_schedules > 0) {
    facts.emplace_back("by_schedules", result.by_schedules);
    facts.emplace_back("beyond_states", result.beyond_states);
  }
  if (!result.unwatched.empty()) facts.emplace_back("unwatched", result.unwatched);
  if (result.unwatched_writes.empty()) return;
  FactValue::List writes;
  for (const UnwatchedWrite& write : result.unwatched_writes)
    writes.emplace_back(Facts{{"by", write.by}, {"place", write.place}, {"where", write.where}});
  facts.emplace_back("unwatched_writes", std::move(writes));
}

FactValue models_of(const std::vector<ModelFigures>& models) {
  FactValue::List list;
  for (const ModelFigures& each : models) {
    Facts facts = {{"memory_model", engine::word_of(each.memory_model)},
                   {"scenarios", each.scenarios},
                   {"executions", each.executions},
                   {"exhausted", each.exhausted}};
    if (each.walks > 0) facts.emplace_back("walks", each.walks);
    if (!each.not_run.empty()) facts.emplace_back("not_run", each.not_run);
    list.emplace_back(std::move(facts));
  }
  return list;
}

// The keys of the interface.
Facts facts_of(const TestResult& result) {
  Facts facts = {{"test", result.test}, {"verdict", to_string(result)}};
  if (result.kind) facts.emplace_back("kind", to_string(*result.kind));
  if (result.memory_model) facts.emplace_back("memory_model", engine::word_of(*result.memory_model));
  facts.emplace_back("scenarios", result.scenarios);
  facts.emplace_back("executions", result.executions);
  facts.emplace_back("histories", result.histories);
  facts.emplace_back("serial_histories", result.serial_histories);
  facts.emplace_back("exhausted", result.exhausted);
  if (!result.scenario.empty()) facts.emplace_back("scenario", result.scenario);
  add_limits(result, facts);
  if (!result.replay.empty()) facts.emplace_back("replay", result.replay);
  if (result.campaign) facts.emplace_back("campaign", campaign_facts(*result.campaign));
  if (result.coverage) facts.emplace_back("coverage", coverage_facts(*result.coverage));
  if (!result.models.empty()) facts.emplace_back("models", models_of(result.models));
  if (result.stress) add_figures(*result.stress, facts);
  if (!result.message.empty()) facts.emplace_back("message", result.message);
  facts.emplace_back("serial_ms", milliseconds(result.serial_time));
  facts.emplace_back("concurrent_ms", milliseconds(result.concurrent_time));
  if (result.found_after > Seconds::zero()) facts.emplace_back("found_ms", milliseconds(result.found_after));
  facts.emplace_back("elapsed_ms", milliseconds(result.elapsed));
  return facts;
}

// Where nothing was found: all that is printed behind the name of the test.
std::string what_was_run(const TestResult& result) {
  const std::string head = fmt::format("{} {}: ", to_string(result), result.test);
  if (result.verdict == Outcome::kViolation || !result.report.starts_with(head)) return result.message;
  const std::size_t end = result.report.find_last_not_of('\n') + 1;
  return result.report.substr(head.size(), end - head.size());
}

}  // namespace

std::string kind_text(const TestResult& result) {
  return result.kind ? std::string(to_string(*result.kind)) : "";
}

void ResultDocument::keep(Document document, TestResult& result) {
  result.report = render_text(document);
  result.document_ = std::make_shared<const Document>(std::move(document));
}

Document ResultDocument::of(const TestResult& result) {
  Document document;
  if (result.document_) {
    document = *result.document_;
  } else {
    document.name = result.test;
    document.verdict = to_string(result);
    document.kind = kind_text(result);
    document.summary = what_was_run(result);
  }
  document.facts = facts_of(result);
  document.seconds = result.elapsed.count();
  return document;
}

}  // namespace plumb
