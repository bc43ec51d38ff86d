#include "testing/arguments.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/file_io.hpp"
#include "base/suggest.hpp"
#include "testing/option_types.hpp"
#include "testing/time_shares.hpp"

namespace plumb::testing {
namespace {

// What only one of the two ways to run a test takes; the other would ignore it.
constexpr std::array kOnlyStress = {"--seconds",    "--pauses", "--pin",   "--ahead",
                                    "--unrecorded", "--stuck",  "--clock", "--save"};
constexpr std::array kOnlyExplore = {"--auto",         "--preemptions",  "--strategy",    "--executions",
                                     "--note-after",   "--real-threads", "--no-minimise", "--replay",
                                     "--observations", "--against"};

void add_stress_options(CLI::App& app, Arguments& arguments) {
  StressOptions& stress = arguments.stress;
  add_seconds(app, "--seconds", stress.seconds, "stress: how long; 5 unless --samples says how many rounds");
  add_whole(app, "--pauses", arguments.pauses,
            "stress: a pause in so many steps; 0: none; unless given, some rounds have many and some none")
      ->option_text("STEPS");
  app.add_flag("--pin", stress.pin, "stress: each thread stays on a core, checking on the last");
  add_whole(app, "--ahead", stress.ahead,
            "stress: rounds that may wait for their verdict; 0: the threads wait for each");
  app.add_flag("--unrecorded", arguments.unrecorded,
               "stress: neither record nor check, to compare the speed");
  add_seconds(app, "--stuck", stress.stuck,
              "stress: seconds in which no operation ends, after which a round is given up; 10 unless given");
  app.add_option("--clock", stress.clock, "stress: hardware, system or counter")->option_text("NAME");
  app.add_option("--save", stress.save, "stress: where the round that fails goes; TEST.plumb unless given")
      ->option_text("FILE");
}

void add_search_options(CLI::App& app, TestOptions& options) {
  static const std::map<std::string, SearchOrder> kStrategies{{"reduced", SearchOrder::kReduced},
                                                              {"depth-first", SearchOrder::kDepthFirst},
                                                              {"random", SearchOrder::kRandom},
                                                              {"pct", SearchOrder::kPct}};
  add_whole(app, "--threads", options.threads, "threads of a scenario; stress: 4 unless told");
  add_whole(app, "--operations", options.operations,
            "operations of each thread; stress: in a round, 2500 unless told");
  add_whole(app, "--samples", options.samples, "how many scenarios are drawn; stress: how many rounds");
  app.add_flag("--auto", options.grow,
               "all scenarios of 1x1, 2x2, 3x3, then samples up to --threads, instead of a sample");
  add_whole(app, "--preemptions", options.preemptions, "switches inside operations at most; -1: any number",
            -1);
  app.add_option("--strategy", options.strategy,
                 "the order of the search: reduced, depth-first, random or pct")
      ->transform(one_of(kStrategies))
      ->option_text("NAME");
  add_whole(app, "--executions", options.executions, "of one scenario at most; 0: no limit");
  add_whole(app, "--seed", options.seed, "of everything that is random: the same seed runs the same tests");
  add_seconds(app, "--timeout", options.timeout,
              "seconds for each test; what was not run by then makes it unknown (with 0: at once); no limit "
              "unless told");
  add_seconds(app, "--note-after", options.note_after,
              "note an operation that takes so many seconds for a step; 10 unless told; 0: never");
  add_whole(app, "--jobs", options.jobs, "processes that run scenarios; 0: one a core");
}

void add_options(CLI::App& app, Arguments& arguments) {
  TestOptions& options = arguments.options;
  static const std::map<std::string, bool> kModes{{"explore", false}, {"stress", true}};
  app.add_option("--mode", arguments.stresses,
                 "explore: small scenarios through every interleaving; stress: real threads, long rounds")
      ->transform(one_of(kModes))
      ->option_text("NAME");
  add_search_options(app, options);
  app.add_flag("--mpi", arguments.mpi,
               "under mpirun: the ranks share the scenarios, each with --jobs processes (unless given, one)");
  app.add_flag("--real-threads", options.real_threads,
               "threads that hand over instead of fibers: slow, for systems without FSGSBASE");
  app.add_flag_callback(
      "--no-minimise", [&options] { options.minimise = false; },
      "report a scenario that fails as it was drawn");
  app.add_option("--filter", arguments.filter, "only the test of this name, or those whose name contains it")
      ->option_text("NAME");
  app.add_option("--replay", options.replay, "run the one execution that a failure's token names")
      ->check(not_empty())
      ->option_text("TOKEN");
  app.add_option("--report", arguments.report,
                 "write the report of the first failure there: .html, .txt or .json")
      ->check(ends_in({".html", ".txt", ".json"}))
      ->option_text("FILE");
  app.add_option("--junit", arguments.junit, "write the results of all tests there, as JUnit XML")
      ->check(not_empty())
      ->option_text("FILE");
  app.add_option("--observations", options.observations, "write the serial histories there, as XML")
      ->option_text("FILE");
  app.add_option("--against", options.against,
                 "take the serial histories from there instead of running the object serially")
      ->option_text("FILE");
  add_stress_options(app, arguments);
  app.add_flag("--json", arguments.json, "one JSON object a line for each test");
  app.add_flag("--list", arguments.list, "name the tests and end");
  app.add_flag("-q,--quiet", arguments.quiet, "no progress");
}

// The options that both ways to run a test have; where they are not given, a stress run has its own defaults.
void take_common_options(const CLI::App& app, Arguments& arguments) {
  TestOptions& options = arguments.options;
  StressOptions& stress = arguments.stress;
  if (app.count("--timeout") != 0 && options.timeout == 0) options.timeout = kNoTime;
  if (app.count("--threads") != 0) stress.threads = options.threads;
  if (app.count("--operations") != 0) stress.operations = options.operations;
  if (app.count("--samples") != 0) stress.rounds = options.samples;
  if (app.count("--pauses") != 0) stress.pauses = arguments.pauses;
  if (options.jobs != 0) stress.jobs = options.jobs;
  stress.record = !arguments.unrecorded;
  stress.seed = options.seed;
  stress.timeout = options.timeout;
}

// As the command plumb says it.
int refuse(const std::string& what, const char* program) {
  std::fprintf(stderr, "%s: %s\n'%s --help' shows how\n", program, what.c_str(), program);
  return 2;
}

std::string mistake(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<std::string> unknown = app.remaining();
  if (unknown.empty()) return error.what();
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  const std::string& first = unknown.front();
  return first.starts_with('-') ? fmt::format("unknown option '{}'{}", first, did_you_mean(first, known))
                                : fmt::format("'{}' was not expected: there are only options", first);
}

// An option that would do nothing was meant to do something.
std::optional<std::string> of_the_other_mode(const CLI::App& app, const Arguments& arguments) {
  const auto given = [&](const char* name) { return app.count(name) != 0; };
  if (!arguments.stresses) {
    const auto* const found = std::ranges::find_if(kOnlyStress, given);
    if (found == kOnlyStress.end()) return std::nullopt;
    return fmt::format("{}: does nothing without --mode stress", *found);
  }
  const auto* const found = std::ranges::find_if(kOnlyExplore, given);
  if (found == kOnlyExplore.end()) return std::nullopt;
  return fmt::format("{}: does nothing with --mode stress", *found);
}

}  // namespace

std::optional<int> read_arguments(int argc, char** argv, Arguments& arguments) {
  CLI::App app(
      "Runs small concurrent programs through every interleaving that matters, and looks for results that no "
      "serial run has.");
  app.footer(
      "Exit status: 0 all passed, 1 a violation, 2 wrong use, 3 a budget ended a test that had not failed.\n"
      "A failure prints a token; --replay TOKEN runs that very execution again.");
  add_options(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return error.get_exit_code() == 0 ? app.exit(error) : refuse(mistake(app, error), argv[0]);
  }
  if (const auto wrong = of_the_other_mode(app, arguments)) return refuse(*wrong, argv[0]);
  take_common_options(app, arguments);
  arguments.options.program = arguments.stress.program = argv[0];
  return std::nullopt;
}

Status check_outputs(const Arguments& arguments) {
  for (const std::string& file :
       {arguments.report, arguments.junit, arguments.options.observations, arguments.stress.save}) {
    if (file.empty()) continue;
    if (auto status = can_write_file(file); !status) return status;
  }
  return Done{};
}

}  // namespace plumb::testing
