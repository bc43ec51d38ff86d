// What is said of a test in which nothing was found: what was run, what was not, and what would have to be raised for that.
#include <algorithm>
#include <array>
#include <bit>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/count_of.hpp"
#include "explore/memory_models.hpp"
#include "testing/campaign_run.hpp"
#include "testing/coverage.hpp"
#include "testing/kinds.hpp"
#include "testing/result_document.hpp"
#include "testing/shape.hpp"
#include "testing/test_run.hpp"
#include "testing/time_shares.hpp"

namespace plumb::testing {
namespace {

constexpr std::size_t kMostRanges = 12;  // in a sentence

// What comes first names the whole.
constexpr std::array kByWeight{CutOff::kInterrupt, CutOff::kTimeout, CutOff::kExecutions, CutOff::kChecker,
                               CutOff::kRandom};
static_assert(kByWeight.size() == kCutOffs, "each has its weight");

// 3, 5-9, 12
std::string ranges(const std::vector<std::size_t>& numbers) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < numbers.size() && texts.size() <= kMostRanges;) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    texts.push_back(i == last ? std::to_string(numbers[i]) : fmt::format("{}-{}", numbers[i], numbers[last]));
    i = last + 1;
  }
  if (texts.size() > kMostRanges) texts.back() = "…";
  return fmt::format("{}", fmt::join(texts, ", "));
}

// What would have to be raised.
std::string time_limit(const TestOptions& options, bool is_campaign) {
  if (!is_campaign && !options.samples_within_budget)
    return "--timeout " + seconds_text(options.timeout.value_or(Seconds::zero()));
  const auto budget = budget_of(options);
  const bool is_timeout = budget && options.timeout && *budget == *options.timeout;
  if (!is_campaign)
    return fmt::format("the {} s of a --strategy without --samples or --timeout",
                       seconds_text(budget ? *budget : Seconds::zero()));
  return (is_timeout ? "--timeout " : "--budget ") + seconds_text(budget ? *budget : Seconds::zero());
}

std::string sentence(CutOff cut, const TestOptions& options, bool is_campaign, const std::string& checker) {
  switch (cut) {
    case CutOff::kInterrupt:
      return "it was interrupted";
    case CutOff::kTimeout:
      return fmt::format("the time ran out: {} was too short", time_limit(options, is_campaign));
    case CutOff::kExecutions:
      return fmt::format("scenarios have more executions than --executions {} allows: 0 is no limit",
                         options.explore.executions.value_or(0));
    case CutOff::kChecker:
      return fmt::format("a history could not be judged: {}", checker);
    case CutOff::kRandom:
      return "random walks leave schedules out, however many there are: --strategy reduced runs them all";
  }
  return "";
}

std::string schedules(const TestOptions& options) {
  if (const MemoryModel model = models_of(options).front(); model != MemoryModel::kSequential)
    return fmt::format("every execution under {}", engine::word_of(model));
  const std::optional<unsigned> most = bound_of(options).most();
  return most ? fmt::format("every schedule with at most {}", count_of(*most, "preemption"))
              : "every schedule";
}

}  // namespace

void note_unfinished(const TestOptions& options, std::span<const Scenario> planned,
                     const std::map<std::size_t, ScenarioResult>& outcomes, TestResult& result,
                     const Shard& shard) {
  result.planned = 0;
  std::map<std::optional<CutOff>, std::string> cuts;  // with what a checker said
  std::string standing;                               // of the first that did not come to an end
  for (std::size_t number = 0; number < planned.size(); ++number) {
    if (!shard.has(number)) continue;
    ++result.planned;
    const auto known = outcomes.find(number);
    if (known != outcomes.end() && (known->second.verdict == Outcome::kHolds || known->second.refused))
      continue;  // what a memory model cannot run is said with the model
    const bool stopped = options.stop != nullptr && options.stop->load();
    const std::optional<CutOff> cut = known != outcomes.end() ? known->second.cut
                                      : stopped               ? CutOff::kInterrupt
                                                              : CutOff::kTimeout;
    if (standing.empty() && known != outcomes.end()) standing = known->second.standing;
    cuts.try_emplace(cut, known != outcomes.end() ? known->second.message : "");
    if (cut == CutOff::kRandom) continue;  // that has had all its walks
    result.unfinished.push_back(number + 1);
    if (known == outcomes.end()) continue;
    CutScenario& begun = result.cut_off.emplace_back(CutScenario{number + 1, {}});
    for (const auto& thread : planned[number].threads) begun.threads.push_back(thread.size());
  }
  if (cuts.empty()) return;
  result.verdict = Outcome::kUnknown;
  result.exhausted = false;
  std::vector<std::string> sentences;
  for (const CutOff cut : kByWeight) {
    const auto found = cuts.find(cut);
    if (found == cuts.end()) continue;
    if (!result.ended_by) result.ended_by = cut;
    sentences.push_back(sentence(cut, options, result.campaign.has_value(), found->second));
  }
  if (!standing.empty()) sentences.push_back(standing);
  result.message = fmt::format("{}", fmt::join(sentences, "; "));
}

std::string cut_off_text(const TestResult& result) {
  if (result.cut_off.empty()) return "";
  std::vector<std::string> shapes;
  for (const CutScenario& each : result.cut_off) {
    const bool even = std::ranges::count(each.threads, each.threads.front()) == std::ssize(each.threads);
    std::string shape = even ? to_text(Shape{each.threads.size(), each.threads.front()})
                             : fmt::format("{}", fmt::join(each.threads, "+"));
    if (std::ranges::find(shapes, shape) == shapes.end()) shapes.push_back(std::move(shape));
  }
  return fmt::format(", {} cut off ({})", result.cut_off.size(), fmt::join(shapes, ", "));
}

// A loop that waits may well wait forever, as a lock does; but not whatever came before it.
void tell_never_returns(const TestCase& test, std::uint64_t operations, TestResult& result) {
  result.verdict = Outcome::kUnknown;
  result.refused = true;
  result.exhausted = false;
  result.message =
      fmt::format("{}() never returns, whatever was called before it: it loops forever",
                  test.operations()[static_cast<std::size_t>(std::countr_zero(operations))].name);
  result.report = fmt::format("{}: {}\n", test.name(), result.message);
}

void tell_unshown(const ScenarioResult& known, TestResult& result) {
  const bool died = known.message.empty();
  result.verdict = known.verdict;
  result.refused = known.refused;
  result.kind = died ? ViolationKind::kCrash : known.kind;
  result.message = died ? "the process that ran this scenario died; run it alone with --jobs 1"
                        : known.message + " (there was no time to run it again and show it)";
  if (known.refused)
    result.report = fmt::format("{}: {}\n", result.test, result.message);
  else
    result.report = fmt::format("violation {}: {}\n{}\n", result.test, kind_text(result), result.message);
}

std::string limits_text(const TestResult& result) {
  std::string text;
  if (result.unseen > 0)
    text += fmt::format(
        "In {} of them the class depends on more than plumb sees (code without the hooks?): their schedules "
        "were run one by one, and each judged as it was run.\n",
        result.unseen);
  if (result.held_back > 0)
    text += fmt::format(
        "In {} a loop that may count its rounds went round so often (--patience) that from then "
        "on it was run only while no other thread could go on: its later rounds were not run in every "
        "order.\n",
        count_of(result.held_back, "scenario"));
  return text;
}

namespace {

// Without its warnings.
std::string verdict_text(const TestOptions& options, const TestResult& result) {
  const std::string counts = fmt::format("{}, {}", count_of(result.executions, "execution"),
                                         count_of(result.histories, "distinct history"));
  if (result.campaign && result.verdict != Outcome::kViolation)
    return campaign_text(options, result) + models_text(options, result);
  if (result.verdict == Outcome::kUnknown) {
    std::string text =
        fmt::format("unknown {}: {} of {} finished{}, {}; not {} was run: {}\n", result.test,
                    result.planned - result.unfinished.size(), count_of(result.planned, "scenario"),
                    cut_off_text(result), counts, schedules(options), result.message);
    if (!result.unfinished.empty() && result.unfinished.size() < result.planned)
      text += fmt::format("Not finished: {}\n", ranges(result.unfinished));
    return text + models_text(options, result);
  }
  if (result.verdict != Outcome::kHolds)
    return fmt::format("violation {}: {}\n", result.test, result.message);
  std::string text =
      fmt::format("pass {}: {}, {}, {}\n", result.test, count_of(result.scenarios, "scenario"), counts,
                  options.replay.empty() ? schedules(options) + " was run" : result.message);
  text += limits_text(result);
  if (result.by_schedules > 0)
    text += fmt::format("In {} of them schedules were searched, not states: {}.\n", result.by_schedules,
                        result.beyond_states);
  return text + models_text(options, result);
}

}  // namespace

std::string summary_text(const TestOptions& options, const TestResult& result) {
  return verdict_text(options, result) + (result.coverage ? warnings_text(*result.coverage) : "");
}

}  // namespace plumb::testing
