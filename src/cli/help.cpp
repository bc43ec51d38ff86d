#include "cli/help.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <plumb/files.hpp>

#include "history/printable.hpp"

namespace plumb::cli {
namespace {

constexpr ExitStatus kStatuses[] = {
    {0, "everything given is linearizable"},
    {1, "at least one violation"},
    {2, "wrong use, or input that could not be read"},
    {3, "no violation, but at least one verdict is 'unknown': a budget was spent, or Ctrl-C"},
};

std::string two_columns(std::string_view left, std::size_t left_width, std::string_view right) {
  const std::size_t padding = left_width > width_of(left) ? left_width - width_of(left) : 0;
  return fmt::format("  {}{}  {}\n", left, std::string(padding, ' '), right);
}

std::string verb_list() {
  std::string out;
  for (const VerbRow& verb : verb_table()) {
    out += two_columns(fmt::format("plumb {} {}", verb.name, verb.arguments), 22, verb.summary);
  }
  return out;
}

std::string option_names(const OptionRow& row) {
  const std::string name = row.names.starts_with("--")
                               ? "    " + std::string(row.names)
                               : fmt::format("{}, {}", row.names.substr(0, 2), row.names.substr(3));
  return row.value.empty() ? name : fmt::format("{} {}", name, row.value);
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
  for (const ExitStatus& each : exit_statuses()) out += fmt::format("  {}  {}\n", each.number, each.meaning);
  return out;
}

}  // namespace

std::span<const ExitStatus> exit_statuses() { return kStatuses; }

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
  out += "\nOptions\n";
  for (const OptionRow& row : option_table()) {
    if (row.belongs_to(verb.verb)) out += two_columns(option_names(row), 24, row.help);
  }
  out += two_columns("-h, --help", 24, "this text") + "\n";
  if (verb.verb != Verb::kModels) out += format_list();
  return out + status_list();
}

std::string version_text() { return "plumb " PLUMB_VERSION "\nbuilt: " PLUMB_BUILD "\n"; }

}  // namespace plumb::cli
