// plumb merge: the journals of several shards, or of one run, told as one process would have told them. Nothing is checked again: the
// pieces are taken, in the order of the input, by what takes them in a run of `plumb check`. Those of test programs are told by the
// program, which alone knows its classes.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <plumb/report.hpp>

#include "base/file_io.hpp"
#include "cli/check_ledger.hpp"
#include "cli/command_line.hpp"
#include "cli/merge_by_program.hpp"
#include "cli/merged_check.hpp"
#include "cli/verbs.hpp"
#include "journal/journal.hpp"
#include "journal/program_head.hpp"

namespace plumb::cli {
namespace {

// One of the files that runs write besides their verdicts.
struct Extra {
  std::string_view option;
  std::string ExtraFiles::*name;
};
constexpr std::array kExtras{Extra{"--certificate", &ExtraFiles::certificate},
                             Extra{"--report", &ExtraFiles::report}, Extra{"--junit", &ExtraFiles::junit}};

// Where to write: as is said here, else as all runs were told. What they were not told to make is in no journal.
Result<ExtraFiles> extras_of(const MergedCheck& merged, const Options& options, Console& console) {
  ExtraFiles extras = ExtraFiles::of(options);
  const ExtraFiles& told = merged.head().extras;
  for (const Extra& extra : kExtras) {
    const auto name = extra.name;
    if (!(extras.*name).empty() && (told.*name).empty())
      return Error{
          fmt::format("{0}: the journals were written without {0}, and have nothing for it", extra.option)};
    if (!(extras.*name).empty()) continue;
    extras.*name = merged.common().*name;
    if ((extras.*name).empty() && !(told.*name).empty())
      console.error(fmt::format(
          "plumb merge: the runs had different files for {0}; none is written without {0}", extra.option));
  }
  if (!extras.report.empty() && report_format(extras.report).value() != report_format(told.report).value())
    return Error{fmt::format("--report: the report in the journals is for {}, and cannot be made into {}",
                             told.report, extras.report)};
  return extras;
}

// The options of the runs.
Result<Options> options_of(const CheckHead& head, const ExtraFiles& extras) {
  std::vector<std::string> words = {"check"};
  words.insert(words.end(), head.words.begin(), head.words.end());
  words.insert(words.end(), head.arguments.begin(), head.arguments.end());
  CommandLine line = parse_command_line(words);
  if (line.verb == nullptr || !line.answer.empty()) return Error{line.answer};
  Options options = std::move(line.options);
  options.certificate = extras.certificate;
  options.report = extras.report;
  options.junit = extras.junit;
  return options;
}

struct NamedJournal {
  std::string file;
  JournalText text;
};

// A run that was killed at once has left nothing, which is no reason to refuse the others.
Result<std::vector<NamedJournal>> read_all(const std::vector<std::string>& files) {
  std::vector<NamedJournal> all;
  for (const std::string& file : files) {
    auto journal = read_journal(file);
    if (!journal) return journal.error();
    if (journal->head) all.push_back({file, std::move(journal).value()});
  }
  if (all.empty()) return Error{"is empty: nothing was finished", {}, files.front()};
  return all;
}

Result<MergedCheck> merged(const std::vector<NamedJournal>& journals) {
  MergedCheck merged;
  for (const NamedJournal& each : journals) {
    if (auto added = merged.add(each.file, each.text); !added) return added.error();
  }
  return merged;
}

void tell_missing(const std::vector<std::string>& names, Console& console) {
  constexpr std::size_t kMost = 1000;  // lines
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i)
    console.error(fmt::format("plumb merge: missing: {}", names[i]));
  if (names.size() > kMost) console.error(fmt::format("plumb merge: and {} more", names.size() - kMost));
}

ExitStatus refuse(const Error& error, Console& console) {
  console.error(error.text());
  return ExitStatus::kError;
}

ExitStatus tell(const MergedCheck& merged, const Options& options, Console& console) {
  std::optional<ReportKeeper> keeper;
  if (!options.report.empty()) keeper.emplace(report_format(options.report).value(), ReportStyle{});
  CheckLedger ledger(options, console, keeper ? &*keeper : nullptr, false);
  for (const CheckedPiece* piece : merged.pieces()) {
    for (const OutputItem& item : piece->items) ledger.take(item);
  }
  const std::vector<std::string> missing = merged.missing();
  tell_missing(missing, console);
  if (!options.certificate.empty()) ledger.write_certificates_kept();
  ledger.write_junit();
  const CheckHead& head = merged.head();
  ledger.tell_summary(head.entries.size(), head.passed_over, head.first_passed_over);
  if (keeper && keeper->report()) {
    if (const auto written = write_file(options.report, *keeper->report()); !written)
      return refuse(written.error(), console);
  }
  return worse(ledger.tally().status(), missing.empty() ? ExitStatus::kHolds : ExitStatus::kUnknown);
}

}  // namespace

ExitStatus run_merge(const Options& options, Console& console) {
  const auto journals = read_all(options.arguments);
  if (!journals) return refuse(journals.error(), console);
  if (auto head = ProgramHead::read(*journals->front().text.head)) {
    std::vector<std::string> files;
    for (const NamedJournal& each : *journals) {
      const auto other = ProgramHead::read(*each.text.head);
      if (!other || other->to_write != head->to_write) head->to_write.clear();
      files.push_back(each.file);
    }
    return refuse(merge_by_program(*head, files, options), console);
  }
  const auto all = merged(*journals);
  if (!all) return refuse(all.error(), console);
  const auto extras = extras_of(*all, options, console);
  if (!extras) return refuse(extras.error(), console);
  const auto of_runs = options_of(all->head(), *extras);
  if (!of_runs) return refuse(of_runs.error(), console);
  return tell(*all, *of_runs, console);
}

}  // namespace plumb::cli
