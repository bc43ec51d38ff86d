// What a test program is told on its command line.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <plumb/stress.hpp>
#include <plumb/test.hpp>

#include "base/exit_status.hpp"
#include "work/worker_pool.hpp"

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
  work::WorkerPool* pool = nullptr;  // with --mpi
};

// The exit status, where the program is over with that: help was asked for, or something is wrong, and that has been said.
[[nodiscard]] std::optional<ExitStatus> read_arguments(int argc, char** argv, Arguments& arguments);

// The files that are to be written at the end: the error of the first that could not be.
[[nodiscard]] Status check_outputs(const Arguments& arguments);

}  // namespace plumb::testing
