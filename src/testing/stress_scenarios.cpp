#include "testing/stress_scenarios.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "testing/time_shares.hpp"

namespace plumb::testing {
namespace {

constexpr std::size_t kSmall = 3;          // threads and operations of a scenario, at most
constexpr std::size_t kDraws = 5;          // scenarios of each size that are tried for one that is wanted
constexpr std::size_t kMostReleasing = 3;  // calls that are added to a scenario
constexpr double kMostOrders = 20'000;     // serial ones, of a scenario to which calls are added

// Not more than there are rounds.
std::size_t wanted(const StressOptions& options) {
  return std::min<std::size_t>(options.scenarios, options.rounds.value_or(options.scenarios));
}

// Of the sizes that are drawn: smaller ones may end where larger ones rarely do (acquire, release).
// Where calls may be left out, the largest has too many serial orders.
std::vector<Sizes> sizes_of(const TestCase& test, const StressOptions& options) {
  std::vector<Sizes> all;
  for (const auto& [threads, operations] :
       {std::pair{kSmall, kSmall}, {kSmall, kSmall - 1}, {kSmall - 1, kSmall - 1}}) {
    if (operations == kSmall && test.any_may_fail()) continue;
    const Sizes sizes{.threads = std::min(options.threads, threads),
                      .operations = std::min(options.operations, operations),
                      .samples = wanted(options) * kDraws,
                      .seed = options.seed};
    const auto same = [&](const Sizes& other) {
      return other.threads == sizes.threads && other.operations == sizes.operations;
    };
    if (std::ranges::none_of(all, same)) all.push_back(sizes);
  }
  return all;
}

double serial_orders(const Scenario& scenario) {
  double orders = 1;
  double placed = 0;
  for (const auto& calls : scenario.threads) {
    for (std::size_t i = 1; i <= calls.size(); ++i) orders *= ++placed / static_cast<double>(i);
  }
  return orders;
}

class Choice {
 public:
  Choice(const TestCase& test, const StressOptions& options, std::optional<Seconds> time)
      : test_(test), options_(options), time_(time) {}

  Result<StressScenarios> choose() {
    const Status status = test_.scenarios().empty() ? draw() : take_given();
    if (!status) return status.error();
    return std::move(chosen_);
  }

 private:
  Status draw() {
    for (const Sizes& sizes : sizes_of(test_, options_)) {
      for (Scenario& scenario : sample(test_, sizes)) {
        if (chosen_.scenarios.size() == wanted(options_)) return Ok{};
        auto line_up = run_serially(scenario);
        if (!line_up) return line_up.error();
        if (*line_up == nullptr) return Ok{};
        take_or_leave(std::move(scenario), std::move(*line_up));
      }
      if (chosen_.left_out == 0) return Ok{};
    }
    return Ok{};
  }

  // Those of the test itself: they are to be run, so what it takes to end them is added.
  Status take_given() {
    auto given = given_scenarios(test_);
    if (!given) return given.error();
    for (Scenario& scenario : *given) {
      if (test_.chosen_model() != nullptr) {
        take(scenario, std::make_unique<LineUp>(test_, scenario));
        continue;
      }
      auto line_up = run_serially(scenario);
      if (!line_up) return line_up.error();
      if (*line_up == nullptr) return Ok{};
      if ((*line_up)->tree().dead_end() && release(scenario)) continue;
      if (over()) return Ok{};
      take_or_leave(std::move(scenario), std::move(*line_up));
    }
    return Ok{};
  }

  // Null: something was found, or the time is over.
  Result<std::unique_ptr<LineUp>> run_serially(const Scenario& scenario) {
    auto line_up = std::make_unique<LineUp>(test_, scenario);
    Settings settings;
    settings.explore.timeout = time_.left();
    settings.explore.stop = options_.stop;
    settings.trace = false;
    ScenarioResult outcome;
    if (line_up->run_serially(settings, outcome)) return line_up;
    if (outcome.refused) return Error{outcome.message};
    chosen_.found = std::move(outcome);
    return std::unique_ptr<LineUp>();
  }

  [[nodiscard]] bool over() const {
    return chosen_.found.verdict == Outcome::kViolation || chosen_.found.cut;
  }

  void take(Scenario scenario, std::unique_ptr<LineUp> line_up) {
    chosen_.scenarios.push_back(std::move(scenario));
    chosen_.line_ups.push_back(std::move(line_up));
  }

  void take_or_leave(Scenario scenario, std::unique_ptr<LineUp> line_up) {
    const auto dead_end = line_up->tree().dead_end();
    if (!dead_end) return take(std::move(scenario), std::move(line_up));
    if (chosen_.left_out++ == 0) chosen_.blocks = how_it_blocks(*line_up, *dead_end);
  }

  // Takes it with one more thread, of as few calls as are enough; false: these are too many.
  bool release(const Scenario& scenario) {
    if (scenario.threads.size() == kMaxTestThreads) return false;
    for (std::size_t calls = 1; calls <= kMostReleasing && scenario.size() + calls <= kMaxOperations;
         ++calls) {
      for (std::size_t i = 0; i < test_.invocations().size(); ++i) {
        const test::Invocation& invocation = test_.invocations()[i];
        if (!invocation.listed || !test_.operations()[invocation.operation].group.empty()) continue;
        Scenario more = scenario;
        more.threads.emplace_back(calls, static_cast<InvocationId>(i));
        if (serial_orders(more) > kMostOrders) return false;
        auto line_up = run_serially(more);
        if (!line_up || *line_up == nullptr) return false;
        if ((*line_up)->tree().dead_end()) continue;
        take(std::move(more), std::move(*line_up));
        ++chosen_.released;
        return true;
      }
    }
    return false;
  }

  [[nodiscard]] std::string how_it_blocks(const LineUp& line_up, SerialTree::Node dead_end) const {
    const auto labels = [&](const std::vector<std::size_t>& operations) {
      std::vector<std::string> texts;
      texts.reserve(operations.size());
      for (const std::size_t operation : operations)
        texts.push_back(test_.label(line_up.layout().invocation(operation)));
      return fmt::format("{}", fmt::join(texts, ", "));
    };
    const SerialTree& tree = line_up.tree();
    std::vector<std::size_t> open;
    for (std::size_t operation = 0; operation < line_up.layout().size(); ++operation) {
      if (const auto child = tree.child(dead_end, operation);
          child != SerialTree::kNone && tree.blocks(child))
        open.push_back(operation);
    }
    const std::string before = labels(tree.path(dead_end));
    return before.empty() ? labels(open) + " at once" : fmt::format("{} after {}", labels(open), before);
  }

  const TestCase& test_;
  const StressOptions& options_;
  TimeShares time_;
  StressScenarios chosen_;
};

}  // namespace

Result<StressScenarios> stress_scenarios(const TestCase& test, const StressOptions& options,
                                         std::optional<Seconds> time) {
  return Choice(test, options, time).choose();
}

std::string why_nothing_runs(const StressScenarios& chosen, const StressOptions& options) {
  if (chosen.found.verdict == Outcome::kViolation) return chosen.found.message;
  const std::string standing = chosen.found.standing.empty() ? "" : "; " + chosen.found.standing;
  if (chosen.found.cut == CutOff::kTimeout)
    return fmt::format("--timeout {} was spent on serial runs, before any thread ran{}",
                       seconds_text(options.timeout.value_or(Seconds::zero())), standing);
  if (chosen.found.cut) return "it was interrupted before any thread ran" + standing;
  return fmt::format(
      "every scenario that was tried ({}) may deadlock, and real threads would wait "
      "there forever: "
      "{}. Name an operation that releases them, or scenarios that end (test.scenario); without --mode "
      "stress neither is "
      "needed",
      chosen.left_out, chosen.blocks);
}

}  // namespace plumb::testing
