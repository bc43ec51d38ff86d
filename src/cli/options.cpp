#include "cli/options.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <plumb/model.hpp>
#include <plumb/report.hpp>

#include "cli/option_values.hpp"
#include "options/option_values.hpp"

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
  return Done{};
}

template <class Enum>
Status store_enum(const std::string& text, const std::vector<std::string>& names, Enum& target) {
  const auto choice = parse_choice(text, names);
  if (!choice) return choice.error();
  target = static_cast<Enum>(*choice);
  return Done{};
}

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const Model* model : built_in_models()) names.emplace_back(model->name());
  return names;
}
// Each in the order of its enum.
std::vector<std::string> engine_names() { return {"auto", "monitor", "wgl", "hitting", "brute"}; }
std::vector<std::string> color_names() { return {"auto", "always", "never"}; }
std::vector<std::string> profile_names() { return {"balanced", "fill-drain", "bursts"}; }

Status apply_model(Options& options, const std::string& text) {
  if (const auto model = find_model(text); !model) return model.error();
  options.model = text;
  return Done{};
}

Status apply_engine(Options& options, const std::string& text) {
  return store_enum(text, engine_names(), options.check.engine);
}

Status apply_max_depth(Options& options, const std::string& text) {
  constexpr std::uint64_t kMost = 64;
  return store(parse_whole<std::uint64_t>(text, 1, kMost), options.check.max_depth);
}

Status apply_only(Options& options, const std::string&) {
  options.check.only = true;
  return Done{};
}

Status apply_color(Options& options, const std::string& text) {
  return store_enum(text, color_names(), options.color);
}

Status apply_report(Options& options, const std::string& text) {
  if (const auto format = report_format(text); !format) return format.error();
  options.report = text;
  return Done{};
}

Status apply_relax(Options& options, const std::string& text) {
  return store(parse_relax(text), options.check.relax);
}

Status apply_max_k(Options& options, const std::string& text) {
  constexpr std::uint64_t kMost = 1'000'000'000;
  return store(parse_whole<std::uint64_t>(text, 0, kMost), options.check.max_k);
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

Status apply_generated_model(Options& options, const std::string& text) {
  if (const auto model = find_model(text); !model) return model.error();
  options.generate.model = text;
  return Done{};
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
  return Done{};
}

Status apply_spoil(Options& options, const std::string&) {
  options.generate.spoil = true;
  return Done{};
}

template <bool Options::*kMember>
Status turn_on(Options& options, const std::string&) {
  options.*kMember = true;
  return Done{};
}

Status apply_no_partition(Options& options, const std::string&) {
  options.check.partition = false;
  return Done{};
}

Status apply_lru(Options& options, const std::string&) {
  options.check.lru = true;
  return Done{};
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
                                                          [](const Relax& relax) { return !relax.k; });
                             }};
constexpr Need kHitting = {"without --engine hitting",
                           [](const Options& options) { return options.check.engine == Engine::kHitting; }};

constexpr OptionRow kTable[] = {
    {"-m,--model", "NAME", kChecking | kVerify | kWatch | kDepth,
     "what the object is; unless given, what the file says ('plumb models' lists them)", apply_model, false,
     model_names},
    {"--spec", "FILE.cpp", kChecking | kVerify | kWatch | kDepth,
     "your own model in C++, compiled with the system's compiler", keep_text<&Options::spec>},
    {"-f,--format", "FORMAT", kChecking | kVerify | kWatch | kDepth,
     "format of the input; unless given, recognised by content", keep_readable_format<&Options::format>,
     false, readable_formats},
    {"--from", "FORMAT", kConvert, "format of IN; unless given, recognised by content",
     keep_readable_format<&Options::from>, false, readable_formats},
    {"--to", "FORMAT", kConvert, "format of OUT; unless given, by the ending of its name",
     keep_writable_format<&Options::to>, false, writable_formats},
    {"-e,--engine", "ENGINE", kChecking,
     "auto (a monitor where one applies, else wgl), monitor, wgl (the general search), hitting (strong "
     "hitting families, "
     "then wgl) or brute (every order)",
     apply_engine, false, engine_names},
    {"--relax", "CLASS=K", kChecking,
     "quasi linearizability: operations of CLASS may be K places off; '?' for K finds the smallest; may be "
     "repeated",
     apply_relax, true},
    {"--max-k", "K", kChecking, "how far --relax CLASS=? looks; unless given, 16", apply_max_k, false,
     nullptr, &kSearchedK},
    {"--max-depth", "D", kChecking, "hitting: the depth of the families that are tried; unless given, 5",
     apply_max_depth, false, nullptr, &kHitting},
    {"--max-depth", "D", kDepth, "how deep the families are at most; unless given, 5", apply_max_depth},
    {"--only", "", kChecking, "hitting: what the families do not prove is 'unknown', not handed over to wgl",
     apply_only, false, nullptr, &kHitting},
    {"-t,--timeout", "SECONDS", kChecking | kDepth,
     "time for each history; when it is spent (with 0: at once) the verdict is 'unknown'; unless given, no "
     "limit",
     apply_timeout},
    {"--memory", "BYTES", kChecking,
     "memory for the search (512K, 100M, 2G); from there on it forgets, and is slower", apply_memory},
    {"-j,--jobs", "N", kChecking, "how many threads; unless given, one for each core", apply_jobs},
    {"--mpi", "", kCheck,
     "under mpirun: the ranks share the work, each with --jobs processes (unless given, one); see "
     "docs/scale-out.md",
     turn_on<&Options::mpi>},
    {"--no-partition", "", kChecking | kDepth,
     "do not split the history by key (to measure what splitting brings)", apply_no_partition},
    {"--lru", "", kChecking,
     "let the search forget from the start, in a small table (to measure what that costs)", apply_lru},
    {"--certificate", "FILE", kChecking, "also write what proves each verdict, for 'plumb verify'",
     keep_text<&Options::certificate>},
    {"-m,--model", "NAME", kGenerate, "which object to imitate; unless given, queue", apply_generated_model,
     false, model_names},
    {"-n,--operations", "N", kGenerate, "how many operations; unless given, 1000",
     keep_count<&GenerateOptions::operations, 0, kMostOperations>},
    {"-p,--processes", "N", kGenerate, "how many run at a time; unless given, 4",
     keep_count<&GenerateOptions::processes, 1, kMostProcesses>},
    {"--keys", "N", kGenerate, "keys of a map, members of a set, and the like; unless given, 8",
     keep_count<&GenerateOptions::keys, 1, kMostOperations>},
    {"--values", "N", kGenerate, "different values to write; unless given, 5",
     keep_count<&GenerateOptions::values, 1, kMostOperations>},
    {"--repeat-values", "", kGenerate, "queues and the like: let a value be inserted more than once",
     apply_repeat},
    {"--overlap", "X", kGenerate,
     "0: one operation after the other; 1: every process always busy; unless given, 0.5",
     keep_share<&GenerateOptions::overlap>},
    {"--pending", "X", kGenerate, "share of operations that never return, 0 to 1; unless given, 0",
     keep_share<&GenerateOptions::pending>},
    {"--profile", "NAME", kGenerate, "balanced, fill-drain or bursts: how a collection fills and empties",
     apply_profile, false, profile_names},
    {"-s,--seed", "N", kGenerate, "the same seed gives the same history on every machine; unless given, 1",
     apply_seed},
    {"--spoil", "", kGenerate, "make one result impossible: the history is not linearizable", apply_spoil},
    {"-o,--output", "FILE", kReport, "where to; the ending says what: .html, .svg, .txt or .json",
     apply_report},
    {"--report", "FILE", kCheck,
     "a report of the first violation (or of the first history), as 'plumb report' makes it", apply_report},
    {"--junit", "FILE", kCheck, "the verdicts as JUnit XML, one test case per history, for build servers",
     keep_text<&Options::junit>},
    {"-o,--output", "FILE", kGenerate, "where to; unless given, standard output; .gz and .zst compress",
     keep_text<&Options::output>},
    {"-f,--format", "FORMAT", kGenerate, "format to write; unless given, by the ending of FILE, or jsonl",
     keep_writable_format<&Options::format>, false, writable_formats},
    {"-o,--output", "FILE.svg", kDepth, "also a plot: the share of linearizable histories proved, by depth",
     keep_text<&Options::plot>},
    {"--csv", "", kDepth, "one line of comma-separated values a history", turn_on<&Options::csv>},
    {"-v,--verbose", "", kDepth, "each history, not only the tables of all", turn_on<&Options::verbose>},
    {"-k,--keep-going", "", kWatch, "go on after a violation and report every further one",
     turn_on<&Options::keep_going>},
    {"--strict", "", kWatch, "a broken line ends the run; otherwise it is reported and skipped",
     turn_on<&Options::strict>},
    {"-F,--follow", "", kWatch, "at the end of FILE wait for more, as tail -f does, until Ctrl-C",
     turn_on<&Options::follow>},
    {"--json", "", kChecking | kModels | kVerify | kWatch | kDepth,
     "one JSON object a line on standard output, and nothing else there", turn_on<&Options::json>},
    {"-q,--quiet", "", kChecking | kVerify | kWatch | kDepth, "no verdicts, only the exit status and errors",
     turn_on<&Options::quiet>},
    {"-v,--verbose", "", kCheck | kReport,
     "more about each verdict: engine, parts, the order found, files passed over",
     turn_on<&Options::verbose>},
    {"--color", "WHEN", kChecking | kModels | kVerify | kWatch | kDepth, "auto, always or never", apply_color,
     false, color_names},
};

}  // namespace

std::span<const OptionRow> option_table() { return kTable; }

}  // namespace plumb::cli
