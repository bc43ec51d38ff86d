// std::atomic_load and the like of a std::shared_ptr, for which libstdc++ has a few mutexes of its own,
// chosen by the pointer's address.
#include <atomic>
#include <memory>

#include "explore/programs.hpp"

namespace {

using plumb_tests::expect_found;
using plumb_tests::expect_pass;

TEST(SharedPointers, LoadAndStore) {
  expect_pass(
      [](plumb::Program& p) {
        auto shared = std::make_shared<int>(1);
        p.thread([&] { std::atomic_store(&shared, std::make_shared<int>(2)); });
        p.thread([&] {
          const int n = *std::atomic_load(&shared);
          p.require(n == 1 || n == 2, "one of both");
        });
        p.check([&] { return *shared == 2; });
      },
      plumb_tests::kDependsOnTheCompiler, plumb_tests::kDependsOnTheCompiler);
}
// Of two pointers each has a lock, wherever they are.
TEST(SharedPointers, TwoOfThemAreIndependent) {
  const auto program = [](plumb::Program& p) {
    std::shared_ptr<int> shared[2];
    for (auto& pointer : shared) {
      p.thread([&p, &pointer] {
        std::atomic_store(&pointer, std::make_shared<int>(1));
        p.require(*std::atomic_load(&pointer) == 1, "nobody else has it");
      });
    }
    p.run();
  };
  const auto result = plumb::explore(program);
  EXPECT_TRUE(result.passed() && result.exhausted) << result.text();
  EXPECT_EQ(result.executions, 1);
}
TEST(SharedPointers, ExchangeAndCompareExchange) {
  const auto program = [](plumb::Program& p) {
    std::shared_ptr<int> shared = std::make_shared<int>(0);
    for (int i = 0; i < 2; ++i) {
      p.thread([&] {
        auto before = std::atomic_load(&shared);
        while (!std::atomic_compare_exchange_weak(&shared, &before, std::make_shared<int>(*before + 1))) {
        }
      });
    }
    p.check([&] { return *std::atomic_exchange(&shared, std::shared_ptr<int>()) == 2; });
  };
  for (const auto order : {plumb::SearchOrder::kReduced, plumb::SearchOrder::kDepthFirst}) {
    const auto result = plumb::explore(program, {.order = order, .preemptions = 2});
    EXPECT_TRUE(result.passed() && result.exhausted) << result.text();
  }
}
TEST(SharedPointers, ALoadThatIsNotAtomicRaces) {
  expect_found(
      [](plumb::Program& p) {
        auto shared = std::make_shared<int>(1);
        p.thread([&] { std::atomic_store(&shared, std::make_shared<int>(2)); });
        p.thread([&] { const auto copy = shared; });
        p.run();
      },
      plumb::FindingKind::kRace);
}

}  // namespace
