// A table of options, a row each: parsing, every help text, the manual page and the shells'
// completions are made from it. The command and the programs of tests have one each, for what they
// call their options (Target).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <plumb/result.hpp>

#include "options/parse_words.hpp"

namespace plumb::options {

// What an option is of no use without (or with): how a user says it, and whether it is so.
template <class Target>
struct Need {
  std::string_view text;  // "without --engine hitting"
  bool (*met)(const Target& target);
};

template <class Target>
struct OptionRow {
  std::string_view names;  // as CLI11 takes them: "-v,--verbose"
  std::string_view value;  // what stands for the value in help; empty: a switch
  unsigned verbs;          // which verbs have it, as bits
  std::string_view help;
  // Takes the value over (empty for a switch), or says what is wrong with it.
  Status (*apply)(Target& target, const std::string& value);
  bool repeats = false;  // may be given several times: `apply` gets all values, one per line
  std::vector<std::string> (*choices)() = nullptr;  // what the value can be, if these are names
  const Need<Target>* need = nullptr;

  [[nodiscard]] bool belongs_to(unsigned verb) const { return (verbs & verb) != 0; }
  [[nodiscard]] std::string_view long_name() const { return names.substr(names.find("--")); }
};

// The rows of one verb.
template <class Target>
std::vector<const OptionRow<Target>*> rows_of(std::span<const OptionRow<Target>> table, unsigned verb) {
  std::vector<const OptionRow<Target>*> rows;
  for (const OptionRow<Target>& row : table) {
    if (row.belongs_to(verb)) rows.push_back(&row);
  }
  return rows;
}

// An option that was given.
struct GivenOption {
  std::string_view name;             // its long one
  std::optional<std::string> value;  // several: one per line; none: a switch
};

struct Words {
  bool help = false;                   // was asked for: then nothing else counts
  std::vector<std::string> arguments;  // what is no option
  std::vector<GivenOption> given;      // in the order of the table
};

// Has the options among the words applied to `target`; the error is a sentence that begins with the option.
template <class Target>
Result<Words> read_options(std::span<const OptionRow<Target>> table, unsigned verb,
                           std::vector<std::string> words, Target& target,
                           const WhatIsMeant& what_is_meant = {}) {
  const auto rows = rows_of(table, verb);
  std::vector<OptionSyntax> syntax;
  syntax.reserve(rows.size());
  for (const auto* row : rows) syntax.push_back({row->names, !row->value.empty(), row->repeats});
  auto parsed = parse_words(syntax, std::move(words), what_is_meant);
  if (!parsed) return parsed.error();
  if (parsed->help) return Words{.help = true, .arguments = {}, .given = {}};
  std::vector<GivenOption> given;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!parsed->values[i]) continue;
    if (const auto status = rows[i]->apply(target, *parsed->values[i]); !status)
      return Error{fmt::format("{}: {}", rows[i]->long_name(), status.error().message)};
    given.push_back(
        {rows[i]->long_name(), rows[i]->value.empty() ? std::nullopt : std::optional(*parsed->values[i])});
  }
  // An option that would do nothing was meant to do something.
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!parsed->values[i] || rows[i]->need == nullptr || rows[i]->need->met(target)) continue;
    return Error{fmt::format("{}: does nothing {}", rows[i]->long_name(), rows[i]->need->text)};
  }
  return Words{.help = false, .arguments = std::move(parsed->arguments), .given = std::move(given)};
}

// The values of an option that repeats, which come one per line.
[[nodiscard]] std::vector<std::string> values_of(const std::string& lines);
// The given options as words that give them again, without those with these names.
[[nodiscard]] std::vector<std::string> words_of(std::span<const GivenOption> given,
                                                std::span<const std::string_view> without);

// "  left   right\n", the right side from a column on.
[[nodiscard]] std::string two_columns(std::string_view left, std::size_t left_width, std::string_view right);
// A line of the list of options.
[[nodiscard]] std::string option_line(std::string_view names, std::string_view value, std::string_view help);

// "Options", one per line, with that for help.
template <class Target>
std::string options_text(std::span<const OptionRow<Target>> table, unsigned verb) {
  std::string out = "Options\n";
  for (const auto* row : rows_of(table, verb)) out += option_line(row->names, row->value, row->help);
  return out + option_line("-h,--help", "", "this text");
}

// Stores a parsed value, or passes on what was wrong with it.
template <class T, class Member>
Status store(Result<T> parsed, Member& member) {
  if (!parsed) return parsed.error();
  member = static_cast<Member>(std::move(parsed).value());
  return Ok{};
}

}  // namespace plumb::options
