// What the threads of a stress run do: which operations each calls and how often, and where arguments come from. Those that a model
// only stores are made distinct: then its monitor can judge (a queue of values that come once each).
#pragma once

#include <cstdint>
#include <vector>

#include "plumb/detail/test_case.hpp"
#include "plumb/result.hpp"

namespace plumb::testing {

struct Workload {
  using Source = test::Caller::Source;

  std::size_t threads = 0;
  std::vector<std::vector<std::uint32_t>> choices;  // of each thread: operations, each as often as its weight
  std::vector<std::vector<Source>> sources;         // of each operation, one entry per argument
  bool scattered = false;                           // fresh numbers come in no order
};

// Fails where a thread, or all of them, have nothing to do.
[[nodiscard]] Result<Workload> make_workload(const TestCase& test, std::size_t threads);

}  // namespace plumb::testing
