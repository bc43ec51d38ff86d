#include "options/parse_words.hpp"

#include <algorithm>
#include <deque>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/suggest.hpp"

namespace plumb::options {
namespace {

// One option while CLI11 collects its values.
struct Collected {
  CLI::Option* option;
  std::string value;
};

void add_options(CLI::App& app, std::span<const OptionSyntax> options, std::deque<Collected>& all) {
  for (const OptionSyntax& each : options) {
    Collected& collected = all.emplace_back();
    const std::string names(each.names);
    collected.option = each.has_value ? app.add_option(names, collected.value) : app.add_flag(names);
    if (each.repeats) {
      collected.option->join('\n');  // with a comma CLI11 would also take values apart, and lose empty parts
    } else {
      collected.option->take_last();
    }
  }
}

// The sentence for a word that looks like an option and is none.
std::string unknown_option(const std::string& word, std::span<const OptionSyntax> options,
                           const WhatIsMeant& what_is_meant) {
  const std::string name = word.substr(0, word.find('='));
  std::string meant = what_is_meant ? what_is_meant(name) : "";
  if (meant.empty()) {
    std::vector<std::string> names = {"--help"};
    for (const OptionSyntax& each : options) names.emplace_back(each.long_name());
    meant = did_you_mean(name, names);
  }
  return fmt::format("unknown option '{}'{}", name, meant);
}

}  // namespace

Result<ParsedWords> parse_words(std::span<const OptionSyntax> options, std::vector<std::string> words,
                                const WhatIsMeant& what_is_meant) {
  CLI::App app;
  app.set_help_flag("");
  app.allow_extras();
  ParsedWords parsed;
  app.add_flag("-h,--help", parsed.help);
  std::deque<Collected> all;
  add_options(app, options, all);
  app.add_option("arguments", parsed.arguments)->expected(0, -1);
  try {
    std::ranges::reverse(words);  // as CLI11 wants them
    app.parse(words);
  } catch (const CLI::ArgumentMismatch& error) {  // its text begins with the option's name
    const std::string_view text = error.what();
    return Error{fmt::format("{}: expected a value after it", text.substr(0, text.find(':')))};
  } catch (const CLI::ParseError& error) {
    return Error{error.what()};
  }
  if (parsed.help) return parsed;
  const auto extras = app.remaining();
  const auto option =
      std::ranges::find_if(extras, [](const auto& word) { return word.starts_with("-") && word != "-"; });
  if (option != extras.end()) return Error{unknown_option(*option, options, what_is_meant)};
  parsed.arguments.insert(parsed.arguments.end(), extras.begin(), extras.end());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool given = all[i].option->count() != 0;
    if (given && !options[i].has_value && all[i].option->results().back() != "true")
      return Error{fmt::format("{}: takes no value", options[i].long_name())};
    parsed.values.push_back(given ? std::optional(std::move(all[i].value)) : std::nullopt);
  }
  return parsed;
}

}  // namespace plumb::options
