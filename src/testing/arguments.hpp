// What a test program is told on its command line.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <plumb/stress.hpp>
#include <plumb/test.hpp>

#include "base/exit_status.hpp"
#include "journal/program_head.hpp"
#include "journal/shard.hpp"
#include "options/option_table.hpp"

namespace plumb::testing {

struct Arguments {
  TestOptions options;
  StressOptions stress;
  std::vector<std::function<void(ExploreOptions&)>> engine;  // what was said of it
  bool stresses = false;
  bool has_strategy = false;  // one was named
  std::string filter;
  std::string report;
  // Files for build servers, of all tests; the summary is appended.
  std::string junit;
  std::string sarif;
  std::string summary;
  bool audits = false;     // memory orders
  bool annotates = false;  // findings are printed in GitHub's form, too
  bool json = false;
  bool list = false;
  bool quiet = false;
  bool mpi = false;
  ShardChoice shard;
  std::string journal;
  std::vector<std::string> merge;           // journals
  std::vector<options::GivenOption> given;  // all that was said
};

// The exit status, where the program is over with that: help was asked for, or something is wrong, and that has been said.
[[nodiscard]] std::optional<ExitStatus> read_arguments(int argc, char** argv, Arguments& arguments);

// What is to be done has scenarios that may be shared.
[[nodiscard]] bool has_pieces(const Arguments& arguments);

// What a journal says of this program and its arguments.
[[nodiscard]] ProgramHead head_of(const Arguments& arguments);

// The files that are to be written at the end: the error of the first that could not be.
[[nodiscard]] Status check_outputs(const Arguments& arguments);

}  // namespace plumb::testing
