#include "testing/run_context.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/count_of.hpp"
#include "explore/unwatched.hpp"
#include "testing/scenario.hpp"

namespace plumb::testing {
namespace {

// Seconds for which the answers of workers are waited for when the time is over, or the end is asked for. They end by themselves before.
constexpr double kPatience = 4;
constexpr double kPatienceOnRequest = 0.9;

// What somebody sends a process, a resource manager or a machine without memory, and no class does to itself.
bool is_sent(int how) { return how == SIGKILL || how == SIGTERM || how == SIGINT; }

}  // namespace

RunContext::RunContext(TestCase& its_test, const TestOptions& its_options, const Sharing& sharing)
    : test(its_test),
      options(its_options),
      time(its_options.timeout),
      pool(sharing.pool),
      shard(sharing.shard),
      journal(sharing.journal),
      runner(its_test, its_options) {
  result.test = test.name();
  result.unwatched = engine::unwatched_libraries();
}

std::vector<const ScenarioPiece*> RunContext::known(MemoryModel memory_model) const {
  std::vector<const ScenarioPiece*> pieces;
  if (journal == nullptr) return pieces;
  for (const ScenarioPiece& piece : journal->known(test.name())) {
    const bool is_mine = merges() || shard.has(piece.request.number);
    if (is_mine && piece.request.effort.memory_model == memory_model) pieces.push_back(&piece);
  }
  return pieces;
}

// What was interrupted says nothing.
void RunContext::keep(const ScenarioRequest& asked, const ScenarioResult& outcome, Seconds took) {
  if (journal == nullptr || merges() || outcome.cut == CutOff::kInterrupt) return;
  journal->append({asked, took, before + time.passed(), outcome});
}

ScenarioResult RunContext::missing(std::size_t number) {
  const Scenario& scenario = runner.scenarios()[number];
  journal->note_missing(
      fmt::format("{}: scenario {}: {}", test.name(), number + 1, described(scenario, test)));
  ScenarioResult outcome;
  outcome.standing = "what is missing is in no journal";
  return outcome;
}

work::WorkerPool RunContext::workers(std::size_t count, std::function<bool()> more) {
  board.cores().forget_taken();
  return workers_here(count, std::max<std::size_t>(count, jobs()), runner, board,
                      [this, more = std::move(more)]() -> std::optional<double> {
                        const bool ends_now = asked() || is_over;
                        if (board && ends_now) board.stop() = true;
                        if (ends_now) return kPatienceOnRequest;
                        if (time.spent() || (more && !more())) return kPatience;
                        return std::nullopt;
                      });
}

void RunContext::go_on() {
  is_over = false;
  board.cores().forget_taken();
  if (board && !asked()) board.stop() = false;
}

ScenarioResult RunContext::without_end(std::string standing) const {
  ScenarioResult outcome;
  outcome.cut = asked() ? CutOff::kInterrupt : CutOff::kTimeout;
  outcome.standing = std::move(standing);
  return outcome;
}

ScenarioResult RunContext::of_dead(std::size_t number, int how) const {
  if (how == -kCannotEnd)
    return without_end((board ? board.words_about(number) : std::nullopt)
                           .value_or("a process that ran a scenario could not be ended, and ended itself"));
  if (is_sent(how)) {
    ScenarioResult killed;
    killed.cut = CutOff::kInterrupt;
    killed.standing =
        fmt::format("the process that ran scenario {} was ended from outside, by signal {} ({})", number + 1,
                    how, strsignal(how));
    return killed;
  }
  ScenarioResult crash;
  crash.verdict = Outcome::kViolation;
  return crash;
}

void RunContext::add(std::size_t number, const ScenarioResult& outcome) {
  if (outcome.exhausted && outcome.held_back) held_back.insert(number);
  result.held_back = held_back.size();
  result.executions += outcome.executions;
  result.histories += outcome.histories;
  result.serial_histories += outcome.serial_histories;
  result.serial_time += outcome.serial_time;
  result.concurrent_time += outcome.concurrent_time;
  returned |= outcome.returned;
  spun_forever |= outcome.spun_forever;
  has_weak_orders |= outcome.has_weak_orders;
  orders_met |= outcome.orders_met;
  if (outcome.memory_model == models_of(options).front())
    coverage.add(outcome.coverage);
  else
    coverage.add_claims(outcome.coverage);
  engine::add_unwatched(outcome.unwatched_writes, result.unwatched_writes);
}

std::string refused_text(const RunContext& context, const std::map<std::size_t, ScenarioResult>& refused) {
  if (refused.empty()) return "";
  const auto& [number, outcome] = *refused.begin();
  std::string text =
      fmt::format("{}; in {}", outcome.message, described(context.runner.scenarios()[number], context.test));
  if (refused.size() > 1) text += fmt::format(" and {}", count_of(refused.size() - 1, "other scenario"));
  return text;
}

}  // namespace plumb::testing
