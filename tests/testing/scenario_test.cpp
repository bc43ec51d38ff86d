#include "testing/scenario.hpp"

#include <gtest/gtest.h>

#include <set>

#include <plumb/test.hpp>

#include "testing/minimise.hpp"

namespace plumb::testing {
namespace {

struct Dummy {
  void push(int) {}
  void pop() {}
  void put(int, int) {}
};

class Scenarios : public ::testing::Test {
 protected:
  Scenarios() {
    defined_.operation("push", &Dummy::push, values(1, 2, 3)).one_thread("producer");
    defined_.operation("pop", &Dummy::pop);
    EXPECT_TRUE(test_.finish().ok());
  }
  plumb::Test<Dummy> defined_{"Dummy", 1};
  TestCase& test_ = case_of(defined_);  // push(1) 0, push(2) 1, push(3) 2, pop() 3
};

TEST_F(Scenarios, TextAndBack) {
  const Scenario scenario{.before = {0}, .threads = {{1, 3}, {3}}, .after = {3, 3}};
  EXPECT_EQ(to_text(scenario), "0/1.3_3/3.3");
  const auto again = parse_scenario("0/1.3_3/3.3", test_);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*again, scenario);
  for (const char* wrong : {"", "0", "0/1", "0/9_3/", "0/1..3_3/", "0/a/"})
    EXPECT_FALSE(parse_scenario(wrong, test_).ok()) << wrong;
}

TEST_F(Scenarios, NamesOfThreadsAndValuesDoNotMatterButTheirOrderDoes) {
  const auto same = [&](Scenario a, Scenario b) { return canonical(a, test_) == canonical(b, test_); };
  EXPECT_TRUE(same({.before = {}, .threads = {{3}, {1}}, .after = {}},
                   {.before = {}, .threads = {{0}, {3}}, .after = {}}));
  EXPECT_TRUE(same({.before = {}, .threads = {{1, 2}}, .after = {}},
                   {.before = {}, .threads = {{0, 2}}, .after = {}}));
  EXPECT_FALSE(same({.before = {}, .threads = {{0, 1}}, .after = {}},
                    {.before = {}, .threads = {{1, 0}}, .after = {}}));
}

TEST_F(Scenarios, SamplesAreDistinctReproducibleAndKeepGroupsTogether) {
  const Sizes sizes{.threads = 3, .operations = 2, .samples = 50, .seed = 5};
  const auto drawn = sample(test_, sizes);
  EXPECT_EQ(drawn.size(), sample(test_, sizes).size());
  std::set<std::string> texts;
  for (const Scenario& scenario : drawn) {
    texts.insert(to_text(scenario));
    std::size_t producers = 0;
    for (const auto& calls : scenario.threads) {
      bool pushes = false;
      for (const InvocationId call : calls) pushes = pushes || call < 3;
      producers += pushes ? 1 : 0;
    }
    EXPECT_LE(producers, 1) << to_text(scenario);
  }
  EXPECT_EQ(texts.size(), drawn.size());
  EXPECT_EQ(sample(test_, {.threads = 1, .operations = 1, .samples = 50, .seed = 1}).size(), 2)
      << "push, pop";
}

TEST_F(Scenarios, AllOfASize) {
  EXPECT_EQ(all_of(test_, 1).size(), 1);  // the first invocation alone
  EXPECT_EQ(all_of(test_, 2).size(), 0) << "two threads would push";
}

TEST_F(Scenarios, MinimiseKeepsWhatIsNeeded) {
  const Scenario large{.before = {0}, .threads = {{0, 3, 1}, {3, 3, 2}, {3}}, .after = {3}};
  const auto needs = [](const Scenario& scenario) {
    std::size_t pops = 0;
    for (const auto& calls : scenario.threads)
      pops += static_cast<std::size_t>(std::count(calls.begin(), calls.end(), 3));
    return pops >= 2 && !scenario.before.empty();
  };
  const Scenario small = minimise(large, test_, needs);
  EXPECT_EQ(small.size(), 3);
  EXPECT_TRUE(needs(small));
}

TEST(Combinations, EveryCombinationOfArguments) {
  plumb::Test<Dummy> defined("Dummy", 1);
  defined.operation("put", &Dummy::put, range(1, 3), values(7, 8));
  TestCase& test = case_of(defined);
  ASSERT_TRUE(test.finish().ok());
  EXPECT_EQ(test.invocations().size(), 6);
  EXPECT_EQ(test.label(1), "put(1, 8)");
}

TEST(Combinations, GeneratedValuesDependOnTheSeedOnly) {
  const auto labels = [](std::uint64_t seed) {
    plumb::Test<Dummy> defined("Dummy", seed);
    defined.operation("push", &Dummy::push, generated(4, [](std::mt19937_64& random) {
                        return static_cast<int>(random() % 1000);
                      }));
    const TestCase& test = case_of(defined);
    std::vector<std::string> all;
    for (std::size_t i = 0; i < test.invocations().size(); ++i) all.push_back(test.label(i));
    return all;
  };
  EXPECT_EQ(labels(1), labels(1));
  EXPECT_NE(labels(1), labels(2));
}

}  // namespace
}  // namespace plumb::testing
