// The result of a test as JSON: one line, with the keys of the interface.
#include <array>

#include <plumb/test.hpp>

#include "json/json_writer.hpp"

namespace plumb {
namespace {

JsonWriter::Fixed milliseconds(double time) { return {time, 1}; }

void write_figures(JsonWriter& json, const StressFigures& figures) {
  json.member("mode", "stress");
  json.member("rounds", figures.rounds);
  json.member("operations", figures.operations);
  json.member("running_ms", milliseconds(figures.running_ms));
  json.member("lag_ms", milliseconds(figures.lag_ms));
  json.member("lag_rounds", figures.lag_rounds);
  json.member("checking_ms", milliseconds(figures.checking_ms));
  json.member("waited_ms", milliseconds(figures.waited_ms));
  json.member("judged", figures.judged);
  json.member("overlapping", figures.overlapping);
  json.member("left_out", figures.left_out);
  json.member("released", figures.released);
  json.member("clock", figures.clock);
  json.member("engine", figures.engine);
  json.member("why", figures.why);
  if (!figures.saved.empty()) json.member("saved", figures.saved);
}

// What the run did not see, or did not come to.
void write_limits(JsonWriter& json, const TestResult& result) {
  if (result.planned > 0) {
    json.member("planned", result.planned);
    json.member("finished", result.planned - result.unfinished.size());
  }
  if (!result.unfinished.empty()) json.key("unfinished").array(result.unfinished);
  if (!result.ended_by.empty()) json.member("ended_by", result.ended_by);
  if (result.unseen > 0) json.member("unseen", result.unseen);
  if (!result.unwatched.empty()) json.key("unwatched").array(result.unwatched);
  if (!result.unwatched_writes.empty()) {
    json.key("unwatched_writes").array(result.unwatched_writes, [&](const UnwatchedWrite& write) {
      json.object([&] {
        json.member("by", write.by);
        json.member("place", write.place);
        json.member("where", write.where);
      });
    });
  }
}

}  // namespace

std::string_view to_string(TestResult::Verdict verdict) {
  static constexpr std::array<std::string_view, 4> kVerdicts{"pass", "violation", "unknown", "error"};
  return kVerdicts.at(static_cast<std::size_t>(verdict));
}

std::string TestResult::json() const {
  JsonWriter json;
  json.object([&] {
    json.member("test", test);
    json.member("verdict", to_string(verdict));
    if (!kind.empty()) json.member("kind", kind);
    json.member("scenarios", scenarios);
    json.member("executions", executions);
    json.member("histories", histories);
    json.member("serial_histories", serial_histories);
    json.member("exhausted", exhausted);
    if (!scenario.empty()) {
      json.key("scenario").array(scenario, [&](const auto& calls) { json.array(calls); });
    }
    write_limits(json, *this);
    if (!replay.empty()) json.member("replay", replay);
    if (stress) write_figures(json, *stress);
    if (!message.empty()) json.member("message", message);
    json.member("serial_ms", milliseconds(serial_ms));
    json.member("concurrent_ms", milliseconds(concurrent_ms));
    json.member("elapsed_ms", milliseconds(elapsed_ms));
  });
  return json.take();
}

}  // namespace plumb
