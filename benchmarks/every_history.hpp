// Runs the one scenario of a test through all its interleavings and judges each distinct history, also after
// the first that is wrong: how many there are is what the tables of the Round-Up paper say.
#pragma once

#include <cstdint>

#include <plumb/test.hpp>

namespace plumb_bench {

struct Counts {
  std::uint64_t executions = 0;
  std::uint64_t histories = 0;  // distinct
  std::uint64_t wrong = 0;      // of them
  std::uint64_t nodes = 0;      // of the searches that judged them
  double check_ms = 0;          // judging alone
  double elapsed_ms = 0;        // all
  bool complete = false;        // every interleaving was run, and every history decided
};

Counts every_history(plumb::TestCase& test, double seconds);

}  // namespace plumb_bench
