// Litmus programs on real atomics, compiled and run as fibers: the outcomes and the number of executions are those that are listed.
#include <gtest/gtest.h>
#include <plumb/explore.hpp>

#include <array>
#include <atomic>

#include "explore/graph/litmus.hpp"
#include "paths.hpp"

#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Winvalid-memory-model"  // since C++17 failure may have the stronger order

namespace plumb_tests {
namespace {

using Kind = Instruction::Kind;
using Atomic = std::atomic<int>;

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;
constexpr auto kBoth = std::memory_order_acq_rel;
constexpr auto kSeqCst = std::memory_order_seq_cst;

// Compilers take an order that is no constant for the strongest one.
int load(const Atomic& at, int order) {
  return order == 0 ? at.load(kRelaxed) : order == 2 ? at.load(kAcquire) : at.load(kSeqCst);
}
void store(Atomic& at, int value, int order) {
  if (order == 0) return at.store(value, kRelaxed);
  if (order == 3) return at.store(value, kRelease);
  at.store(value, kSeqCst);
}
template <std::memory_order kOrder, std::memory_order kFailure>
int compare_exchange(Atomic& at, int expected, int desired) {
  at.compare_exchange_strong(expected, desired, kOrder, kFailure);
  return expected;
}
template <std::memory_order kOrder>
int update(Atomic& at, const Instruction& what, int value, int expected) {
  if (what.kind == Kind::kAdd) return at.fetch_add(value, kOrder);
  if (what.kind == Kind::kExchange) return at.exchange(value, kOrder);
  if (what.failure_order == 0) return compare_exchange<kOrder, kRelaxed>(at, expected, value);
  if (what.failure_order == 2) return compare_exchange<kOrder, kAcquire>(at, expected, value);
  return compare_exchange<kOrder, kSeqCst>(at, expected, value);
}
int update(Atomic& at, const Instruction& what, int value, int expected) {
  switch (what.order) {
    case 0:
      return update<kRelaxed>(at, what, value, expected);
    case 2:
      return update<kAcquire>(at, what, value, expected);
    case 3:
      return update<kRelease>(at, what, value, expected);
    case 4:
      return update<kBoth>(at, what, value, expected);
    default:
      return update<kSeqCst>(at, what, value, expected);
  }
}
void fence(int order) {
  if (order == 2) std::atomic_thread_fence(kAcquire);
  if (order == 3) std::atomic_thread_fence(kRelease);
  if (order == 4) std::atomic_thread_fence(kBoth);
  if (order == 5) std::atomic_thread_fence(kSeqCst);
}

std::string text_of(const LitmusOutcome& outcome) {
  std::string text;
  for (const auto& [name, value] : outcome) text += name + "=" + std::to_string(value) + " ";
  return text;
}

void run(plumb::Program& program, const LitmusProgram& litmus) {
  std::array<Atomic, 8> memory{};
  std::array<std::map<std::string, std::int64_t>, 8> registers;
  for (std::size_t i = 0; i < litmus.initial.size(); ++i)
    store(memory[i], static_cast<int>(litmus.initial[i]), 0);
  for (std::size_t thread = 0; thread < litmus.threads.size(); ++thread) {
    program.thread([&, thread] {
      run_code(litmus.threads[thread], registers[thread],
               [&](const Instruction& what, std::int64_t value, std::int64_t expected) -> std::int64_t {
                 if (what.kind == Kind::kFence) return fence(what.order), 0;
                 Atomic& at = memory[static_cast<std::size_t>(what.location)];
                 if (what.kind == Kind::kLoad) return load(at, what.order);
                 if (what.kind == Kind::kStore) return store(at, static_cast<int>(value), what.order), 0;
                 return update(at, what, static_cast<int>(value), static_cast<int>(expected));
               });
    });
  }
  program.run();
  LitmusOutcome outcome;
  for (std::size_t thread = 0; thread < litmus.threads.size(); ++thread) {
    for (const auto& [name, value] : registers[thread]) outcome[std::to_string(thread) + ":" + name] = value;
  }
  for (std::size_t i = 0; i < litmus.locations.size(); ++i) outcome[litmus.locations[i]] = load(memory[i], 0);
  program.observe(text_of(outcome));
}

void expect_as_listed(const LitmusProgram& litmus, plumb::MemoryModel model, const Behaviours& listed) {
  const auto found =
      plumb::explore([&](plumb::Program& program) { run(program, litmus); }, {.memory_model = model});
  ASSERT_TRUE(found.passed()) << litmus.name << "\n" << found.text();
  EXPECT_EQ(found.executions, listed.executions) << litmus.name;
  if (model == plumb::MemoryModel::kRc11) EXPECT_EQ(found.pruned, 0U) << litmus.name;
  std::set<std::string> outcomes;
  for (const auto& [outcome, executions] : found.outcomes) outcomes.insert(outcome);
  std::set<std::string> expected;
  for (const LitmusOutcome& outcome : listed.outcomes) expected.insert(text_of(outcome));
  EXPECT_EQ(outcomes, expected) << litmus.name;
}

TEST(WeakLitmus, DoWhatIsListed) {
  const auto programs = read_litmus(PLUMB_TEST_DATA "/litmus/named.jsonl");
  ASSERT_GT(programs.size(), 50U);
  for (const LitmusProgram& litmus : programs) {
    expect_as_listed(litmus, plumb::MemoryModel::kRc11, litmus.rc11);
    expect_as_listed(litmus, plumb::MemoryModel::kSequential, litmus.sequential);
  }
}

}  // namespace
}  // namespace plumb_tests
