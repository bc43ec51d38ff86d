// What is said of a test in which nothing was found: what was run, what was not, and what would have to be raised for that.
#include <algorithm>
#include <array>
#include <bit>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/count_of.hpp"
#include "testing/test_run.hpp"
#include "testing/time_shares.hpp"

namespace plumb::testing {
namespace {

using Verdict = TestResult::Verdict;

constexpr std::size_t kMostRanges = 12;  // in a sentence

// What comes first names the whole.
struct Name {
  Cut cut;
  const char* name;
};
constexpr std::array kNames{Name{Cut::kStopped, "interrupt"}, Name{Cut::kTime, "timeout"},
                            Name{Cut::kExecutions, "executions"}, Name{Cut::kChecker, "checker"},
                            Name{Cut::kRandom, "random"}};

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

std::string sentence(Cut cut, const TestOptions& options, const std::string& checker) {
  switch (cut) {
    case Cut::kStopped:
      return "it was interrupted";
    case Cut::kTime:
      return fmt::format("the time is spent: --timeout {} would have to be more",
                         seconds_text(options.timeout));
    case Cut::kExecutions:
      return fmt::format("scenarios have more executions than --executions {} lets run: 0 is no limit",
                         options.explore.executions);
    case Cut::kChecker:
      return fmt::format("a history could not be judged: {}", checker);
    case Cut::kRandom:
      return "random walks leave schedules out, however many there are: --strategy reduced runs them all";
    case Cut::kNothing:
      break;
  }
  return "";
}

std::string schedules(const TestOptions& options) {
  const int preemptions = *options.explore.preemptions;
  return preemptions < 0 ? "every schedule"
                         : fmt::format("every schedule with at most {}",
                                       count_of(static_cast<std::uint64_t>(preemptions), "preemption"));
}

}  // namespace

void note_unfinished(const TestOptions& options, std::size_t planned,
                     const std::map<std::size_t, Outcome>& outcomes, TestResult& result) {
  result.planned = planned;
  std::map<Cut, std::string> cuts;  // with what a checker said
  std::string standing;             // of the first that did not come to an end
  for (std::size_t number = 0; number < planned; ++number) {
    const auto known = outcomes.find(number);
    if (known != outcomes.end() && known->second.verdict == Verdict::kPass) continue;
    const bool stopped = options.stop != nullptr && options.stop->load();
    const Cut cut = known != outcomes.end() ? known->second.cut : stopped ? Cut::kStopped : Cut::kTime;
    if (standing.empty() && known != outcomes.end()) standing = known->second.standing;
    cuts.try_emplace(cut, known != outcomes.end() ? known->second.message : "");
    if (cut != Cut::kRandom) result.unfinished.push_back(number + 1);  // that has had all its walks
  }
  if (cuts.empty()) return;
  result.verdict = Verdict::kUnknown;
  result.exhausted = false;
  std::vector<std::string> sentences;
  for (const Name& each : kNames) {
    const auto found = cuts.find(each.cut);
    if (found == cuts.end()) continue;
    if (result.ended_by.empty()) result.ended_by = each.name;
    sentences.push_back(sentence(each.cut, options, found->second));
  }
  if (!standing.empty()) sentences.push_back(standing);
  result.message = fmt::format("{}", fmt::join(sentences, "; "));
}

// A loop that waits may well wait forever, as a lock does; but not whatever came before it.
void tell_never_returns(const TestCase& test, std::uint64_t operations, TestResult& result) {
  result.verdict = Verdict::kError;
  result.exhausted = false;
  result.message =
      fmt::format("{}() never returns, whatever was called before it: it loops forever",
                  test.operations()[static_cast<std::size_t>(std::countr_zero(operations))].name);
  result.report = fmt::format("{}: {}\n", test.name(), result.message);
}

void tell_unshown(const Outcome& known, TestResult& result) {
  const bool died = known.message.empty();
  result.verdict = known.verdict;
  result.kind = died ? "crash" : known.kind;
  result.message = died ? "the process that ran this scenario died; run it alone with --jobs 1"
                        : known.message + " (there was no time to run it again, and to show it)";
  if (known.verdict == Verdict::kError)
    result.report = fmt::format("{}: {}\n", result.test, result.message);
  else
    result.report = fmt::format("violation {}: {}\n{}\n", result.test, result.kind, result.message);
}

std::string summary_text(const TestOptions& options, const TestResult& result) {
  const std::string counts = fmt::format("{}, {}", count_of(result.executions, "execution"),
                                         count_of(result.histories, "distinct history"));
  if (result.verdict == Verdict::kUnknown) {
    std::string text =
        fmt::format("unknown {}: {} of {} finished, {}; not {} was run: {}\n", result.test,
                    result.planned - result.unfinished.size(), count_of(result.planned, "scenario"), counts,
                    schedules(options), result.message);
    if (!result.unfinished.empty() && result.unfinished.size() < result.planned)
      text += fmt::format("Not finished: {}\n", ranges(result.unfinished));
    return text;
  }
  if (result.verdict != Verdict::kPass) return fmt::format("violation {}: {}\n", result.test, result.message);
  std::string text =
      fmt::format("pass {}: {}, {}, {}\n", result.test, count_of(result.scenarios, "scenario"), counts,
                  options.replay.empty() ? schedules(options) + " was run" : result.message);
  if (result.unseen > 0)
    text += fmt::format(
        "In {} of them the class depends on more than plumb sees (code without the hooks?): their schedules "
        "were run one by "
        "one, and each judged as it was run.\n",
        result.unseen);
  return text;
}

}  // namespace plumb::testing
