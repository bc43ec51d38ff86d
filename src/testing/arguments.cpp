// The table of the options of test programs, and their help.
#include "testing/arguments.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/file_io.hpp"
#include "explore/changed_orders.hpp"
#include "explore/memory_models.hpp"
#include "explore/strategies.hpp"
#include "options/option_values.hpp"
#include "options/program_options.hpp"
#include "report/renderers.hpp"
#include "testing/order_audit_page.hpp"

namespace plumb::testing {
namespace {

using options::parse_choice;
using options::parse_whole;
using options::store;

std::vector<std::string> mode_names() { return {"explore", "stress"}; }
std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (const engine::StrategyRow& row : engine::strategies()) names.emplace_back(row.name);
  return names;
}
constexpr std::array kClocks = {ClockKind::kHardware, ClockKind::kSystem, ClockKind::kCounter};
std::vector<std::string> clock_names() {
  std::vector<std::string> names;
  names.reserve(kClocks.size());
  for (const ClockKind kind : kClocks) names.emplace_back(clock_name(kind));
  return names;
}

// Options that both ways to run a test have: where they are not given, a stress run has its own defaults.
template <std::size_t TestOptions::*kExplored, std::size_t StressOptions::*kStressed>
Status keep_size(Arguments& arguments, const std::string& text) {
  auto size = parse_whole<std::size_t>(text, 0);
  if (!size) return size.error();
  arguments.options.*kExplored = *size;
  arguments.stress.*kStressed = *size;
  return Ok{};
}

// What is said of the engine is put over what a test says of it.
template <auto kMember, class T>
Status keep_for_engine(Arguments& arguments, Result<T> value) {
  if (!value) return value.error();
  arguments.engine.emplace_back([kept = std::move(*value)](ExploreOptions& options) {
    options.*kMember = static_cast<std::remove_reference_t<decltype(options.*kMember)>>(kept);
  });
  return Ok{};
}

template <auto ExploreOptions::*kMember, int kLeast = 0>
Status keep_whole(Arguments& arguments, const std::string& text) {
  using Number = std::remove_cvref_t<decltype(std::declval<ExploreOptions>().*kMember)>;
  return keep_for_engine<kMember>(arguments, parse_whole<Number>(text, static_cast<Number>(kLeast)));
}

template <bool ExploreOptions::*kMember, bool kOn = true>
Status set_for_engine(Arguments& arguments, const std::string&) {
  return keep_for_engine<kMember>(arguments, Result<bool>(kOn));
}

// Where 0 is no limit.
template <class T>
Result<std::optional<T>> unless_0(const Result<T>& parsed) {
  if (!parsed) return parsed.error();
  return *parsed == T{} ? std::nullopt : std::optional(*parsed);
}

template <std::string TestOptions::*kMember>
Status keep_file(Arguments& arguments, const std::string& text) {
  return store(options::parse_file_name(text), arguments.options.*kMember);
}

template <bool Arguments::*kMember>
Status turn_on(Arguments& arguments, const std::string&) {
  arguments.*kMember = true;
  return Ok{};
}

template <bool TestOptions::*kMember, bool kOn = true>
Status set_option(Arguments& arguments, const std::string&) {
  arguments.options.*kMember = kOn;
  return Ok{};
}

template <bool StressOptions::*kMember, bool kOn = true>
Status set_stress_option(Arguments& arguments, const std::string&) {
  arguments.stress.*kMember = kOn;
  return Ok{};
}

Status apply_mode(Arguments& arguments, const std::string& text) {
  return store(parse_choice(text, mode_names()), arguments.stresses);
}

Status apply_strategy(Arguments& arguments, const std::string& text) {
  const auto chosen = parse_choice(text, strategy_names());
  if (!chosen) return chosen.error();
  arguments.has_strategy = true;
  return keep_for_engine<&ExploreOptions::order>(arguments,
                                                 Result<SearchOrder>(engine::strategies()[*chosen].order));
}

Status apply_memory_model(Arguments& arguments, const std::string& text) {
  const auto chosen = parse_choice(text, engine::memory_model_words());
  if (!chosen) return chosen.error();
  arguments.options.memory_model.reset();
  if (*chosen < engine::kMemoryModels.size())
    arguments.options.memory_model = engine::kMemoryModels.at(*chosen).model;
  return Ok{};
}

// All of them, a line each.
Status apply_order(Arguments& arguments, const std::string& texts) {
  std::vector<OrderChange> orders;
  for (std::size_t at = 0; at < texts.size();) {
    const std::size_t end = std::min(texts.find('\n', at), texts.size());
    auto order = engine::parse_order_change(texts.substr(at, end - at));
    if (!order) return order.error();
    orders.push_back(std::move(*order));
    at = end + 1;
  }
  arguments.engine.emplace_back([orders](ExploreOptions& options) { options.orders = orders; });
  return Ok{};
}

Status apply_seed(Arguments& arguments, const std::string& text) {
  auto status = store(parse_whole<std::uint64_t>(text, 0), arguments.options.seed);
  arguments.stress.seed = arguments.options.seed;
  return status;
}

Status apply_timeout(Arguments& arguments, const std::string& text) {
  auto status = store(options::parse_seconds(text), arguments.options.timeout);
  arguments.stress.timeout = arguments.options.timeout;
  return status;
}

Status apply_budget(Arguments& arguments, const std::string& text) {
  return store(options::parse_seconds(text), arguments.options.budget);
}

Status apply_note_after(Arguments& arguments, const std::string& text) {
  return keep_for_engine<&ExploreOptions::note_after>(arguments, unless_0(options::parse_seconds(text)));
}

Status apply_samples(Arguments& arguments, const std::string& text) {
  auto status = store(parse_whole<std::size_t>(text, 0), arguments.options.samples);
  arguments.stress.rounds.reset();
  if (arguments.options.samples != std::size_t{0}) arguments.stress.rounds = arguments.options.samples;
  return status;
}

Status apply_preemptions(Arguments& arguments, const std::string& text) {
  const auto most = parse_whole<int>(text, -1);
  if (!most) return most.error();
  return keep_for_engine<&ExploreOptions::preemptions>(
      arguments,
      Result<PreemptionBound>(*most < 0 ? kAnyPreemptions : PreemptionBound(static_cast<unsigned>(*most))));
}

Status apply_executions(Arguments& arguments, const std::string& text) {
  return keep_for_engine<&ExploreOptions::executions>(arguments,
                                                      unless_0(parse_whole<std::uint64_t>(text, 0)));
}

Status apply_watchdog(Arguments& arguments, const std::string& text) {
  return keep_for_engine<&ExploreOptions::watchdog>(arguments, parse_whole<unsigned>(text, 1));
}

Status apply_jobs(Arguments& arguments, const std::string& text) {
  auto status = store(parse_whole<unsigned>(text, 0), arguments.options.jobs);
  if (arguments.options.jobs != 0) arguments.stress.jobs = arguments.options.jobs;
  return status;
}

Status apply_shard(Arguments& arguments, const std::string& text) {
  return store(parse_shard(text), arguments.shard);
}

Status apply_journal(Arguments& arguments, const std::string& text) {
  return store(options::parse_file_name(text), arguments.journal);
}

Status apply_merge(Arguments& arguments, const std::string& texts) {
  for (const std::string& text : options::values_of(texts)) {
    auto file = options::parse_file_name(text);
    if (!file) return file.error();
    arguments.merge.push_back(std::move(*file));
  }
  return Ok{};
}

Status apply_filter(Arguments& arguments, const std::string& text) {
  arguments.filter = text;
  return Ok{};
}

Status apply_replay(Arguments& arguments, const std::string& text) {
  if (text.empty()) return Error{"''; expected the token that a failure prints"};
  arguments.options.replay = text;
  return Ok{};
}

Status apply_report(Arguments& arguments, const std::string& text) {
  if (const auto format = report_format(text); !format) return format.error();
  arguments.report = text;
  return Ok{};
}

Status apply_junit(Arguments& arguments, const std::string& text) {
  return store(options::parse_file_name(text), arguments.junit);
}

Status apply_sarif(Arguments& arguments, const std::string& text) {
  return store(options::parse_file_name(text), arguments.sarif);
}

Status apply_summary(Arguments& arguments, const std::string& text) {
  return store(options::parse_file_name(text), arguments.summary);
}

Status apply_annotations(Arguments& arguments, const std::string& text) {
  if (text != "github") return Error{fmt::format("'{}'; expected github, the only form there is", text)};
  arguments.annotates = true;
  return Ok{};
}

Status apply_pauses(Arguments& arguments, const std::string& text) {
  return store(parse_whole<std::uint32_t>(text, 0), arguments.stress.pauses);
}

Status apply_ahead(Arguments& arguments, const std::string& text) {
  return store(parse_whole<std::size_t>(text, 0), arguments.stress.ahead);
}

Status apply_seconds(Arguments& arguments, const std::string& text) {
  return store(unless_0(options::parse_seconds(text)), arguments.stress.duration);
}

Status apply_stuck(Arguments& arguments, const std::string& text) {
  return store(options::parse_seconds(text), arguments.stress.stuck);
}

Status apply_clock(Arguments& arguments, const std::string& text) {
  const auto choice = parse_choice(text, clock_names());
  if (!choice) return choice.error();
  arguments.stress.clock = kClocks.at(*choice);
  return Ok{};
}

Status apply_save(Arguments& arguments, const std::string& text) {
  return store(options::parse_file_name(text), arguments.stress.save);
}

using Need = options::Need<Arguments>;
using Row = options::OptionRow<Arguments>;

constexpr unsigned kAll = options::kEverywhere;
constexpr Need kStress = {"without --mode stress",
                          [](const Arguments& arguments) { return arguments.stresses; }};
constexpr Need kExplore = {"with --mode stress",
                           [](const Arguments& arguments) { return !arguments.stresses; }};

constexpr Need kPieces = {"with --mode stress, --replay or --list, which have no scenarios to share",
                          [](const Arguments& arguments) { return has_pieces(arguments); }};
constexpr Need kShared = {"with --mode stress, --mpi, --replay or --list, which have no scenarios to share",
                          [](const Arguments& arguments) { return has_pieces(arguments) && !arguments.mpi; }};
constexpr Need kMerged = {"with --journal, --shard, --mode stress, --mpi, --replay or --list",
                          [](const Arguments& arguments) {
                            const bool shares = arguments.shard.given || arguments.shard.environment;
                            return kShared.met(arguments) && arguments.journal.empty() && !shares;
                          }};

constexpr Need kCampaign = {
    "with --mode stress, --samples, --auto, --strategy, --observations or --against, which run without a "
    "budget "
    "(--timeout ends any run)",
    [](const Arguments& arguments) {
      const TestOptions& options = arguments.options;
      return !arguments.stresses && !options.samples && !options.grow && !arguments.has_strategy &&
             options.observations.empty() && options.against.empty();
    }};

constexpr Need kWeak = {"with --mode stress or --memory-model sc, where orders make no difference",
                        [](const Arguments& arguments) {
                          return !arguments.stresses &&
                                 arguments.options.memory_model != MemoryModel::kSequential;
                        }};

// What is no report at all has an error of its own.
bool has_no_audit_as(std::string_view file) {
  const Result<ReportFormat> format = report_format(file);
  return format && !is_rendered_as(*format);
}

constexpr Need kAudit = {
    "with --mode stress, --memory-model sc, --replay, --mpi, --junit, --sarif, --summary, --annotations or a "
    "picture (as --report FILE.svg): an audit has a table of its own, as text, with --json, or in a file "
    "(--report)",
    [](const Arguments& arguments) {
      const bool has_others = !arguments.junit.empty() || !arguments.sarif.empty() ||
                              !arguments.summary.empty() || arguments.annotates ||
                              has_no_audit_as(arguments.report);
      return kWeak.met(arguments) && arguments.options.replay.empty() && !arguments.mpi && !has_others;
    }};

constexpr FixedText kReportHelp("write the report of the first failure, or the audit, there: ",
                                kReportEndings.view());

constexpr FixedText kStrategies("one order of search: ", engine::kStrategyNames.view(),
                                "; by default several have a share");

constexpr FixedText kMemoryModels(
    engine::kMemoryModelHelp.view(),
    ", where orders weaker than seq_cst are used or races are allowed; by default both");

constexpr Row kTable[] = {
    {"--mode", "NAME", kAll,
     "explore: small scenarios through every interleaving; stress: real threads, long rounds", apply_mode,
     false, mode_names},
    {"--budget", "SECONDS", kAll,
     "of a test without --samples, --auto and --strategy: all small scenarios, then larger ones; by default "
     "60",
     apply_budget, false, nullptr, &kCampaign},
    {"--threads", "N", kAll, "threads of a scenario, at most; by default 3; stress: 4",
     keep_size<&TestOptions::threads, &StressOptions::threads>},
    {"--operations", "N", kAll, "operations per thread, at most; by default 3; stress: 2500 per round",
     keep_size<&TestOptions::operations, &StressOptions::operations>},
    {"--samples", "N", kAll,
     "exactly this many scenarios are drawn, instead of a budget; stress: how many rounds", apply_samples},
    {"--auto", "", kAll, "all scenarios of 1x1, 2x2, 3x3, then samples up to --threads, instead of a sample",
     set_option<&TestOptions::grow>, false, nullptr, &kExplore},
    {"--preemptions", "N", kAll,
     "at most this many switches inside operations; by default 2, with --budget any number; -1: any number",
     apply_preemptions, false, nullptr, &kExplore},
    {"--strategy", "NAME", kAll, kStrategies.view(), apply_strategy, false, strategy_names, &kExplore},
    {"--memory-model", "MODEL", kAll, kMemoryModels.view(), apply_memory_model, false,
     engine::memory_model_words, &kExplore},
    {"--audit-orders", "", kAll,
     "weaken each memory order of the class, one line after the other: which are needed, and why; in the "
     "time of --budget",
     turn_on<&Arguments::audits>, false, nullptr, &kAudit},
    {"--order", "PLACE=ORDER", kAll,
     "take this memory order instead of what the program says at a line, as queue.hpp:31:load=relaxed; or "
     "store, update, failure, fence; may be repeated; not under sc",
     apply_order, true, nullptr, &kWeak},
    {"--executions", "N", kAll, "at most this many per scenario; by default 0: no limit", apply_executions,
     false, nullptr, &kExplore},
    {"--depth", "N", kAll, "pct: the number of ordering constraints that a bug may need; by default 3",
     keep_whole<&ExploreOptions::depth, 1>, false, nullptr, &kExplore},
    {"--spurious-wakeups", "N", kAll,
     "this many waits per thread at condition variables may end spuriously; by default 0",
     keep_whole<&ExploreOptions::spurious_wakeups>, false, nullptr, &kExplore},
    {"--spurious-cas-failures", "N", kAll,
     "this many weak compare-exchanges per thread may fail spuriously (g++); by default 0",
     keep_whole<&ExploreOptions::spurious_cas_failures>, false, nullptr, &kExplore},
    {"--steps", "N", kAll, "at most this many per execution, more is a livelock; by default 10000",
     keep_whole<&ExploreOptions::steps, 1>, false, nullptr, &kExplore},
    {"--spin", "N", kAll, "a loop that has read the same this often waits until that changes; by default 3",
     keep_whole<&ExploreOptions::spin, 1>, false, nullptr, &kExplore},
    {"--patience", "N", kAll, "so does a loop that counts its iterations, after this many; by default 32",
     keep_whole<&ExploreOptions::patience, 1>, false, nullptr, &kExplore},
    {"--watchdog", "SECONDS", kAll,
     "this much processor time without a step is an endless loop; by default 5", apply_watchdog, false,
     nullptr, &kExplore},
    {"--memory", "BYTES", kAll, "for remembering searched states (reduced, with a bound); by default 256 MiB",
     keep_whole<&ExploreOptions::memory, 1>, false, nullptr, &kExplore},
    {"--no-reuse", "", kAll, "never reuse freed memory", set_for_engine<&ExploreOptions::reuse, false>, false,
     nullptr, &kExplore},
    {"--reuse-by-others", "", kAll, "let any thread reuse freed memory, in every order",
     set_for_engine<&ExploreOptions::reuse_by_others>, false, nullptr, &kExplore},
    {"--seed", "N", kAll, "of all random choices: the same seed runs the same tests; by default 1",
     apply_seed},
    {"--timeout", "SECONDS", kAll,
     "per test; what was not run by then makes it unknown (with 0: at once); by default no limit",
     apply_timeout},
    {"--note-after", "SECONDS", kAll, "note an operation whose step takes this long; by default 10; 0: never",
     apply_note_after, false, nullptr, &kExplore},
    {"--jobs", "N", kAll, "processes that run scenarios; by default 0: one per core", apply_jobs},
    {"--mpi", "", kAll,
     "under mpirun: the ranks share the scenarios, each with --jobs processes (by default one)",
     turn_on<&Arguments::mpi>},
    {"--shard", "I/N", kAll,
     "run only every N-th scenario of each test, from number I on; the first is 0. env: as the environment "
     "says",
     apply_shard, false, nullptr, &kShared},
    {"--journal", "FILE", kAll,
     "append what comes of each scenario; the same command goes on from there, and 'plumb merge' puts "
     "several together",
     apply_journal, false, nullptr, &kPieces},
    {"--merge", "JOURNAL", kAll,
     "run nothing, say what one run would have said; may be repeated ('plumb merge' does this)", apply_merge,
     true, nullptr, &kMerged},
    {"--real-threads", "", kAll,
     "threads that take turns instead of fibers: slow, for systems without FSGSBASE",
     set_for_engine<&ExploreOptions::real_threads>, false, nullptr, &kExplore},
    {"--no-minimise", "", kAll, "report a failing scenario as it was drawn",
     set_option<&TestOptions::minimise, false>, false, nullptr, &kExplore},
    {"--filter", "NAME", kAll, "only the test of this name, or those whose name contains it", apply_filter},
    {"--replay", "TOKEN", kAll, "run the one execution that a failure's token names", apply_replay, false,
     nullptr, &kExplore},
    {"--report", "FILE", kAll, kReportHelp.view(), apply_report},
    {"--junit", "FILE", kAll, "write the results of all tests there, as JUnit XML", apply_junit},
    {"--sarif", "FILE", kAll, "write what was found there, as SARIF 2.1.0, for code hosts and editors",
     apply_sarif},
    {"--summary", "FILE", kAll, "append all results to it, as Markdown: $GITHUB_STEP_SUMMARY", apply_summary},
    {"--annotations", "FORM", kAll,
     "print findings with their place for the log of a build, which shows them in the difference: github",
     apply_annotations},
    {"--observations", "FILE", kAll,
     "write the serial histories there: as JSON if it ends in .json, else as XML",
     keep_file<&TestOptions::observations>, false, nullptr, &kExplore},
    {"--against", "FILE", kAll, "take the serial histories from there instead of running the object serially",
     keep_file<&TestOptions::against>, false, nullptr, &kExplore},
    {"--seconds", "SECONDS", kAll, "stress: how long; by default 5, or until --samples rounds were run",
     apply_seconds, false, nullptr, &kStress},
    {"--pauses", "STEPS", kAll,
     "stress: pause once in this many steps; 0: never; by default in some rounds often, in some never",
     apply_pauses, false, nullptr, &kStress},
    {"--pin", "", kAll, "stress: pin each thread to a core, and checking to the last one",
     set_stress_option<&StressOptions::pin>, false, nullptr, &kStress},
    {"--ahead", "N", kAll,
     "stress: rounds that may wait for their verdict; by default 2; 0: the threads wait for each",
     apply_ahead, false, nullptr, &kStress},
    {"--unrecorded", "", kAll, "stress: neither record nor check, to compare the speed",
     set_stress_option<&StressOptions::record, false>, false, nullptr, &kStress},
    {"--stuck", "SECONDS", kAll,
     "stress: give up a round in which no operation has ended for this long; by default 10", apply_stuck,
     false, nullptr, &kStress},
    {"--clock", "NAME", kAll, "stress: hardware, system or counter; by default the best available",
     apply_clock, false, clock_names, &kStress},
    {"--save", "FILE", kAll, "stress: where to write a failing round; by default TEST.plumb", apply_save,
     false, nullptr, &kStress},
    {"--json", "", kAll, "one JSON object per test, each on a line", turn_on<&Arguments::json>},
    {"--list", "", kAll, "list the tests and exit; with --json, where each stands",
     turn_on<&Arguments::list>},
    {"-q,--quiet", "", kAll, "no progress", turn_on<&Arguments::quiet>},
};

constexpr options::ProgramText kText = {
    "Runs small concurrent programs through every interleaving that matters, and looks for results that no "
    "serial run has.",
    "Exit status: 0 all passed, 1 a violation, 2 incorrect usage, 3 a budget ended a test that had not "
    "failed.\n"
    "A failure prints a token; --replay TOKEN runs exactly that execution again.\n"};

}  // namespace

std::optional<ExitStatus> read_arguments(int argc, char** argv, Arguments& arguments) {
  const auto over = options::read_program_options<Arguments>(
      kTable, argc, argv, kText, arguments, &arguments.given, [](std::string_view name) {
        const std::string_view ending = ending_meant_by(name);
        return ending.empty() ? "" : fmt::format(" (did you mean '--report report{}'?)", ending);
      });
  arguments.options.program = arguments.stress.program = argv[0];
  constexpr std::size_t kSamples = 100;
  if (arguments.has_strategy && !arguments.options.samples) {
    arguments.options.samples = kSamples;
    arguments.options.samples_within_budget = !arguments.options.timeout;  // nobody has asked for all of them
  }
  return over;
}

Status check_outputs(const Arguments& arguments) {
  for (const std::string& file : {arguments.report, arguments.junit, arguments.sarif, arguments.summary,
                                  arguments.options.observations, arguments.stress.save}) {
    if (file.empty()) continue;
    if (auto status = can_write_file(file); !status) return status;
  }
  return Ok{};
}

}  // namespace plumb::testing
