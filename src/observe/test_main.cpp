// The program that plumb_add_test makes: its options, its tests one after the other, its exit status.
#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/file_io.hpp"
#include "base/suggest.hpp"
#include "explore/stop_signals.hpp"
#include "explore/unwatched.hpp"
#include "observe/campaign.hpp"
#include "observe/option_types.hpp"
#include "observe/progress_lines.hpp"
#include "observe/replay_token.hpp"
#include "observe/scenario_runner.hpp"
#include "plumb/stress.hpp"
#include "plumb/test.hpp"
#include "work/ranks.hpp"

namespace plumb {
namespace {

struct Registered {
  std::string name;
  test::Make make;
};
std::vector<Registered>& registry() {
  static std::vector<Registered> all;
  return all;
}

struct Arguments {
  TestOptions options;
  StressOptions stress;
  bool stresses = false;
  bool unrecorded = false;
  std::string filter;
  std::string report;
  bool json = false;
  bool list = false;
  bool quiet = false;
  bool mpi = false;
  work::Hands* hands = nullptr;  // with --mpi
};

// What only a stress run takes.
void add_stress_options(CLI::App& app, Arguments& arguments) {
  StressOptions& stress = arguments.stress;
  observe::add_seconds(app, "--seconds", stress.seconds,
                       "stress: how long; 5 unless --samples says how many rounds");
  app.add_option(
         "--pauses", stress.pauses,
         "stress: a pause in so many steps; 0: none; unless given, some rounds have many and some none")
      ->option_text("STEPS");
  app.add_flag("--pin", stress.pin, "stress: each thread stays on a core, checking on the last");
  app.add_option("--ahead", stress.ahead,
                 "stress: rounds that may wait for their verdict; 0: the threads wait for each")
      ->capture_default_str();
  app.add_flag("--unrecorded", arguments.unrecorded,
               "stress: neither record nor check, to compare the speed");
  observe::add_seconds(
      app, "--stuck", stress.stuck,
      "stress: seconds in which no operation ends, after which a round is given up; 10 unless given");
  app.add_option("--clock", stress.clock, "stress: hardware, system or counter")->option_text("NAME");
  app.add_option("--save", stress.save, "stress: where the round that fails goes; TEST.plumb unless given")
      ->option_text("FILE");
}

// The options that both ways to run a test have; where they are not given, a stress run has its own defaults.
void take_common_options(const CLI::App& app, Arguments& arguments) {
  const TestOptions& options = arguments.options;
  StressOptions& stress = arguments.stress;
  if (app.count("--threads") != 0) stress.threads = options.threads;
  if (app.count("--operations") != 0) stress.operations = options.operations;
  if (app.count("--samples") != 0) stress.rounds = options.samples;
  if (options.jobs != 0) stress.jobs = options.jobs;
  stress.record = !arguments.unrecorded;
  stress.seed = options.seed;
  stress.timeout = options.timeout;
  stress.stop = options.stop;
  stress.program = options.program;
}

// Else -1 would be a very large number.
void refuse_negative(CLI::App& app) {
  const CLI::Validator not_negative(
      [](const std::string& text) { return text.starts_with('-') ? "there is no " + text : std::string(); },
      std::string());
  for (const char* name : {"--threads", "--operations", "--samples", "--executions", "--timeout",
                           "--note-after", "--jobs", "--ahead"})
    app.get_option(name)->check(not_negative);
}

void add_options(CLI::App& app, Arguments& arguments) {
  TestOptions& options = arguments.options;
  static const std::map<std::string, SearchOrder> kStrategies{{"reduced", SearchOrder::kReduced},
                                                              {"depth-first", SearchOrder::kDepthFirst},
                                                              {"random", SearchOrder::kRandom},
                                                              {"pct", SearchOrder::kPct}};
  static const std::map<std::string, bool> kModes{{"explore", false}, {"stress", true}};
  app.add_option("--mode", arguments.stresses,
                 "explore: small scenarios through every interleaving; stress: real threads, long rounds")
      ->transform(observe::one_of(kModes))
      ->option_text("NAME");
  app.add_option("--threads", options.threads, "threads of a scenario; stress: 4 unless told")
      ->capture_default_str();
  app.add_option("--operations", options.operations,
                 "operations of each thread; stress: in a round, 2500 unless told")
      ->capture_default_str();
  app.add_option("--samples", options.samples, "how many scenarios are drawn; stress: how many rounds")
      ->capture_default_str();
  app.add_flag("--auto", options.grow,
               "all scenarios of 1x1, 2x2, 3x3, then samples up to --threads, instead of a sample");
  app.add_option("--preemptions", options.preemptions, "switches inside operations at most; -1: any number")
      ->capture_default_str();
  app.add_option("--strategy", options.strategy,
                 "the order of the search: reduced, depth-first, random or pct")
      ->transform(observe::one_of(kStrategies))
      ->option_text("NAME");
  app.add_option("--executions", options.executions, "of one scenario at most; 0: no limit")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "of everything that is random: the same seed runs the same tests")
      ->capture_default_str();
  observe::add_seconds(app, "--timeout", options.timeout,
                       "seconds for each test; what was not run by then makes it unknown");
  observe::add_seconds(app, "--note-after", options.note_after,
                       "note an operation that takes so many seconds for a step; 10 unless told; 0: never");
  app.add_option("--jobs", options.jobs, "processes that run scenarios; 0: one a core")
      ->capture_default_str();
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
      ->option_text("TOKEN");
  app.add_option("--report", arguments.report,
                 "write the report of the first failure there: .html, .txt or .json")
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
  refuse_negative(app);
}

// As the command plumb says it.
int refuse(const CLI::App& app, const CLI::ParseError& error, const char* program) {
  std::string what = error.what();
  if (const std::vector<std::string> unknown = app.remaining(); !unknown.empty()) {
    std::vector<std::string> known;
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    }
    const std::string& first = unknown.front();
    what = first.starts_with('-') ? fmt::format("unknown option '{}'{}", first, did_you_mean(first, known))
                                  : fmt::format("'{}' was not expected: there are only options", first);
  }
  std::fprintf(stderr, "%s: %s\n'%s --help' shows how\n", program, what.c_str(), program);
  return 2;
}

int status_of(TestResult::Verdict verdict) {
  switch (verdict) {
    case TestResult::Verdict::kPass:
      return 0;
    case TestResult::Verdict::kViolation:
      return 1;
    case TestResult::Verdict::kUnknown:
      return 3;
    case TestResult::Verdict::kError:
      break;
  }
  return 2;
}

// An error outweighs everything, a violation what is only unknown.
int worse(int a, int b) {
  for (const int status : {2, 1, 3}) {
    if (a == status || b == status) return status;
  }
  return 0;
}

void show_progress(const std::string& line) {
  std::fprintf(stderr, "\r\x1b[K%s", line.c_str());
  std::fflush(stderr);
}

// What a test has come to.
void say(const TestResult& result, const Arguments& arguments) {
  if (result.verdict == TestResult::Verdict::kError) {
    std::fputs(result.report.c_str(), stderr);
    return;
  }
  std::fputs(arguments.json ? (result.json() + "\n").c_str() : result.report.c_str(), stdout);
  std::fflush(stdout);
}

// Once, at the end of the run.
void say_unwatched(const std::vector<std::string>& libraries, const Arguments& arguments) {
  if (arguments.json || arguments.stresses || arguments.list) return;
  std::fputs(engine::unwatched_text(libraries).c_str(), stdout);
  std::fflush(stdout);
}

int run_one(const Registered& registered, Arguments& arguments, int before, bool& reported) {
  const bool wanted = !arguments.quiet && !arguments.json;
  const bool terminal = wanted && isatty(STDERR_FILENO) != 0;
  std::optional<observe::ProgressLines> lines;
  if (terminal) {
    arguments.options.progress = arguments.stress.progress = show_progress;
  } else if (wanted) {
    lines.emplace(registered.name + ": nothing is finished yet");
    arguments.options.progress =
        arguments.stress.progress = [&](const std::string& line) { lines->tell(line); };
  }
  const auto made = registered.make(registered.name, arguments.options.seed);
  StressOptions stress = arguments.stress;
  if (stress.save.empty()) stress.save = registered.name + ".plumb";
  const auto cannot_end = [&](const TestResult& known) {
    say(known, arguments);
    say_unwatched(known.unwatched, arguments);
    _exit(worse(before, status_of(known.verdict)));
  };
  const TestResult result = arguments.stresses
                                ? run_stress(*made, stress)
                                : observe::run_test(*made, arguments.options, arguments.hands, cannot_end);
  if (terminal) show_progress("");
  lines.reset();
  say(result, arguments);
  if (result.verdict == TestResult::Verdict::kViolation && !arguments.report.empty() && !reported) {
    reported = true;
    const std::string& file = arguments.report;
    const std::string& content = file.ends_with(".html")   ? result.html
                                 : file.ends_with(".json") ? result.json()
                                                           : result.report;
    if (auto written = write_file(file, content); !written) {
      std::fprintf(stderr, "%s\n", written.error().text().c_str());
      return 2;
    }
  }
  return status_of(result.verdict);
}

// By its name or a part of it, and by the token of an execution.
std::vector<const Registered*> chosen_tests(const Arguments& arguments) {
  const bool exact = std::any_of(registry().begin(), registry().end(), [&](const Registered& registered) {
    return registered.name == arguments.filter;
  });
  std::vector<const Registered*> chosen;
  for (const Registered& registered : registry()) {
    if (exact ? registered.name != arguments.filter
              : registered.name.find(arguments.filter) == std::string::npos)
      continue;
    if (!arguments.options.replay.empty() &&
        !observe::token_is_for(arguments.options.replay, registered.name))
      continue;
    chosen.push_back(&registered);
  }
  return chosen;
}

int run_all(const std::vector<const Registered*>& tests, Arguments& arguments) {
  int status = 0;
  bool reported = false;
  for (const Registered* test : tests) {
    if (arguments.list) {
      std::printf("%s\n", test->name.c_str());
      continue;
    }
    if (engine::StopSignals::asked()) {
      status = worse(status, 3);
      break;
    }
    status = worse(status, run_one(*test, arguments, status, reported));
  }
  say_unwatched(engine::unwatched_libraries(), arguments);
  return status;
}

// What a process does that runs scenarios for rank 0: of one test after the other.
class ScenarioWorker {
 public:
  explicit ScenarioWorker(const TestOptions& options) : options_(options) {}

  std::string answer(const std::string& message) {
    const auto request = observe::ScenarioRequest::read(message);
    if (!request || !open(request->test)) return {};
    return runner_->answer(*request);
  }

 private:
  bool open(const std::string& name) {
    if (test_ && test_->name() == name) return runner_.has_value();
    const auto found = std::ranges::find_if(
        registry(), [&](const Registered& registered) { return registered.name == name; });
    runner_.reset();
    if (found == registry().end()) return false;
    test_ = found->make(name, options_.seed);
    runner_.emplace(*test_, options_);
    if (!runner_->prepare()) runner_.reset();
    return runner_.has_value();
  }

  const TestOptions& options_;
  std::unique_ptr<TestCase> test_;
  std::optional<observe::ScenarioRunner> runner_;
};

// The hands of all ranks, for rank 0; nothing for the others.
Result<std::unique_ptr<work::Hands>> spread_out(const Arguments& arguments, int argc, char** argv) {
  if (arguments.stresses) return Error{"--mpi: the ranks share scenarios, and --mode stress has none"};
  const auto meeting = work::meet();
  if (!meeting) return meeting.error();
  work::Joining joining{.arguments = std::vector<std::string>(argv + 1, argv + argc)};
  joining.processes = std::max(arguments.options.jobs, 1U);
  joining.terms = {.tries = 2, .stop = engine::StopSignals::flag(), .lost = [](const std::string& who) {
                     std::fprintf(stderr, "%s is gone; the other ranks do its work\n", who.c_str());
                   }};
  const auto worker = std::make_shared<ScenarioWorker>(arguments.options);
  return work::join(*meeting, joining,
                    [worker](const std::string& request) { return worker->answer(request); });
}

}  // namespace

namespace test {

bool register_test(std::string name, Make make) {
  const auto same = [&](const Registered& other) {
    return other.name.substr(0, other.name.find('#')) == name;
  };
  const auto before = std::count_if(registry().begin(), registry().end(), same);
  if (before > 0) name += fmt::format("#{}", before + 1);
  registry().push_back({std::move(name), std::move(make)});
  return true;
}

}  // namespace test

int test_main(int argc, char** argv) {
  CLI::App app(
      "Runs small concurrent programs through every interleaving that matters, and looks for results that no "
      "serial run has.");
  app.footer(
      "Exit status: 0 all passed, 1 a violation, 2 wrong use, 3 a budget ended a test that had not failed.\n"
      "A failure prints a token; --replay TOKEN runs that very execution again.");
  Arguments arguments;
  add_options(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return error.get_exit_code() == 0 ? app.exit(error) : refuse(app, error, argv[0]);
  }
  const engine::StopSignals signals;
  arguments.options.stop = engine::StopSignals::flag();
  arguments.options.program = argv[0];
  take_common_options(app, arguments);
  std::unique_ptr<work::Hands> hands;
  if (arguments.mpi) {
    auto all = spread_out(arguments, argc, argv);
    if (!all) {
      std::fprintf(stderr, "%s\n", all.error().text().c_str());
      return 2;
    }
    if (*all == nullptr) return 0;  // a rank that works for rank 0
    hands = std::move(all).value();
    arguments.hands = hands.get();
  }
  if (const auto chosen = chosen_tests(arguments); !chosen.empty()) return run_all(chosen, arguments);
  const std::string what = !arguments.options.replay.empty() ? "no test here belongs to this replay token"
                           : registry().empty()
                               ? "this program has no tests: PLUMB_TEST(Subject, test) { … }"
                               : fmt::format("no test's name contains \"{}\"", arguments.filter);
  std::fprintf(stderr, "%s\n", what.c_str());
  return 2;
}

}  // namespace plumb
