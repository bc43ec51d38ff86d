#include "cli/help.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <plumb/files.hpp>
#include <plumb/version.hpp>

#include "history/printable.hpp"

namespace plumb::cli {
namespace {

using options::two_columns;

constexpr ExitStatusRow kStatuses[] = {
    {ExitStatus::kHolds, "everything given is linearizable"},
    {ExitStatus::kViolation, "at least one violation"},
    {ExitStatus::kError, "incorrect usage, or input that could not be read"},
    {ExitStatus::kUnknown,
     "no violation, but at least one verdict is 'unknown': a budget ran out, or Ctrl-C"},
};

std::string verb_list() {
  std::string out;
  for (const VerbRow& verb : verb_table()) {
    out += two_columns(fmt::format("plumb {} {}", verb.name, verb.arguments), 22, verb.summary);
  }
  return out;
}

std::string format_list() {
  std::string out = "Formats\n";
  for (const FormatInfo& format : history_formats()) {
    out += two_columns(format.name, 11, format.can_write ? format.summary : format.summary + " (read only)");
  }
  return out + "\n";
}

std::string status_list() {
  std::string out = "Exit status\n";
  for (const ExitStatusRow& each : exit_statuses())
    out += fmt::format("  {}  {}\n", number_of(each.status), each.meaning);
  return out;
}

}  // namespace

std::span<const ExitStatusRow> exit_statuses() { return kStatuses; }

std::string short_usage() {
  return fmt::format(
      "plumb: is what your system did linearizable?\n\n{}\n"
      "Begin with: plumb check RECORDING --model queue\n"
      "More: plumb --help, plumb VERB --help",
      verb_list());
}

std::string general_help() {
  return fmt::format(
      "plumb: is what your system did linearizable? Exact verdicts for recorded histories.\n\n"
      "Verbs\n{}\n"
      "Examples\n{}{}{}\n{}\n{}"
      "'plumb VERB --help' shows the options of a verb; 'plumb --version' the version; 'plumb --completion "
      "bash' (or zsh)\n"
      "and 'plumb --man-page' write what a package installs.\n",
      verb_list(),
      two_columns("plumb check run.jsonl --model queue", 38, "is it a queue? Status 0: yes, 1: no, and why"),
      two_columns("plumb check logs/ -m register --json", 38, "a folder of recordings, for a program"),
      two_columns("plumb models", 38, "what a history can be checked against"), status_list(), format_list());
}

std::string verb_help(const VerbRow& verb) {
  std::string out =
      fmt::format("plumb {}{}{} [options]: {}\n\n{}\n\nExamples\n", verb.name,
                  verb.arguments.empty() ? "" : " ", verb.arguments, verb.summary, verb.description);
  std::size_t column = 0;
  for (const Example& example : verb.examples) column = std::max(column, width_of(example.command));
  for (const Example& example : verb.examples) out += two_columns(example.command, column, example.meaning);
  out += "\n" + options::options_text(option_table(), bit_of(verb.verb)) + "\n";
  if (verb.verb != Verb::kModels) out += format_list();
  return out + status_list();
}

std::string version_text() { return fmt::format("plumb {}\nbuilt: {}\n", kVersion, PLUMB_BUILD); }

}  // namespace plumb::cli
