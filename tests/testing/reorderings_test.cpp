// All orders of an execution's steps at once, against each of them by itself: random executions of a small object, with steps at
// a few places.
#include <gtest/gtest.h>

#include <array>
#include <set>

#include "explore/happens_before.hpp"
#include "support/scale.hpp"
#include "testing/observed_history.hpp"
#include "testing/reorderings.hpp"
#include "testing/simulated.hpp"

namespace plumb::testing {
namespace {

using engine::ExecutedStep;
using runtime::StepKind;

// What one operation does: steps at places, each perhaps a change. The first comes with its call, the last with its return.
struct Doing {
  std::vector<std::pair<int, bool>> steps;
  bool returns = true;
};

// An execution, step by step: (operation, which of its steps).
using Order = std::vector<std::pair<std::size_t, std::size_t>>;

class Reorderings : public SimulatedTest {
 protected:
  void draw_steps(const Layout& layout) {
    doings_.assign(layout.size(), {});
    for (std::size_t process = 0; process < layout.processes(); ++process) {
      for (std::size_t i = 0; i < layout.count(process); ++i) {
        Doing& doing = doings_[layout.first(process) + i];
        for (std::size_t n = random_.below(4); n > 0; --n)
          doing.steps.emplace_back(static_cast<int>(random_.below(3)), random_.chance(0.5));
        doing.returns = i + 1 < layout.count(process) || !random_.chance(0.2);
      }
    }
  }
  [[nodiscard]] std::size_t steps_of(std::size_t operation) const {
    return std::max<std::size_t>(doings_[operation].steps.size(), 1);  // without any: the call itself
  }
  Order draw_order(const Layout& layout) {
    Order order;
    std::vector<std::size_t> operation(layout.processes(), 0);
    std::vector<std::size_t> step(layout.processes(), 0);
    for (std::size_t left = total(layout); left > 0;) {
      const std::size_t process = random_.below(layout.processes());
      if (operation[process] == layout.count(process)) continue;
      const std::size_t now = layout.first(process) + operation[process];
      order.emplace_back(now, step[process]++);
      if (step[process] == steps_of(now)) {
        ++operation[process];
        step[process] = 0;
      }
      --left;
    }
    return order;
  }
  [[nodiscard]] std::size_t total(const Layout& layout) const {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < layout.size(); ++i) sum += steps_of(i);
    return sum;
  }
  // As the engine notes it.
  [[nodiscard]] std::vector<ExecutedStep> executed_steps(const Order& order, const Layout& layout) const {
    std::vector<ExecutedStep> executed;
    for (const auto& [operation, step] : order) {
      const auto thread = static_cast<int>(layout.process(operation));
      const Doing& doing = doings_[operation];
      if (step == 0)
        executed.push_back({.thread = thread, .step = {.kind = StepKind::kCall, .operand = operation}});
      if (!doing.steps.empty()) {
        const auto& [place, writes] = doing.steps[step];
        executed.push_back({.thread = thread,
                            .step = {.kind = writes ? StepKind::kStore : StepKind::kLoad,
                                     .writes = writes,
                                     .size = 4,
                                     .address = &places_[static_cast<std::size_t>(place)]},
                            .wrote = writes});
      }
      if (step + 1 == steps_of(operation) && doing.returns)
        executed.push_back({.thread = thread, .step = {.kind = StepKind::kReturn, .operand = operation}});
    }
    return executed;
  }
  void log_of(const Order& order, const std::vector<Value>& results, ObservedHistory& observed) const {
    observed.clear();
    for (const auto& [operation, step] : order) {
      if (step == 0) observed.call(operation);
      if (step + 1 == steps_of(operation) && doings_[operation].returns)
        observed.ret(operation, results[operation]);
    }
  }
  [[nodiscard]] bool commute(std::pair<std::size_t, std::size_t> a,
                             std::pair<std::size_t, std::size_t> b) const {
    if (doings_[a.first].steps.empty() || doings_[b.first].steps.empty()) return true;
    const auto& [place_a, writes_a] = doings_[a.first].steps[a.second];
    const auto& [place_b, writes_b] = doings_[b.first].steps[b.second];
    return place_a != place_b || (!writes_a && !writes_b);
  }
  // Every order that swaps of steps next to each other lead to.
  template <class F>
  void each_order_of(Order order, const Layout& layout, F f) const {
    std::set<Order> known{order};
    std::vector<Order> left{order};
    while (!left.empty() && known.size() < 3'000) {
      order = left.back();
      left.pop_back();
      f(order);
      for (std::size_t i = 0; i + 1 < order.size(); ++i) {
        if (layout.process(order[i].first) == layout.process(order[i + 1].first)) continue;
        if (!commute(order[i], order[i + 1])) continue;
        std::swap(order[i], order[i + 1]);
        if (known.insert(order).second) left.push_back(order);
        std::swap(order[i], order[i + 1]);
      }
    }
    complete_ = left.empty();
  }

  std::vector<Doing> doings_;
  std::array<int, 3> places_{};
  mutable bool complete_ = false;  // each_order_of had them all
};

TEST_F(Reorderings, AgreeWithEachOrderByItself) {
  std::size_t wrong = 0;
  std::size_t wrong_elsewhere = 0;  // only another order than that of the execution shows it
  std::size_t count = 0;
  for (std::size_t round = 0; round < test::scaled(400); ++round) {
    const Scenario scenario = draw();
    const Layout layout(scenario);
    SerialTree tree(layout);
    fill(tree, test_, layout, {});
    draw_steps(layout);
    const Order order = draw_order(layout);
    // Mostly what a serial run in the order of the first steps has.
    std::vector<Value> results(layout.size());
    Simulated object(test_, layout);
    for (const auto& [operation, step] : order) {
      if (step != 0) continue;
      const auto result = object.run(operation);
      results[operation] = result && !random_.chance(0.05)
                               ? *result
                               : test_.values().integer(static_cast<std::int64_t>(random_.below(3)));
    }
    // In every other round some calls may be left out, always or where they overlap another.
    const auto some = [&] { return round % 2 == 0 ? 0 : random_.below(std::uint64_t{1} << layout.size()); };
    const MayBeLeftOut failed{.always = some() & some(), .if_contended = some()};
    ObservedHistory observed(layout);
    ObservedHistory each(layout);
    bool refuted = false;
    each_order_of(order, layout, [&](const Order& other) {
      log_of(other, results, each);
      TreeSteps steps(tree, each);
      refuted = refuted || refute(each, happens_before_as_run(each), steps, failed).has_value();
    });
    if (!complete_ && !refuted) continue;
    log_of(order, results, observed);
    engine::HappensBeforeGraph graph;
    graph.set(executed_steps(order, layout), {});
    TreeSteps steps(tree, observed);
    ASSERT_EQ(refute(observed, graph.happens_before(), steps, failed).has_value(), refuted)
        << to_text(scenario) << " round " << round;
    ++count;
    wrong += refuted ? 1 : 0;
    wrong_elsewhere += refuted && !refute(observed, happens_before_as_run(observed), steps, failed) ? 1 : 0;
  }
  EXPECT_GT(wrong, count / 20);
  EXPECT_LT(wrong, count);
  EXPECT_GT(wrong_elsewhere, 0);
}

TEST_F(Reorderings, EachOrderHasTheMostOrder) {
  // Three operations of as many threads that touch nothing in common: they come one after the other, in any order.
  const Scenario scenario{.before = {}, .threads = {{0}, {0}, {0}}, .after = {}};
  const Layout layout(scenario);
  doings_.assign(3, {});
  ObservedHistory observed(layout);
  const Order order{{0, 0}, {1, 0}, {2, 0}};
  log_of(order, std::vector<Value>(3, kNull), observed);
  engine::HappensBeforeGraph graph;
  graph.set(executed_steps(order, layout), {});
  std::size_t count = 0;
  each_order(observed, graph.happens_before(), [&](const EventOrder& each) {
    for (std::size_t i = 0; i < each.size(); i += 2) EXPECT_EQ(each[i].operation, each[i + 1].operation);
    ++count;
    return true;
  });
  EXPECT_EQ(count, 6);
}

}  // namespace
}  // namespace plumb::testing
