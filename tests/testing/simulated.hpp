// A small object that exists only as rules, and random scenarios of it: what the judges of
// histories are tested with.
#pragma once

#include <gtest/gtest.h>

#include <plumb/test.hpp>

#include "base/rng.hpp"
#include "testing/scenario.hpp"
#include "testing/serial_tree.hpp"

namespace plumb::testing {

struct Dummy {
  int add(int n) { return n; }
  int get() { return 0; }
};

// What the object would do: a number to which 1 or 2 is added, modulo 3; get() blocks while it is 2.
class Simulated {
 public:
  Simulated(const TestCase& test, const Layout& layout) : test_(test), layout_(layout) {}
  std::optional<Value> run(std::size_t operation) {
    const auto& invocation = test_.invocations()[layout_.invocation(operation)];
    if (invocation.operation == 1)
      return state_ == 2 ? std::nullopt : std::optional(test_.values().integer(state_));
    state_ = (state_ + test_.values().as_integer(invocation.args[0])) % 3;
    return test_.values().integer(state_);
  }

 private:
  const TestCase& test_;
  const Layout& layout_;
  std::int64_t state_ = 0;
};

// Every serial run.
inline void fill(SerialTree& tree, const TestCase& test, const Layout& layout,
                 std::vector<std::size_t> order) {
  Simulated object(test, layout);
  std::vector<std::optional<Value>> results;
  for (const std::size_t operation : order) {
    results.push_back(object.run(operation));
    if (!results.back()) break;
  }
  const bool stuck = !results.empty() && !results.back();
  bool whole = true;
  if (!stuck) {
    for (std::size_t process = 0; process < layout.processes(); ++process) {
      std::size_t next = 0;
      for (const std::size_t operation : order) next += layout.process(operation) == process ? 1 : 0;
      if (next == layout.count(process)) continue;
      whole = false;
      auto longer = order;
      longer.push_back(layout.first(process) + next);
      fill(tree, test, layout, longer);
    }
  }
  if (stuck || whole) ASSERT_FALSE(tree.add(order, results));
}

class SimulatedTest : public ::testing::Test {
 protected:
  SimulatedTest() {
    defined_.operation("add", &Dummy::add, values(1, 2));
    defined_.operation("get", &Dummy::get);
    EXPECT_TRUE(test_.finish().ok());
  }
  Scenario draw() {
    Scenario scenario;
    for (std::size_t thread = 0; thread < 2 + random_.below(2); ++thread) {
      auto& calls = scenario.threads.emplace_back();
      for (std::size_t i = 0; i < 1 + random_.below(3); ++i)
        calls.push_back(static_cast<InvocationId>(random_.below(3)));
    }
    return scenario;
  }
  plumb::Test<Dummy> defined_{"Dummy", 1};
  TestCase& test_ = case_of(defined_);
  Rng random_{7};
};

}  // namespace plumb::testing
