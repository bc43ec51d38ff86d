// From the words of a command line to the values of options, by CLI11, with sentences of our
// own about what is wrong.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plumb/result.hpp>

namespace plumb::options {

struct OptionSyntax {
  std::string_view names;  // "-v,--verbose"
  bool has_value;
  bool repeats;

  [[nodiscard]] std::string_view long_name() const { return names.substr(names.find("--")); }
};

struct ParsedWords {
  bool help = false;
  std::vector<std::optional<std::string>>
      values;  // one per option: the last that was given, or all of them, one per line
  std::vector<std::string> arguments;  // what is no option
};

// What somebody means by an option that is not there, as the end of a sentence: " (did you mean …?)". Empty: the nearest name is said.
using WhatIsMeant = std::function<std::string(std::string_view name)>;

[[nodiscard]] Result<ParsedWords> parse_words(std::span<const OptionSyntax> options,
                                              std::vector<std::string> words,
                                              const WhatIsMeant& what_is_meant = {});

}  // namespace plumb::options
