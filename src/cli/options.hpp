// The table of the command's options. Parsing, every help text, docs/cli.md, the man page and the shells'
// completions are made from it; a new option is a new row.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plumb/check.hpp>
#include <plumb/generate.hpp>
#include <plumb/result.hpp>

#include "cli/console.hpp"
#include "journal/shard.hpp"
#include "options/option_table.hpp"

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
  kDepth = 256,
  kMerge = 512
};
[[nodiscard]] constexpr unsigned bit_of(Verb verb) { return static_cast<unsigned>(verb); }

// What the command line said.
struct Options {
  std::vector<std::string> command_line;  // all of it
  std::vector<std::string> arguments;     // what is no option: files, the name of a model
  std::vector<options::GivenOption> given;
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
  std::string journal;
  ShardChoice shard;
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

using Need = options::Need<Options>;
using OptionRow = options::OptionRow<Options>;

[[nodiscard]] std::span<const OptionRow> option_table();

}  // namespace plumb::cli
