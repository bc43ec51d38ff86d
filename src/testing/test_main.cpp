// The program that plumb_add_test makes: its tests one after the other, its exit status.
#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <plumb/audit.hpp>
#include <plumb/stress.hpp>
#include <plumb/test.hpp>

#include "base/exit_status.hpp"
#include "base/file_io.hpp"
#include "explore/stop_signals.hpp"
#include "explore/unwatched.hpp"
#include "history/printable.hpp"
#include "json/json_writer.hpp"
#include "options/standard_output.hpp"
#include "report/paint.hpp"
#include "report/renderers.hpp"
#include "runtime/end_of_process.hpp"
#include "testing/arguments.hpp"
#include "testing/colored_report.hpp"
#include "testing/ended_process.hpp"
#include "testing/order_audit_page.hpp"
#include "testing/progress_lines.hpp"
#include "testing/replay_token.hpp"
#include "testing/result_document.hpp"
#include "testing/scenario_runner.hpp"
#include "testing/test_run.hpp"
#include "work/ranks.hpp"

namespace plumb {
namespace {

using testing::Arguments;

struct Registered {
  std::string name;
  test::Make make;
  DocumentPlace place = {};

  [[nodiscard]] std::string place_text() const { return fmt::format("{}:{}", place.file, place.line); }
};
std::vector<Registered>& registry() {
  static std::vector<Registered> all;
  return all;
}

ExitStatus status_of(Outcome verdict) {
  switch (verdict) {
    case Outcome::kHolds:
      return ExitStatus::kHolds;
    case Outcome::kViolation:
      return ExitStatus::kViolation;
    case Outcome::kUnknown:
      break;
  }
  return ExitStatus::kUnknown;
}

ExitStatus status_of(const TestResult& result) {
  return result.refused ? ExitStatus::kError : status_of(result.verdict);
}

// With what the command line says of the engine put over what the test says.
std::unique_ptr<TestCase> make_test(const Registered& registered, const Arguments& arguments) {
  auto test = registered.make(registered.name, arguments.options.seed);
  ExploreOptions explore = test->explore_options().value_or(ExploreOptions{});
  for (const auto& set : arguments.engine) set(explore);
  test->explore(std::move(explore));
  return test;
}

void show_progress(const std::string& line) {
  std::fprintf(stderr, "\r\x1b[K%s", line.c_str());
  std::fflush(stderr);
}

// What a test has come to.
void say(const TestResult& result, const Arguments& arguments) {
  if (result.refused) {
    std::fputs(printable_lines(result.report).c_str(), stderr);
    return;
  }
  // What the code under test has made of names and messages is shown, and not obeyed.
  std::string text = arguments.json
                         ? result.json() + "\n"
                         : printable_lines(result.report + engine::unwatched_text(result.unwatched_writes));
  if (!arguments.json && output_takes_color()) {
    if (result.verdict == Outcome::kViolation) text += testing::sources_text(ResultDocument::of(result));
    text = testing::colored(text);
  }
  write_output(text);
}

// Once, at the end of the run.
void say_unwatched(const std::vector<std::string>& libraries, const Arguments& arguments) {
  if (arguments.json || arguments.stresses || arguments.list) return;
  write_output(engine::unwatched_text(libraries));
}

// Where the source of a build is, for those who know it by that.
std::string source_root() {
  if (const char* workspace = std::getenv("GITHUB_WORKSPACE"); workspace != nullptr && *workspace != '\0')
    return workspace;
  std::error_code ignored;
  return std::filesystem::current_path(ignored);
}

// All results, for build servers; an error has been said.
bool write_results(const std::vector<Document>& documents, const Arguments& arguments) {
  const std::string suite = std::filesystem::path(arguments.options.program).filename();
  bool ok = true;
  const auto tell = [&](const Status& written) {
    if (written) return;
    std::fprintf(stderr, "%s\n", written.error().text().c_str());
    ok = false;
  };
  if (!arguments.junit.empty())
    tell(write_file(arguments.junit, render_junit(junit_suite_of_now(suite), documents)));
  if (!arguments.sarif.empty()) tell(write_file(arguments.sarif, render_sarif(documents, source_root())));
  if (!arguments.summary.empty()) tell(append_file(arguments.summary, render_markdown(suite, documents)));
  if (arguments.annotates)
    std::fputs(render_annotations(documents, source_root()).c_str(), arguments.json ? stderr : stdout);
  return output_has_arrived() && ok;
}

// The same of audits.
bool write_audits(const std::vector<OrderAudit>& audits, const Arguments& arguments) {
  if (arguments.report.empty()) return true;
  const std::string content = testing::rendered(audits, report_format(arguments.report).value());
  const auto written = write_file(arguments.report, content);
  if (!written) std::fprintf(stderr, "%s\n", written.error().text().c_str());
  return static_cast<bool>(written);
}

// Has a run tell how far it is, on a terminal or by lines; nothing where that is not wanted.
class Progress {
 public:
  Progress(const Registered& registered, Arguments& arguments) {
    const bool wanted = !arguments.quiet && !arguments.json;
    is_terminal_ = wanted && isatty(STDERR_FILENO) != 0;
    if (is_terminal_) {
      arguments.options.progress = arguments.stress.progress = show_progress;
    } else if (wanted) {
      lines_.emplace(registered.name + ": nothing is finished yet");
      arguments.options.progress =
          arguments.stress.progress = [this](const std::string& line) { lines_->tell(line); };
    }
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() {
    if (is_terminal_) show_progress("");
  }

 private:
  bool is_terminal_ = false;
  std::optional<testing::ProgressLines> lines_;
};

// Its memory orders instead of the test itself.
ExitStatus audit_one(const Registered& registered, Arguments& arguments, std::vector<OrderAudit>& audits) {
  audits.push_back([&] {
    const Progress progress(registered, arguments);
    return audit_orders([&] { return make_test(registered, arguments); }, arguments.options);
  }());
  const OrderAudit& audit = audits.back();
  if (audit.refused && !arguments.json)
    std::fputs(audit.report.c_str(), stderr);
  else
    write_output(arguments.json ? audit.json() + "\n" : audit.report);
  return audit.refused ? ExitStatus::kError : status_of(audit.verdict);
}

ExitStatus run_one(const Registered& registered, Arguments& arguments, const testing::Sharing& sharing,
                   ExitStatus before, std::vector<Document>& documents) {
  std::optional<Progress> progress;
  progress.emplace(registered, arguments);
  StressOptions stress = arguments.stress;
  if (stress.save.empty()) {
    stress.save = registered.name + ".plumb";
    std::ranges::replace(stress.save, '/', '-');  // of a name such as lock/Mutex
  }
  const auto keep = [&](const TestResult& known) {
    documents.push_back(ResultDocument::of(known));
    documents.back().defined = registered.place;
  };
  const auto say_last = [&](const TestResult& known) {
    say(known, arguments);
    say_unwatched(known.unwatched, arguments);
    keep(known);
    const bool written = write_results(documents, arguments);
    std::fflush(nullptr);
    return number_of(written ? worse(before, status_of(known)) : ExitStatus::kError);
  };
  const auto cannot_end = [&](const TestResult& known) { runtime::end_process(say_last(known)); };
  const runtime::EndGuard guard([&](const runtime::EndOfProcess& end) {
    return say_last(testing::ended_process(registered.name, end));
  });
  const auto made = make_test(registered, arguments);
  const TestResult result = arguments.stresses
                                ? run_stress(*made, stress)
                                : testing::run_test(*made, arguments.options, sharing, cannot_end);
  progress.reset();
  say(result, arguments);
  const bool reported =
      std::ranges::any_of(documents, [](const Document& d) { return d.verdict == "violation"; });
  keep(result);
  if (result.verdict == Outcome::kViolation && !arguments.report.empty() && !reported) {
    const std::string content = result.rendered(report_format(arguments.report).value());
    if (auto written = write_file(arguments.report, content); !written) {
      std::fprintf(stderr, "%s\n", written.error().text().c_str());
      return ExitStatus::kError;
    }
  }
  return status_of(result);
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
        !testing::token_is_for(arguments.options.replay, registered.name))
      continue;
    chosen.push_back(&registered);
  }
  return chosen;
}

// Its name; as JSON with its place, for what shows tests beside their source.
std::string listed(const Registered& test, const Arguments& arguments) {
  if (!arguments.json) return test.name;
  JsonWriter json;
  json.object([&] {
    json.member("test", test.name);
    json.member("file", test.place.file);
    json.member("line", test.place.line);
  });
  return json.take();
}

// The end of the journal, or of those that were merged.
ExitStatus close_journal(testing::TestJournal& journal) {
  journal.close();
  for (const std::string& name : journal.missing()) std::fprintf(stderr, "missing: %s\n", name.c_str());
  if (journal.status()) return ExitStatus::kHolds;
  std::fprintf(stderr, "%s\n", journal.status().error().text().c_str());
  return ExitStatus::kError;
}

ExitStatus run_all(const std::vector<const Registered*>& tests, Arguments& arguments,
                   const testing::Sharing& sharing) {
  ExitStatus status = ExitStatus::kHolds;
  std::vector<Document> documents;
  std::vector<OrderAudit> audits;
  for (const Registered* test : tests) {
    if (arguments.list) {
      write_output(listed(*test, arguments) + "\n");
      continue;
    }
    if (engine::StopSignals::asked()) {
      status = worse(status, ExitStatus::kUnknown);
      break;
    }
    status = worse(status, arguments.audits ? audit_one(*test, arguments, audits)
                                            : run_one(*test, arguments, sharing, status, documents));
    if (sharing.journal != nullptr && !sharing.journal->status()) break;
  }
  if (sharing.journal != nullptr) status = worse(status, close_journal(*sharing.journal));
  if (!arguments.list && !write_results(documents, arguments)) status = ExitStatus::kError;
  if (!audits.empty() && !write_audits(audits, arguments)) status = ExitStatus::kError;
  say_unwatched(engine::unwatched_libraries(), arguments);
  return output_has_arrived() ? status : ExitStatus::kError;
}

// What a process does that runs scenarios for rank 0: of one test after the other.
class ScenarioWorker {
 public:
  explicit ScenarioWorker(const Arguments& arguments) : arguments_(arguments) {}

  std::string answer(const std::string& message) {
    const auto request = testing::ScenarioRequest::read(message);
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
    test_ = make_test(*found, arguments_);
    options_ = testing::options_for(*test_, arguments_.options);
    runner_.emplace(*test_, options_);
    if (!runner_->prepare()) runner_.reset();
    return runner_.has_value();
  }

  const Arguments& arguments_;
  TestOptions options_;
  std::unique_ptr<TestCase> test_;
  std::optional<testing::ScenarioRunner> runner_;
};

// Which part of the scenarios is to be run here. Stress runs are about this machine's threads: no part of them is another one's.
Result<Shard> shard_of(const Arguments& arguments) {
  if (!arguments.merge.empty() || arguments.stresses || arguments.list || !arguments.options.replay.empty())
    return Shard{};
  const auto shard = find_shard(arguments.shard);
  if (!shard) return shard.error();
  if (*shard && arguments.mpi)
    return Error{"--mpi: the ranks share the work themselves, not as a shard of it"};
  return shard->value_or(Shard{});
}

// Nothing: there is none.
Result<std::optional<testing::TestJournal>> journal_of(const Arguments& arguments) {
  if (arguments.journal.empty() && arguments.merge.empty()) return std::optional<testing::TestJournal>();
  const ProgramHead head = testing::head_of(arguments);
  auto journal = arguments.merge.empty() ? testing::TestJournal::open(arguments.journal, head)
                                         : testing::TestJournal::merge(arguments.merge, head);
  if (!journal) return journal.error();
  return std::optional(std::move(journal).value());
}

// All ranks, for rank 0; nothing for the others, whose work is done.
Result<std::unique_ptr<work::Ranks>> spread_out(const Arguments& arguments, int argc, char** argv) {
  if (arguments.stresses) return Error{"--mpi: the ranks share scenarios, and --mode stress has none"};
  work::JoinOptions join{.arguments = std::vector<std::string>(argv + 1, argv + argc)};
  join.processes = std::max(arguments.options.jobs, 1U);
  join.pool = {.tries = 2, .stop = engine::StopSignals::flag(), .lost = [](const std::string& who) {
                 std::fprintf(stderr, "%s is gone; the other ranks do its work\n", who.c_str());
               }};
  auto bridge = work::Bridge::open(join.processes);
  if (!bridge) return bridge.error();
  const auto worker = std::make_shared<ScenarioWorker>(arguments);
  return work::join(std::move(bridge).value(), join,
                    [worker](const std::string& request) { return worker->answer(request); });
}

// Tests are told apart by their names, which stand in tokens and on lines of their own.
Status check_names() {
  for (std::size_t i = 0; i < registry().size(); ++i) {
    const Registered& each = registry()[i];
    const bool odd = std::ranges::any_of(each.name, [](unsigned char c) { return c < ' ' || c == '@'; });
    if (each.name.empty() || odd)
      return Error{
          fmt::format("{}: \"{}\" cannot be the name of a test: it needs a character, and none of them "
                      "may be @ or a control character",
                      each.place_text(), each.name)};
    for (std::size_t j = 0; j < i; ++j) {
      if (registry()[j].name != each.name) continue;
      return Error{
          fmt::format("two tests are called {0}: {1} and {2}. Give one of them a name of its own: "
                      "PLUMB_TEST(…, test, \"another name\")",
                      each.name, registry()[j].place_text(), each.place_text())};
    }
  }
  return Ok{};
}

std::string why_not_replayed(const std::string& token) {
  if (std::ranges::count(token, '@') < 2)
    return fmt::format(
        "\"{}\" is not a replay token: NAME@SCENARIO@SCHEDULE, as the last line of a failure has it: "
        "Queue@/0_0.2/@plumb1-…",
        token);
  return "no test here belongs to this replay token";
}

// The test for which it was made, if the name of another was put before it; empty: none.
std::string maker_of(const std::string& token, const std::vector<const Registered*>& chosen) {
  if (token.empty() || chosen.empty() || testing::token_was_made_for(token, chosen.front()->name)) return "";
  const auto maker = std::ranges::find_if(registry(), [&](const Registered& registered) {
    return testing::token_was_made_for(token, registered.name);
  });
  return maker == registry().end() ? "" : maker->name;
}

ExitStatus refuse(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  return ExitStatus::kError;
}

}  // namespace

namespace test {

bool register_test(const Definition& definition, std::string name, Make make) {
  registry().push_back(
      {std::move(name), std::move(make), {definition.file, static_cast<unsigned>(definition.line), ""}});
  return true;
}

}  // namespace test

int test_main(int argc, char** argv) {
  prepare_standard_streams();
  Arguments arguments;
  if (const auto over = testing::read_arguments(argc, argv, arguments)) return number_of(*over);
  if (const auto unique = check_names(); !unique) return number_of(refuse(unique.error().text()));
  const runtime::EndGuard guard([](const runtime::EndOfProcess& end) {
    return number_of(refuse(testing::ended_process("the test program", end).message));
  });
  const engine::StopSignals signals;
  arguments.options.stop = arguments.stress.stop = engine::StopSignals::flag();
  std::unique_ptr<work::Ranks> ranks;
  if (arguments.mpi) {
    auto all = spread_out(arguments, argc, argv);
    if (!all) return number_of(refuse(all.error().text()));
    if (*all == nullptr) return number_of(ExitStatus::kHolds);  // a rank that worked for rank 0
    ranks = std::move(all).value();
  }
  const auto shard = shard_of(arguments);
  if (!shard) return number_of(refuse(shard.error().text()));
  if (const auto writable = testing::check_outputs(arguments); !writable)
    return number_of(refuse(writable.error().text()));
  const auto chosen = chosen_tests(arguments);
  auto journal = journal_of(arguments);
  if (!journal) return number_of(refuse(journal.error().text()));
  const testing::Sharing sharing{

      .pool = ranks ? &ranks->pool : nullptr, .shard = *shard, .journal = *journal ? &**journal : nullptr};
  if (const std::string maker = maker_of(arguments.options.replay, chosen); !maker.empty())
    return number_of(refuse(
        fmt::format("the replay token was made for the test {}, not for {}", maker, chosen.front()->name)));
  if (!chosen.empty()) return number_of(run_all(chosen, arguments, sharing));
  return number_of(refuse(!arguments.options.replay.empty() ? why_not_replayed(arguments.options.replay)
                          : registry().empty()
                              ? "this program has no tests: PLUMB_TEST(Subject, test) { … }"
                              : fmt::format("no test's name contains \"{}\"", arguments.filter)));
}

}  // namespace plumb
