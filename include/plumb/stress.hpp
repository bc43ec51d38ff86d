// Stress: the operations of a test on one object, by real threads at full speed, round after round; each round is recorded and checked
// while the next one runs. Finds what only long runs and real hardware show. The same tests as for <plumb/test.hpp>:
//
//   const plumb::TestResult result = plumb::stress<Subject>([](auto& test) {
//     test.operation("push", &Subject::push, plumb::values(1, 2));
//     test.operation("pop", &Subject::pop).weight(2);
//     test.model("stack");
//   });
//
// A program of PLUMB_TEST does it with --mode stress. See docs/stress.md.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <plumb/clock.hpp>
#include <plumb/seconds.hpp>
#include <plumb/test.hpp>

namespace plumb {

struct StressOptions {
  std::size_t threads = 4;
  std::size_t operations = 2'500;  // of a thread, in a round
  // So many, and so long, running and checking; none: no limit, but 5 s where neither is given.
  std::optional<std::uint64_t> rounds = std::nullopt;
  std::optional<Seconds> duration = std::nullopt;
  std::uint64_t seed = 1;  // of what the threads do, not of what comes of it
  bool pin = false;        // each thread to a core, the last core to the checking
  // One pause in so many steps, on average: atomic operations and locks of instrumented code, and the gaps between operations. 0: none.
  // Not given: each round has its own, and every other round none.
  std::optional<std::uint32_t> pauses = std::nullopt;
  std::size_t scenarios = 20;  // of a test without a model: small ones, which are run again and again
  std::size_t ahead = 2;       // rounds that may wait for their verdict; the threads wait then
  bool record = true;          // false: the rounds are run and nothing is judged, to see what recording costs
  Seconds stuck{10};           // without the end of any operation, after which a round is given up
  std::optional<Seconds> timeout = std::nullopt;  // for everything: what was not run by then makes it unknown
  unsigned jobs = 1;                              // threads of one check; 0: one per core
  ClockKind clock = ClockKind::kAuto;
  std::string save = {};                    // a file for the round that fails: its name says the format
  std::string program = {};                 // of the report's commands
  const std::atomic<bool>* stop = nullptr;  // set from outside: end soon, with `unknown`
  std::function<void(const std::string&)> progress = {};
};

TestResult run_stress(TestCase& test, const StressOptions& options = {});

template <class S, std::invocable<Test<S>&> Define>
TestResult stress(Define define, const StressOptions& options = {}, const std::string& name = {}) {
  Test<S> test(name.empty() ? test::name_of(typeid(S)) : name, options.seed);
  define(test);
  return run_stress(case_of(test), options);
}

}  // namespace plumb
