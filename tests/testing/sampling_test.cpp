// What random strategies are for, without an engine: threads that are no more than lists of steps. SURW takes all orders of the accesses to an
// object about equally often, POS does not mind how many steps of no interest a thread takes before; a plain random walk does neither.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "explore/strategy.hpp"

namespace plumb::engine {
namespace {

using Threads = std::vector<std::vector<runtime::Step>>;

runtime::Step access(const void* address, bool writes = true) {
  runtime::Step step;
  step.kind = runtime::StepKind::kStore;
  step.writes = writes;
  step.size = 1;
  step.address = address;
  return step;
}

// One execution: the threads in the order of their steps.
std::string run(const Threads& threads, Strategy& strategy) {
  std::vector<std::size_t> at(threads.size());
  std::string order;
  strategy.begin();
  for (int last = -1;;) {
    ThreadSet enabled = 0;
    NextSteps next{};
    for (std::size_t i = 0; i < threads.size(); ++i) {
      if (at[i] == threads[i].size()) continue;
      enabled |= bit(static_cast<int>(i));
      next.at(i) = &threads[i][at[i]];
    }
    if (enabled == 0) break;
    last = single(enabled) && !strategy.needs_every_step()
               ? lowest(enabled)
               : strategy.pick({.enabled = enabled, .current = last, .next = &next}).chosen();
    EXPECT_NE(enabled & bit(last), 0U);
    ++at[static_cast<std::size_t>(last)];
    order += static_cast<char>('a' + last);
  }
  EXPECT_TRUE(strategy.end());
  return order;
}

constexpr int kRuns = 20'000;

std::map<std::string, int> sample(const Threads& threads, Strategy& strategy) {
  std::map<std::string, int> counts;
  for (int i = 0; i < kRuns; ++i) ++counts[run(threads, strategy)];
  return counts;
}

// The rarest of so many orders, compared with what it would be if all were equally frequent.
double rarest(const std::map<std::string, int>& counts, std::size_t orders) {
  if (counts.size() < orders) return 0;
  int least = kRuns;
  for (const auto& [_, count] : counts) least = std::min(least, count);
  return static_cast<double>(least) * static_cast<double>(orders) / kRuns;
}

TEST(Sampling, SurwIsUniformOverAccessesToOneObject) {
  const char object = 0;
  const Threads threads = {{access(&object), access(&object)},
                           std::vector<runtime::Step>(6, access(&object))};  // 28 orders
  EXPECT_GT(rarest(sample(threads, *selectively_uniform_walk(1)), 28), 0.7);
  EXPECT_LT(rarest(sample(threads, *random_walk(1)), 28), 0.3);
}

// The one access of b to the object comes last only if a random walk takes ten others of b before a at all.
TEST(Sampling, PosAndSurwSeePastOtherSteps) {
  const char object = 0;
  const char other = 0;
  Threads threads = {{access(&object)}, std::vector<runtime::Step>(10, access(&other))};
  threads[1].push_back(access(&object));
  const auto last = [&](Strategy& strategy) {
    int count = 0;
    for (int i = 0; i < kRuns; ++i) count += run(threads, strategy).back() == 'a' ? 1 : 0;
    return static_cast<double>(count) / kRuns;
  };
  EXPECT_LT(last(*random_walk(1)), 0.01);
  EXPECT_GT(last(*partial_order_sampling(1)), 0.05);
  EXPECT_GT(last(*selectively_uniform_walk(1)), 0.3);
}

TEST(Sampling, TheSameSeedTakesTheSameOrders) {
  const char object = 0;
  const Threads threads(3, {access(&object), access(&object), access(&object)});
  for (const auto& make : {std::function(partial_order_sampling), std::function(selectively_uniform_walk)}) {
    const auto one = make(7);
    const auto same = make(7);
    const auto other = make(8);
    std::string orders;
    std::string others;
    for (int i = 0; i < 20; ++i) {
      const std::string order = run(threads, *one);
      EXPECT_EQ(order, run(threads, *same));
      orders += order;
      others += run(threads, *other);
    }
    EXPECT_NE(orders, others);
  }
}

}  // namespace
}  // namespace plumb::engine
