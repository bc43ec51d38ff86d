#include "cli/command_line.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/suggest.hpp"
#include "cli/completions.hpp"
#include "cli/help.hpp"
#include "cli/man_page.hpp"
#include "history/printable.hpp"
#include "report/renderers.hpp"

namespace plumb::cli {
namespace {

CommandLine wrong(std::string message) {
  CommandLine line;
  line.answer = std::move(message);
  line.status = ExitStatus::kError;
  return line;
}

CommandLine wrong_use(const VerbRow& verb, std::string_view message) {
  return wrong(fmt::format("plumb {}: {}\n'plumb {} --help' shows how", verb.name, message, verb.name));
}

CommandLine answered(std::string text) {
  CommandLine line;
  line.answer = std::move(text);
  return line;
}

CommandLine unknown_verb(const std::string& word) {
  if (word.starts_with("-")) {
    const std::vector<std::string> known = {"--help", "--version", "--completion", "--man-page"};
    const bool belongs_to_a_verb =
        std::ranges::any_of(option_table(), [&](const OptionRow& row) { return row.long_name() == word; });
    return wrong(belongs_to_a_verb
                     ? fmt::format("plumb: '{}' comes after the verb: plumb VERB {}", word, word)
                     : fmt::format("plumb: unknown option '{}'{}", word, did_you_mean(word, known)));
  }
  const auto names = verb_names();
  return wrong(fmt::format("plumb: unknown verb '{}'{}; the verbs are: {}", word, did_you_mean(word, names),
                           joined(names)));
}

CommandLine completion(const std::vector<std::string>& shells) {
  if (shells == std::vector<std::string>{"bash"}) return answered(bash_completion());
  if (shells == std::vector<std::string>{"zsh"}) return answered(zsh_completion());
  return wrong("plumb --completion: expected bash or zsh");
}

bool is_called(const OptionRow& row, std::string_view name) {
  return row.long_name() == name || (name.size() == 2 && row.names.starts_with(name));
}

bool has_option(const VerbRow& verb, std::string_view name) {
  return std::ranges::any_of(option_table(), [&](const OptionRow& row) {
    return row.belongs_to(bit_of(verb.verb)) && is_called(row, name);
  });
}

// Of a report, which some expect an option for each format to make, and others where a verb only prints.
std::string report_that_is_meant(const VerbRow& verb, std::string_view name) {
  const std::string_view ending = ending_meant_by(name);
  if (ending.empty()) return "";
  if (has_option(verb, "--report")) return fmt::format(" (did you mean '--report report{}'?)", ending);
  if (verb.verb == Verb::kReport) return fmt::format(" (did you mean '-o report{}'?)", ending);
  if (verb.verb != Verb::kExplain) return "";
  return fmt::format(" (it prints; 'plumb report FILE -o report{}' writes a file)", ending);
}

std::string what_is_meant(const VerbRow& verb, std::string_view name) {
  if (auto report = report_that_is_meant(verb, name); !report.empty()) return report;
  std::vector<std::string> others;
  for (const VerbRow& other : verb_table()) {
    if (has_option(other, name)) others.push_back(fmt::format("plumb {}", other.name));
  }
  return others.empty() ? "" : fmt::format(" (an option of {})", joined(others));
}

CommandLine parse_verb(const VerbRow& verb, std::vector<std::string> words) {
  CommandLine line;
  line.verb = &verb;
  line.options.command_line = words;
  auto read = options::read_options(option_table(), bit_of(verb.verb), std::move(words), line.options,
                                    [&](std::string_view name) { return what_is_meant(verb, name); });
  if (!read) return wrong_use(verb, read.error().message);
  if (read->help) return answered(verb_help(verb));
  line.options.arguments = std::move(read->arguments);
  line.options.given = std::move(read->given);
  // mpirun gives rank 0 a terminal of its own, wherever it writes to itself; a journal may be read anywhere.
  const bool told_elsewhere = line.options.mpi || !line.options.journal.empty();
  if (told_elsewhere && line.options.color == Color::kAuto) line.options.color = Color::kNever;
  const auto& given = line.options.arguments;
  if (given.size() < verb.least_arguments) return wrong_use(verb, fmt::format("expected {}", verb.arguments));
  if (given.size() > verb.most_arguments)
    return wrong_use(verb, fmt::format("did not expect '{}'", given[verb.most_arguments]));
  return line;
}

}  // namespace

CommandLine parse_command_line(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return wrong(short_usage());
  const std::string& first = arguments.front();
  if (first == "--help" || first == "-h") return answered(general_help());
  if (first == "--version" || first == "-V") return answered(version_text());
  std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  if (first == "--man-page") return answered(man_page());
  if (first == "--completion") return completion(rest);
  if (first == "help" && rest.empty()) return answered(general_help());
  const bool asks_help = first == "help";
  const std::string& name = asks_help ? rest.front() : first;
  for (const VerbRow& verb : verb_table()) {
    if (verb.name != name) continue;
    return asks_help ? answered(verb_help(verb)) : parse_verb(verb, std::move(rest));
  }
  return unknown_verb(name);
}

}  // namespace plumb::cli
