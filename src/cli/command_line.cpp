#include "cli/command_line.hpp"

#include <algorithm>
#include <deque>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/suggest.hpp"
#include "cli/completions.hpp"
#include "cli/help.hpp"
#include "cli/man_page.hpp"
#include "history/printable.hpp"

namespace plumb::cli {
namespace {

CommandLine wrong(std::string message) {
  CommandLine line;
  line.answer = std::move(message);
  line.status = 2;
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

// One option of the table while CLI11 collects its values.
struct Collected {
  const OptionRow* row;
  CLI::Option* option;
  std::string value;
};

std::deque<Collected> add_options(CLI::App& app, const VerbRow& verb) {
  std::deque<Collected> all;
  for (const OptionRow& row : option_table()) {
    if (!row.belongs_to(verb.verb)) continue;
    Collected& collected = all.emplace_back(Collected{&row, nullptr, {}});
    const std::string names(row.names);
    collected.option = row.value.empty() ? app.add_flag(names) : app.add_option(names, collected.value);
    if (row.repeats) {
      collected.option->join('\n');  // with a comma CLI11 would also take values apart, and lose empty parts
    } else {
      collected.option->take_last();
    }
  }
  return all;
}

// The sentence for a word that looks like an option and is none.
std::string unknown_option(const std::string& word, const VerbRow& verb) {
  std::vector<std::string> names = {"--help"};
  for (const OptionRow& row : option_table()) {
    if (row.belongs_to(verb.verb)) names.emplace_back(row.long_name());
  }
  const std::string name = word.substr(0, word.find('='));
  return fmt::format("unknown option '{}'{}", name, did_you_mean(name, names));
}

// An option that would do nothing was meant to do something.
std::optional<std::string> unmet_need(const std::deque<Collected>& all, const Options& options) {
  for (const Collected& collected : all) {
    const Need* need = collected.row->need;
    if (collected.option->count() == 0 || need == nullptr || need->met(options)) continue;
    return fmt::format("{}: does nothing without {}", collected.row->long_name(), need->text);
  }
  return std::nullopt;
}

std::optional<std::string> apply_all(std::deque<Collected>& all, Options& options) {
  for (Collected& collected : all) {
    if (collected.option->count() == 0) continue;
    if (collected.row->value.empty() && collected.option->results().back() != "true") {
      return fmt::format("{}: takes no value", collected.row->long_name());
    }
    if (const auto status = collected.row->apply(options, collected.value); !status) {
      return fmt::format("{}: {}", collected.row->long_name(), status.error().message);
    }
  }
  return std::nullopt;
}

CommandLine parse_verb(const VerbRow& verb, std::vector<std::string> words) {
  CLI::App app;
  app.set_help_flag("");
  app.allow_extras();
  bool help = false;
  app.add_flag("-h,--help", help);
  CommandLine line;
  line.verb = &verb;
  line.options.command_line = words;
  auto collected = add_options(app, verb);
  if (verb.most_arguments > 0) app.add_option("arguments", line.options.arguments)->expected(0, -1);
  try {
    std::ranges::reverse(words);  // as CLI11 wants them
    app.parse(words);
  } catch (const CLI::ArgumentMismatch& error) {  // its text begins with the option's name
    const std::string_view text = error.what();
    return wrong_use(verb, fmt::format("{}: expected a value after it", text.substr(0, text.find(':'))));
  } catch (const CLI::ParseError& error) {
    return wrong_use(verb, error.what());
  }
  if (help) return answered(verb_help(verb));
  const auto extras = app.remaining();
  const auto option =
      std::ranges::find_if(extras, [](const auto& word) { return word.starts_with("-") && word != "-"; });
  if (option != extras.end()) return wrong_use(verb, unknown_option(*option, verb));
  if (const auto problem = apply_all(collected, line.options)) return wrong_use(verb, *problem);
  if (const auto problem = unmet_need(collected, line.options)) return wrong_use(verb, *problem);
  // mpirun gives rank 0 a terminal of its own, wherever it writes to itself.
  if (line.options.mpi && line.options.color == Color::kAuto) line.options.color = Color::kNever;
  const std::size_t given = line.options.arguments.size() + extras.size();
  if (given < verb.least_arguments) return wrong_use(verb, fmt::format("expected {}", verb.arguments));
  if (given > verb.most_arguments) {
    const std::string& first = extras.empty() ? line.options.arguments[verb.most_arguments] : extras.front();
    return wrong_use(verb, fmt::format("did not expect '{}'", first));
  }
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
