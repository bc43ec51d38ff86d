#include "cli/options.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include <plumb/model.hpp>

#include "cli/option_values.hpp"
#include "options/option_values.hpp"
#include "report/renderers.hpp"

namespace plumb::cli {
namespace {

constexpr auto kCheck = bit_of(Verb::kCheck);
constexpr auto kConvert = bit_of(Verb::kConvert);
constexpr auto kGenerate = bit_of(Verb::kGenerate);
constexpr auto kModels = bit_of(Verb::kModels);
constexpr auto kExplain = bit_of(Verb::kExplain);
constexpr auto kReport = bit_of(Verb::kReport);
constexpr auto kChecking = kCheck | kExplain | kReport;
constexpr auto kVerify = bit_of(Verb::kVerify);
constexpr auto kWatch = bit_of(Verb::kWatch);
constexpr auto kDepth = bit_of(Verb::kDepth);
constexpr auto kMerge = bit_of(Verb::kMerge);

using options::parse_bytes;
using options::parse_choice;
using options::parse_seconds;
using options::parse_share;
using options::parse_whole;
using options::store;

Status store_format(const std::string& text, std::vector<std::string> names, std::string& target) {
  const auto choice = parse_choice(text, names);
  if (!choice) return choice.error();
  target = std::move(names[*choice]);
  return Ok{};
}

template <class Enum>
Status store_enum(const std::string& text, const std::vector<std::string>& names, Enum& target) {
  const auto choice = parse_choice(text, names);
  if (!choice) return choice.error();
  target = static_cast<Enum>(*choice);
  return Ok{};
}

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const Model* model : built_in_models()) names.emplace_back(model->name());
  return names;
}
// Each in the order of its enum.
std::vector<std::string> engine_names() {
  std::vector<std::string> names;
  for (const Engine engine :
       {Engine::kAuto, Engine::kMonitor, Engine::kFrontier, Engine::kWgl, Engine::kHitting, Engine::kBrute})
    names.emplace_back(to_string(engine));
  return names;
}
std::vector<std::string> time_unit_names() { return {"ns", "us", "ms", "s"}; }
std::vector<std::string> color_names() { return {"auto", "always", "never"}; }
std::vector<std::string> profile_names() { return {"balanced", "fill-drain", "bursts"}; }

Status apply_model(Options& options, const std::string& text) {
  if (const auto model = find_model(text); !model) return model.error();
  options.model = text;
  return Ok{};
}

Status apply_engine(Options& options, const std::string& text) {
  return store_enum(text, engine_names(), options.check.engine);
}

Status apply_max_depth(Options& options, const std::string& text) {
  constexpr std::uint64_t kMost = 64;
  return store(parse_whole<std::uint64_t>(text, 1, kMost), options.check.max_depth);
}

Status apply_only(Options& options, const std::string&) {
  options.check.hitting_only = true;
  return Ok{};
}

Status apply_color(Options& options, const std::string& text) {
  return store_enum(text, color_names(), options.color);
}

Status apply_report(Options& options, const std::string& text) {
  if (const auto format = report_format(text); !format) return format.error();
  options.report = text;
  return Ok{};
}

Status apply_relax(Options& options, const std::string& text) {
  return store(parse_relax(text), options.check.relax);
}

Status apply_max_k(Options& options, const std::string& text) {
  constexpr std::uint64_t kMost = 1'000'000'000;
  return store(parse_whole<std::uint64_t>(text, 0, kMost), options.check.max_k);
}

Status apply_clock_error(Options& options, const std::string& text) {
  const auto milliseconds = options::number<double>(text);
  if (!milliseconds || !(*milliseconds >= 0) || *milliseconds > 1e12)
    return Error{fmt::format("'{}'; expected milliseconds, 0 or more", text)};
  options.check.clock_error = std::chrono::duration<double, std::milli>(*milliseconds);
  return Ok{};
}

Status apply_time_unit(Options& options, const std::string& text) {
  return store_enum(text, time_unit_names(), options.check.time_unit);
}

Status apply_timeout(Options& options, const std::string& text) {
  return store(parse_seconds(text), options.check.timeout);
}

Status apply_memory(Options& options, const std::string& text) {
  return store(parse_bytes(text), options.check.memory);
}

Status apply_jobs(Options& options, const std::string& text) {
  constexpr std::uint64_t kMost = 1024;
  return store(parse_whole<std::uint64_t>(text, 1, kMost), options.check.jobs);
}

Status apply_shard(Options& options, const std::string& text) {
  return store(parse_shard(text), options.shard);
}

Status apply_generated_model(Options& options, const std::string& text) {
  if (const auto model = find_model(text); !model) return model.error();
  options.generate.model = text;
  return Ok{};
}

Status apply_profile(Options& options, const std::string& text) {
  return store_enum(text, profile_names(), options.generate.profile);
}

Status apply_seed(Options& options, const std::string& text) {
  return store(parse_whole<std::uint64_t>(text, 0), options.generate.seed);
}

template <std::size_t GenerateOptions::*kMember, std::uint64_t kLeast, std::uint64_t kMost>
Status keep_count(Options& options, const std::string& text) {
  return store(parse_whole<std::uint64_t>(text, kLeast, kMost), options.generate.*kMember);
}

template <double GenerateOptions::*kMember>
Status keep_share(Options& options, const std::string& text) {
  return store(parse_share(text), options.generate.*kMember);
}

Status apply_repeat(Options& options, const std::string&) {
  options.generate.distinct = false;
  return Ok{};
}

Status apply_spoil(Options& options, const std::string&) {
  options.generate.spoil = true;
  return Ok{};
}

template <bool Options::*kMember>
Status turn_on(Options& options, const std::string&) {
  options.*kMember = true;
  return Ok{};
}

Status apply_no_partition(Options& options, const std::string&) {
  options.check.partition = false;
  return Ok{};
}

Status apply_lru(Options& options, const std::string&) {
  options.check.lru = true;
  return Ok{};
}

template <std::string Options::*kMember>
Status keep_text(Options& options, const std::string& text) {
  return store(options::parse_file_name(text), options.*kMember);
}

template <std::string Options::*kMember>
Status keep_readable_format(Options& options, const std::string& text) {
  return store_format(text, readable_formats(), options.*kMember);
}

template <std::string Options::*kMember>
Status keep_writable_format(Options& options, const std::string& text) {
  return store_format(text, writable_formats(), options.*kMember);
}

constexpr std::uint64_t kMostOperations = History::kMaxOperations;
constexpr std::uint64_t kMostProcesses = 1'000'000;

constexpr Need kSearchedK = {"without --relax CLASS=?", [](const Options& options) {
                               return std::ranges::any_of(options.check.relax,
                                                          [](const Relaxation& relax) { return !relax.k; });
                             }};
constexpr Need kHitting = {"without --engine hitting",
                           [](const Options& options) { return options.check.engine == Engine::kHitting; }};

constexpr Need kWithoutMpi = {"with --mpi, whose ranks share the work themselves",
                              [](const Options& options) { return !options.mpi; }};

constexpr FixedText kOutputHelp("the file to write; its extension says what: ", kReportEndings.view());

constexpr OptionRow kTable[] = {
    {"-m,--model", "NAME", kChecking | kVerify | kWatch | kDepth,
     "what the object is ('plumb models' lists them); by default, what the file says", apply_model, false,
     model_names},
    {"--spec", "FILE.cpp", kChecking | kVerify | kWatch | kDepth,
     "your own model in C++, compiled with the system's compiler", keep_text<&Options::spec>},
    {"-f,--format", "FORMAT", kChecking | kVerify | kWatch | kDepth,
     "format of the input; by default recognised by content", keep_readable_format<&Options::format>, false,
     readable_formats},
    {"--from", "FORMAT", kConvert, "format of IN; by default recognised by content",
     keep_readable_format<&Options::from>, false, readable_formats},
    {"--to", "FORMAT", kConvert, "format of OUT; by default from the extension of its name",
     keep_writable_format<&Options::to>, false, writable_formats},
    {"-e,--engine", "ENGINE", kChecking,
     "auto (a monitor where one applies, else frontier and wgl), monitor, frontier (for values that repeat), "
     "wgl "
     "(the general search), hitting (strong hitting families, then wgl) or brute (every order)",
     apply_engine, false, engine_names},
    {"--relax", "CLASS=K", kChecking,
     "quasi linearizability: operations of CLASS may be K places off; '?' for K finds the smallest; may be "
     "repeated",
     apply_relax, true},
    {"--max-k", "K", kChecking, "how far --relax CLASS=? looks; by default 16", apply_max_k, false, nullptr,
     &kSearchedK},
    {"--clock-error", "MS", kChecking,
     "every time may be off by so many milliseconds, as clocks of several machines are: only what is a "
     "violation all the same is one",
     apply_clock_error},
    {"--time-unit", "UNIT", kChecking,
     "what the times of the input are in, for --clock-error: ns (by default), us, ms or s", apply_time_unit,
     false, time_unit_names},
    {"--max-depth", "D", kChecking, "hitting: the largest depth of the families that are tried; by default 5",
     apply_max_depth, false, nullptr, &kHitting},
    {"--max-depth", "D", kDepth, "the largest depth of the families; by default 5", apply_max_depth},
    {"--only", "", kChecking, "hitting: what the families do not prove is 'unknown', not passed on to wgl",
     apply_only, false, nullptr, &kHitting},
    {"-t,--timeout", "SECONDS", kChecking | kDepth,
     "time per history; when it runs out (with 0: at once) the verdict is 'unknown'; by default no limit",
     apply_timeout},
    {"--memory", "BYTES", kChecking,
     "memory for the search (512K, 100M, 2G); beyond that it forgets, and is slower", apply_memory},
    {"-j,--jobs", "N", kChecking, "how many threads; by default one per core", apply_jobs},
    {"--mpi", "", kCheck,
     "under mpirun: the ranks share the work, each with --jobs processes (by default one); see "
     "docs/scale-out.md",
     turn_on<&Options::mpi>},
    {"--shard", "I/N", kCheck,
     "only every N-th file (of one file: every N-th history), from number I on; the first is 0. 'env': as "
     "the "
     "environment says; see docs/scale-out.md",
     apply_shard, false, nullptr, &kWithoutMpi},
    {"--journal", "FILE", kCheck,
     "append each verdict to FILE as soon as it is there; the same command goes on from it, 'plumb merge' "
     "puts "
     "several together",
     keep_text<&Options::journal>},
    {"--no-partition", "", kChecking | kDepth,
     "do not split the history by key (to measure what splitting gains)", apply_no_partition},
    {"--lru", "", kChecking,
     "let the search forget from the start, in a small table (to measure what that costs)", apply_lru},
    {"--certificate", "FILE", kChecking, "also write a proof of each verdict, for 'plumb verify'",
     keep_text<&Options::certificate>},
    {"--certificate", "FILE", kMerge, "where to write the certificates; by default as the runs were told",
     keep_text<&Options::certificate>},
    {"--report", "FILE", kMerge, "where to write the report; by default as the runs were told", apply_report},
    {"--junit", "FILE", kMerge, "where to write the JUnit XML; by default as the runs were told",
     keep_text<&Options::junit>},
    {"-m,--model", "NAME", kGenerate, "which object to imitate; by default queue", apply_generated_model,
     false, model_names},
    {"-n,--operations", "N", kGenerate, "how many operations; by default 1000",
     keep_count<&GenerateOptions::operations, 0, kMostOperations>},
    {"-p,--processes", "N", kGenerate, "how many run at a time; by default 4",
     keep_count<&GenerateOptions::processes, 1, kMostProcesses>},
    {"--keys", "N", kGenerate, "keys of a map, members of a set, and the like; by default 8",
     keep_count<&GenerateOptions::keys, 1, kMostOperations>},
    {"--values", "N", kGenerate, "different values to write; by default 5",
     keep_count<&GenerateOptions::values, 1, kMostOperations>},
    {"--repeat-values", "", kGenerate, "queues and the like: let a value be inserted more than once",
     apply_repeat},
    {"--overlap", "X", kGenerate,
     "0: one operation after the other; 1: every process always busy; by default 0.5",
     keep_share<&GenerateOptions::overlap>},
    {"--pending", "X", kGenerate, "share of operations that never return, 0 to 1; by default 0",
     keep_share<&GenerateOptions::pending>},
    {"--profile", "NAME", kGenerate, "balanced, fill-drain or bursts: how a collection fills and empties",
     apply_profile, false, profile_names},
    {"-s,--seed", "N", kGenerate, "the same seed gives the same history on every machine; by default 1",
     apply_seed},
    {"--spoil", "", kGenerate, "make one result impossible: the history is not linearizable", apply_spoil},
    {"-o,--output", "FILE", kReport, kOutputHelp.view(), apply_report},
    {"--report", "FILE", kCheck,
     "a report of the first violation (or of the first history), as 'plumb report' makes it", apply_report},
    {"--junit", "FILE", kCheck, "the verdicts as JUnit XML, one test case per history, for build servers",
     keep_text<&Options::junit>},
    {"-o,--output", "FILE", kGenerate, "the file to write, by default standard output; .gz and .zst compress",
     keep_text<&Options::output>},
    {"-f,--format", "FORMAT", kGenerate, "format to write; by default from the extension of FILE, or jsonl",
     keep_writable_format<&Options::format>, false, writable_formats},
    {"-o,--output", "FILE.svg", kDepth, "also a plot: the share of linearizable histories proved, by depth",
     keep_text<&Options::plot>},
    {"--csv", "", kDepth, "one line of comma-separated values per history", turn_on<&Options::csv>},
    {"-v,--verbose", "", kDepth, "also each history, not only the tables", turn_on<&Options::verbose>},
    {"-k,--keep-going", "", kWatch, "continue after a violation and report every further one",
     turn_on<&Options::keep_going>},
    {"--strict", "", kWatch, "a broken line ends the run; otherwise it is reported and skipped",
     turn_on<&Options::strict>},
    {"-F,--follow", "", kWatch, "at the end of FILE wait for more, like tail -f, until Ctrl-C",
     turn_on<&Options::follow>},
    {"--json", "", kChecking | kModels | kVerify | kWatch | kDepth,
     "one JSON object per line on standard output, and nothing else there", turn_on<&Options::json>},
    {"-q,--quiet", "", kChecking | kVerify | kWatch | kDepth, "no verdicts, only the exit status and errors",
     turn_on<&Options::quiet>},
    {"-v,--verbose", "", kCheck | kReport,
     "more about each verdict: engine, parts, the order found, files skipped", turn_on<&Options::verbose>},
    {"--color", "WHEN", kChecking | kModels | kVerify | kWatch | kDepth, "auto, always or never", apply_color,
     false, color_names},
};

}  // namespace

std::span<const OptionRow> option_table() { return kTable; }

}  // namespace plumb::cli
