// The result of a test as JSON: one line, with the keys of the interface.
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "plumb/test.hpp"
#include "plumb/value.hpp"

namespace plumb {
namespace {

std::string json_string(const std::string& text) {
  std::string out;
  append_json_string(text, out);
  return out;
}

std::string figures_json(const StressFigures& figures) {
  std::string out = fmt::format(
      R"(,"mode":"stress","rounds":{},"operations":{},"running_ms":{:.1f},"lag_ms":{:.1f},"lag_rounds":{},"checking_ms":{:.1f},"waited_ms":{:.1f})",
      figures.rounds, figures.operations, figures.running_ms, figures.lag_ms, figures.lag_rounds,
      figures.checking_ms, figures.waited_ms);
  out += fmt::format(R"(,"judged":{},"overlapping":{},"left_out":{},"released":{})", figures.judged,
                     figures.overlapping, figures.left_out, figures.released);
  out += fmt::format(R"(,"clock":{},"engine":{},"why":{})", json_string(figures.clock),
                     json_string(figures.engine), json_string(figures.why));
  if (!figures.saved.empty()) out += fmt::format(R"(,"saved":{})", json_string(figures.saved));
  return out;
}

}  // namespace

std::string_view to_string(TestResult::Verdict verdict) {
  static constexpr std::array<std::string_view, 4> kVerdicts{"pass", "violation", "unknown", "error"};
  return kVerdicts.at(static_cast<std::size_t>(verdict));
}

std::string TestResult::json() const {
  std::string out = fmt::format(R"({{"test":{},"verdict":"{}")", json_string(test), to_string(verdict));
  if (!kind.empty()) out += fmt::format(R"(,"kind":{})", json_string(kind));
  out += fmt::format(R"(,"scenarios":{},"executions":{},"histories":{},"serial_histories":{},"exhausted":{})",
                     scenarios, executions, histories, serial_histories, exhausted);
  if (!scenario.empty()) {
    std::vector<std::string> threads;
    for (const auto& calls : scenario) {
      std::vector<std::string> texts;
      texts.reserve(calls.size());
      for (const std::string& call : calls) texts.push_back(json_string(call));
      threads.push_back(fmt::format("[{}]", fmt::join(texts, ",")));
    }
    out += fmt::format(R"(,"scenario":[{}])", fmt::join(threads, ","));
  }
  if (planned > 0) out += fmt::format(R"(,"planned":{},"finished":{})", planned, planned - unfinished.size());
  if (!unfinished.empty()) out += fmt::format(R"(,"unfinished":[{}])", fmt::join(unfinished, ","));
  if (!ended_by.empty()) out += fmt::format(R"(,"ended_by":{})", json_string(ended_by));
  if (unseen > 0) out += fmt::format(R"(,"unseen":{})", unseen);
  if (!unwatched.empty()) {
    std::vector<std::string> libraries;
    libraries.reserve(unwatched.size());
    for (const std::string& library : unwatched) libraries.push_back(json_string(library));
    out += fmt::format(R"(,"unwatched":[{}])", fmt::join(libraries, ","));
  }
  if (!unwatched_writes.empty()) {
    std::vector<std::string> writes;
    writes.reserve(unwatched_writes.size());
    for (const UnwatchedWrite& write : unwatched_writes) {
      writes.push_back(fmt::format(R"({{"by":{},"place":{},"where":{}}})", json_string(write.by),
                                   json_string(write.place), json_string(write.where)));
    }
    out += fmt::format(R"(,"unwatched_writes":[{}])", fmt::join(writes, ","));
  }
  if (!replay.empty()) out += fmt::format(R"(,"replay":{})", json_string(replay));
  if (stress) out += figures_json(*stress);
  if (!message.empty()) out += fmt::format(R"(,"message":{})", json_string(message));
  return out + fmt::format(R"(,"serial_ms":{:.1f},"concurrent_ms":{:.1f},"elapsed_ms":{:.1f}}})", serial_ms,
                           concurrent_ms, elapsed_ms);
}

}  // namespace plumb
