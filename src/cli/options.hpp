// The one table of options. Parsing, every help text, docs/cli.md, the man page and the shells' completions are made from
// it; a new option is a new row.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plumb/check.hpp>
#include <plumb/generate.hpp>
#include <plumb/result.hpp>

#include "cli/console.hpp"

namespace plumb::cli {

enum class Verb : unsigned {
  kCheck = 1,
  kConvert = 2,
  kGenerate = 4,
  kModels = 8,
  kExplain = 16,
  kReport = 32,
  kVerify = 64,
  kWatch = 128,
  kDepth = 256
};

// What the command line said.
struct Options {
  std::vector<std::string> command_line;  // all of it
  std::vector<std::string> arguments;     // what is no option: files, the name of a model
  std::string model;
  std::string spec;
  std::string format = "auto";
  std::string from = "auto";
  std::string to = "auto";
  std::string output = "-";
  std::string report;
  std::string junit;
  std::string certificate;
  std::string plot;
  CheckOptions check;
  GenerateOptions generate;
  bool json = false;
  bool quiet = false;
  bool verbose = false;
  bool keep_going = false;
  bool strict = false;
  bool follow = false;
  bool csv = false;
  bool mpi = false;
  Color color = Color::kAuto;
};

// What an option is of no use without: how a user says it, and whether that was said.
struct Need {
  std::string_view text;
  bool (*met)(const Options& options);
};

struct OptionRow {
  std::string_view names;  // as CLI11 takes them: "-v,--verbose"
  std::string_view value;  // what stands for the value in help; empty: a switch
  unsigned verbs;          // which verbs have it, as bits
  std::string_view help;
  // Takes the value over (empty for a switch), or says what is wrong with it.
  Status (*apply)(Options& options, const std::string& value);
  bool repeats = false;  // may be given several times: `apply` gets all values, one a line
  std::vector<std::string> (*choices)() = nullptr;  // what the value can be, if these are names
  const Need* need = nullptr;

  [[nodiscard]] bool belongs_to(Verb verb) const { return (verbs & static_cast<unsigned>(verb)) != 0; }
  [[nodiscard]] std::string_view long_name() const { return names.substr(names.find("--")); }
};

[[nodiscard]] std::span<const OptionRow> option_table();

}  // namespace plumb::cli
