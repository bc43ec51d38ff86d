#include "testing/scenario_runner.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>
#include <plumb/detail/mix.hpp>

#include "base/file_io.hpp"
#include "base/message.hpp"
#include "explore/explore_graphs.hpp"
#include "explore/memory_models.hpp"
#include "options/option_values.hpp"
#include "testing/scenario_answer.hpp"

namespace plumb::testing {
namespace {

constexpr std::size_t kAllUpTo = 3;  // AutoCheck runs all scenarios up to 3x3, from there on samples
constexpr std::size_t kSamples = 100;
constexpr Seconds kBudget{60};
constexpr unsigned kEnough = 2;  // preemptions, as the paper found

}  // namespace

TestOptions options_for(const TestCase& test, const TestOptions& given) {
  TestOptions options = given;
  if (test.explore_options()) options.explore = *test.explore_options();
  return options;
}

std::vector<MemoryModel> models_of(const TestOptions& options) {
  if (options.memory_model) return {*options.memory_model};
  if (options.explore.memory_model != MemoryModel::kSequential) return {options.explore.memory_model};
  if (!options.explore.orders.empty()) return {engine::kDefaultWeakModel};  // elsewhere they change nothing
  return {MemoryModel::kSequential, engine::kDefaultWeakModel};
}

std::optional<std::string> no_graphs_for(const TestCase& test, const TestOptions& options) {
  if (test.is_lock_free() || test.is_obstruction_free())
    if (models_of(options).front() != MemoryModel::kSequential)
      return "claims about progress (lock_free, obstruction_free) are tested under the memory model sc only";
  if (test.destroys())
    return "when an object may be destroyed (destroys_after) is tested under the memory model sc only: under "
           "a weak one there is no moment from which on it is gone for all threads";
  ExploreOptions explore = options.explore;
  explore.memory_model = models_of(options).back();
  explore.preemptions.reset();
  return engine::no_graphs_for(explore);
}

bool runs_campaign(const TestCase& test, const TestOptions& options) {
  const bool is_told = options.samples || options.grow || !test.scenarios().empty();
  const bool has_files = !options.against.empty() || !options.observations.empty();
  return !is_told && !has_files && options.replay.empty() && options.explore.order == SearchOrder::kReduced;
}

PreemptionBound bound_of(const TestOptions& options) {
  return options.explore.preemptions.value_or(PreemptionBound(kEnough));
}

Result<Seconds> budget_of(const TestOptions& options) {
  Seconds budget = options.budget.value_or(kBudget);
  const char* const told = std::getenv("PLUMB_BUDGET");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  if (!options.budget && told != nullptr) {
    const auto seconds = options::parse_seconds(told);
    if (!seconds) return Error{"PLUMB_BUDGET of the environment: " + seconds.error().message};
    budget = *seconds;
  }
  return options.timeout ? std::min(budget, *options.timeout) : budget;
}

std::string ScenarioRequest::message() const {
  return MessageWriter()
      .text(test)
      .number(number)
      .number(timeout ? 1 : 0)
      .number(std::bit_cast<std::uint64_t>(timeout.value_or(Seconds::zero()).count()))
      .number(static_cast<std::uint64_t>(effort.kind))
      .number(effort.preemptions ? std::uint64_t{*effort.preemptions} + 1 : 0)
      .number(effort.round)
      .number(static_cast<std::uint64_t>(effort.memory_model))
      .number(effort.executions.value_or(0))
      .take();
}

std::optional<ScenarioRequest> ScenarioRequest::read(const std::string& message) {
  MessageReader from(message);
  ScenarioRequest request;
  request.test = from.text();
  request.number = from.number();
  const bool limited = from.number() != 0;
  const Seconds timeout(std::bit_cast<double>(from.number()));
  if (limited) request.timeout = timeout;
  request.effort.kind = static_cast<Effort::Kind>(from.number());
  const std::uint64_t bound = from.number();
  if (bound > 0) request.effort.preemptions = static_cast<unsigned>(bound - 1);
  request.effort.round = static_cast<unsigned>(from.number());
  request.effort.memory_model = static_cast<MemoryModel>(from.number());
  if (const std::uint64_t most = from.number(); most > 0) request.effort.executions = most;
  return from.ok() ? std::optional(std::move(request)) : std::nullopt;
}

Status ScenarioRunner::prepare() {
  if (auto status = test_.finish(); !status) return status;
  if (options_.threads == 0 || options_.operations == 0)
    return Error{"a scenario needs a thread and an operation"};
  if (options_.samples == 0) return Error{"no samples, nothing to run"};
  if (options_.threads > kMaxTestThreads)
    return Error{fmt::format("at most {} threads can be explored", kMaxTestThreads)};
  const std::size_t around = test_.invocations_before().size() + test_.invocations_after().size();
  if (options_.threads * options_.operations + around > kMaxOperations)
    return Error{fmt::format("a scenario has at most {} operations", kMaxOperations)};
  if (auto status = check_models(); !status) return status;
  if (!options_.against.empty()) return read_against();
  auto given = given_scenarios(test_);
  if (!given) return given.error();
  scenarios_ = std::move(*given);
  if (!scenarios_.empty()) return Ok{};
  if (runs_campaign(test_, options_)) {
    plan_ = plan_campaign(test_, {options_.threads, options_.operations}, options_.seed);
    return Ok{};
  }
  const std::size_t samples = options_.samples.value_or(kSamples);
  const Sizes sizes{.threads = options_.threads,
                    .operations = options_.operations,
                    .samples = samples,
                    .seed = options_.seed};
  if (!options_.grow) {
    scenarios_ = sample(test_, sizes);
    return Ok{};
  }
  for (std::size_t n = 1; n <= std::max(options_.threads, options_.operations); ++n) {
    const auto more =
        n <= kAllUpTo
            ? all_of(test_, n)
            : sample(test_, {.threads = n, .operations = n, .samples = samples, .seed = options_.seed});
    scenarios_.insert(scenarios_.end(), more.begin(), more.end());
  }
  return Ok{};
}

// What is asked for under a weak memory model alone has to be there; beside another one it is said that it is not.
Status ScenarioRunner::check_models() const {
  const MemoryModel first = models_of(options_).front();
  if (first == MemoryModel::kSequential) return Ok{};
  if (const auto why = no_graphs_for(test_, options_)) return Error{*why};
  if (options_.explore.preemptions && options_.explore.preemptions->most())
    return Error{
        fmt::format("under the memory model {} there is no bound on preemptions", engine::word_of(first))};
  return Ok{};
}

// The scenarios of the file, with what was observed then.
Status ScenarioRunner::read_against() {
  if (test_.destroys())
    return Error{
        "--against: when the object may be destroyed (destroys_after) is known from serial runs only"};
  if (test_.any_may_fail())
    return Error{
        "--against: an operation of the test may fail (may_fail), and a file of observations does not say "
        "what "
        "serial runs do without its calls"};
  auto file = InputFile::open(options_.against);
  if (!file) return file.error();
  std::string text;
  if (file->is_mapped()) {
    text = file->mapped();
  } else if (auto status = file->read(text, std::numeric_limits<std::size_t>::max()); !status) {
    return status;
  }
  auto sets = read_observations(text, test_, observation_format(options_.against));
  if (!sets) {
    Error error = sets.error();
    error.file = options_.against;
    return error;
  }
  if (sets->empty())
    return Error{fmt::format("{} has no observations of the test {}", options_.against, test_.name())};
  observations_ = std::move(*sets);
  for (const ObservationSet& set : observations_) {
    if (LineUp(test_, set.scenario).use(set.histories))
      return Error{fmt::format("{}: two serial histories contradict each other", options_.against)};
    scenarios_.push_back(set.scenario);
  }
  return Ok{};
}

Settings ScenarioRunner::settings() const {
  Settings settings{.explore = options_.explore,
                    .trace = false};  // only the failure that is reported needs one
  ExploreOptions& explore = settings.explore;
  explore.preemptions = bound_of(options_);
  explore.seed = options_.seed;
  explore.timeout.reset();
  explore.replay.clear();
  explore.memory_model = models_of(options_).front();
  explore.stop = stop_ != nullptr ? stop_ : options_.stop;
  if (explore.note)
    explore.note = [this](const std::string& note) { options_.explore.note(test_.name() + ": " + note); };
  settings.cannot_end = cannot_end_;
  settings.cores = cores_;
  return settings;
}

void ScenarioRunner::use_observations(LineUp& line_up, std::size_t number) const {
  if (!observations_.empty()) (void)line_up.use(observations_[number].histories);
}

ScenarioResult ScenarioRunner::run(std::size_t number, std::optional<Seconds> timeout,
                                   const Effort& effort) const {
  LineUp line_up(test_, scenarios()[number]);
  use_observations(line_up, number);
  Settings with = settings();
  with.explore.timeout = timeout;
  with.explore.memory_model = effort.memory_model;
  if (!with.explore.executions) with.explore.executions = effort.executions;
  if (effort.kind == Effort::Kind::kWalks && effort.memory_model != MemoryModel::kSequential)
    return line_up.walk(with, walks_along_graphs(effort.round, detail::mix(options_.seed, number + 1)));
  if (effort.kind == Effort::Kind::kWalks)
    return line_up.walk(with, portfolio(effort.round, detail::mix(options_.seed, number + 1)));
  if (effort.kind == Effort::Kind::kProof) {
    with.explore.preemptions = effort.preemptions ? PreemptionBound(*effort.preemptions) : kAnyPreemptions;
    // Both exhaust what the bound allows. Small scenarios have few schedules; of larger ones there are far fewer states.
    const bool is_small = number < plan()->first_size();
    const bool has_states = effort.memory_model == MemoryModel::kSequential;
    if (!is_small && has_states) with.explore.order = SearchOrder::kStates;
  }
  return line_up.run(with);
}

void ScenarioRunner::obey(const std::atomic<bool>* stop, std::function<void(const std::string&)> cannot_end) {
  stop_ = stop;
  cannot_end_ = std::move(cannot_end);
}

std::string ScenarioRunner::answer(const ScenarioRequest& request) const {
  if (request.number >= scenarios().size()) return "";
  return to_answer(run(request.number, request.timeout, request.effort));
}

}  // namespace plumb::testing
