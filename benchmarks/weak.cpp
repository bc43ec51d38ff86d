// Memory orders that are too weak, and what it costs to judge executions under RC11. Prints a line of JSON for each measurement;
// benchmarks/weak.py makes tables of them.
//
//   bench_weak mutants   each memory order of ten structures, weakened by itself: what is found, after how many executions
//   bench_weak clients   scenarios of a stack and a queue: exploring them, and exploring them for every client
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include <plumb/plumb.hpp>

#include "explore/weak/mutants.hpp"
#include "testing/line_up.hpp"
#include "testing/weak/weak_subjects.hpp"

namespace {

// What each thread does: "+-" is to push, then to pop.
using Threads = std::vector<std::string>;

// Of this thread, which runs all fibers.
double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// The machine is often shared: the best of many runs counts.
double best_seconds(const std::function<void()>& run) {
  constexpr double kLongEnough = 0.5;
  const double begin = processor_seconds();
  double best = 1e9;
  do {
    const double before = processor_seconds();
    run();
    best = std::min(best, processor_seconds() - before);
  } while (processor_seconds() - begin < kLongEnough);
  return best;
}

void measure_mutants() {
  for (const mutated::Subject& subject : mutated::subjects()) {
    for (std::size_t i = 0; i < subject.mutants.size(); ++i) {
      plumb::Exploration result;
      const double seconds = best_seconds([&] { result = mutated::explore_mutant(subject, i); });
      const bool found = result.verdict == plumb::Outcome::kViolation;
      std::printf(
          R"({"structure": "%s", "weakened": "%s", "found": "%s", "harmless": "%s", "executions": %llu, )"
          R"("processor_seconds": %.9f})"
          "\n",
          subject.name.c_str(), subject.mutants[i].weakened.c_str(),
          found ? std::string(to_string(result.kind)).c_str() : "", subject.mutants[i].harmless.c_str(),
          static_cast<unsigned long long>(result.executions), seconds);
      std::fflush(stdout);
    }
  }
}

template <class S>
void run_calls(S& subject, const std::string& calls) {
  for (const char one : calls) {
    if (one == '+') {
      subject.push(1);
    } else {
      subject.pop();
    }
  }
}

// Each value is pushed once.
std::vector<std::vector<plumb::TestCall>> calls_of(const Threads& threads) {
  std::vector<std::vector<plumb::TestCall>> all;
  int value = 0;
  for (const std::string& thread : threads) {
    auto& calls = all.emplace_back();
    for (const char one : thread)
      calls.push_back(one == '+' ? plumb::call("push", ++value) : plumb::call("pop"));
  }
  return all;
}

template <class S>
void measure_clients(const char* name, const Threads& threads) {
  const auto program = [&](plumb::Program& p) {
    S subject;
    for (const auto& calls : threads) p.thread([&] { run_calls(subject, calls); });
    p.run();
  };
  plumb::Exploration alone;
  const double exploring = best_seconds(
      [&] { alone = plumb::explore(program, {.memory_model = plumb::MemoryModel::kRc11, .leaks = false}); });
  plumb::Test<S> test("subject", 1);
  test.operation("push", &S::push, plumb::values(1, 2, 3, 4));
  test.operation("pop", &S::pop);
  test.allow_leaks();
  test.scenario(calls_of(threads));
  plumb::TestCase& made = case_of(test);
  if (!made.finish().ok()) return;
  const auto scenarios = plumb::testing::given_scenarios(made);
  plumb::testing::Settings settings;
  settings.explore.memory_model = plumb::MemoryModel::kRc11;
  settings.trace = false;
  plumb::testing::ScenarioResult result;
  const double judging =
      best_seconds([&] { result = plumb::testing::LineUp(made, scenarios->front()).run(settings); });
  std::printf(R"({"name": "%s", "explored": %llu, "executions": %llu, "judged": %llu, "verdict": "%s", )"
              R"("exploring_seconds": %.9f, "judging_seconds": %.9f})"
              "\n",
              name, static_cast<unsigned long long>(alone.executions),
              static_cast<unsigned long long>(result.executions),
              static_cast<unsigned long long>(result.histories),
              result.verdict == plumb::Outcome::kHolds ? "pass" : "violation", exploring, judging);
  std::fflush(stdout);
}

void measure_all_clients() {
  using plumb_tests::WeakQueue;
  using plumb_tests::WeakStack;
  measure_clients<WeakStack<>>("stack, 2 × (push, pop)", {"+-", "+-"});
  measure_clients<WeakStack<>>("stack, 2 × (push, pop, pop)", {"+--", "+--"});
  measure_clients<WeakStack<>>("stack, 2 × (push, push, pop)", {"++-", "++-"});
  measure_clients<WeakStack<>>("stack, 2 × (push, pop, push, pop)", {"+-+-", "+-+-"});
  measure_clients<WeakStack<>>("stack, 3 × (push, pop)", {"+-", "+-", "+-"});
  measure_clients<WeakQueue<>>("queue, 2 × (push, pop)", {"+-", "+-"});
}

}  // namespace

int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "";
  if (what == "mutants") {
    measure_mutants();
  } else if (what == "clients") {
    measure_all_clients();
  } else {
    std::fprintf(stderr, "usage: bench_weak mutants|clients\n");
    return 2;
  }
}
