// Calls that may fail without a cause: all judges against an oracle that tries every set of such calls to leave out.
#include <gtest/gtest.h>
#include <plumb/plumb.hpp>

#include <array>
#include <deque>

#include "plumb/check.hpp"
#include "support/scale.hpp"
#include "testing/lenient_model.hpp"
#include "testing/observed_model.hpp"
#include "testing/reorderings.hpp"
#include "testing/set_monitor.hpp"
#include "testing/simulated.hpp"

namespace plumb::testing {
namespace {

// Every serial run, with any of the calls left out that may fail.
void fill_leaving_out(SerialTree& tree, const TestCase& test, const Layout& layout,
                      const SpuriousFailures& failures, const std::vector<std::size_t>& order) {
  Simulated object(test, layout);
  std::vector<std::optional<Value>> results;
  for (const std::size_t operation : order) results.push_back(object.run(operation));
  if (!order.empty()) ASSERT_FALSE(tree.add(order, results));
  if (!results.empty() && !results.back()) return;
  for (std::size_t process = 0; process < layout.processes(); ++process) {
    std::size_t next = layout.first(process);
    for (const std::size_t operation : order) {
      if (layout.process(operation) == process) next = operation + 1;
    }
    for (; next < layout.first(process) + layout.count(process); ++next) {
      auto longer = order;
      longer.push_back(next);
      fill_leaving_out(tree, test, layout, failures, longer);
      if (!failures.result(next)) break;
    }
  }
}

// The definition: some of the calls that failed, and may, are left out, and all others come in an order that keeps what was observed and
// has the same results; and each call that never returns blocks after one of these.
class Oracle {
 public:
  Oracle(const TestCase& test, const Layout& layout, const ObservedHistory& observed)
      : test_(test), layout_(layout), observed_(observed) {}

  bool accepts() {
    const std::uint64_t open = observed_.called() & ~observed_.returned();
    if (open == 0) return search(Simulated(test_, layout_), 0, std::nullopt);
    for (std::size_t i = 0; i < layout_.size(); ++i) {
      if ((open >> i & 1U) != 0 && !search(Simulated(test_, layout_), 0, i)) return false;
    }
    return true;
  }

 private:
  bool search(const Simulated& object, std::uint64_t done, std::optional<std::size_t> blocks) {
    if (done == observed_.returned()) return !blocks || !Simulated(object).run(*blocks);
    for (std::size_t i = 0; i < layout_.size(); ++i) {
      const std::uint64_t it = std::uint64_t{1} << i;
      if (!observed_.returned(i) || (done & it) != 0 || (observed_.before(i) & ~done) != 0) continue;
      if (may_be_left_out(i) && search(object, done | it, blocks)) return true;
      Simulated next = object;
      if (next.run(i) == std::optional(observed_.result(i)) && search(next, done | it, blocks)) return true;
    }
    return false;
  }
  [[nodiscard]] bool may_be_left_out(std::size_t i) const {
    const auto& may_fail = test_.operations()[test_.invocations()[layout_.invocation(i)].operation].may_fail;
    if (!may_fail || observed_.result(i) != may_fail->result) return false;
    if (!may_fail->only_contended) return true;
    for (std::size_t j = 0; j < layout_.size(); ++j) {
      const bool before = (observed_.before(i) >> j & 1U) != 0;
      const bool after = (observed_.before(j) >> i & 1U) != 0;
      if (j != i && observed_.called(j) && !before && !after) return true;
    }
    return false;
  }

  const TestCase& test_;
  const Layout& layout_;
  const ObservedHistory& observed_;
};

// As a search of states tells its monitor.
bool monitor_accepts(SetMonitor& monitor, const ObservedHistory& observed) {
  auto state = monitor.initial();
  std::uint64_t open = 0;
  for (const Event event : observed.events()) {
    const std::uint64_t it = std::uint64_t{1} << event.operation();
    if (!event.is_return()) {
      open |= it;
      continue;
    }
    state = monitor.returned(state, open, event.operation(), observed.result(event.operation()).bits());
    if (state == SetMonitor::kViolation) return false;
    open &= ~it;
  }
  return open == 0 || monitor.may_stop(state, open);
}

enum class Contract { kAdd, kGet, kBoth, kContended, kOneContended };

class MayFail : public SimulatedTest, public ::testing::WithParamInterface<Contract> {
 protected:
  MayFail() {
    auto add = contract_.operation("add", &Dummy::add, values(1, 2));
    auto get = contract_.operation("get", &Dummy::get);
    switch (GetParam()) {
      case Contract::kAdd:
        add.may_fail(0);
        break;
      case Contract::kGet:
        get.may_fail(1);
        break;
      case Contract::kBoth:
        add.may_fail(0);
        get.may_fail(0);
        break;
      case Contract::kContended:
        add.may_fail_when_contended(1);
        get.may_fail_when_contended(1);
        break;
      case Contract::kOneContended:
        add.may_fail_when_contended(2);
        get.may_fail(0);
    }
    EXPECT_TRUE(case_.finish().ok());
  }

  // Calls and returns in some order, results as a serial run has them, with calls that fail; or anything.
  void observe(ObservedHistory& observed, const Layout& layout) {
    observed.clear();
    Simulated object(case_, layout);
    const SpuriousFailures failures(case_, layout);
    std::vector<std::size_t> next(layout.processes(), 0);
    std::vector<bool> open(layout.processes(), false);
    for (std::size_t steps = 2 * layout.size(); steps > 0; --steps) {
      std::size_t process = random_.below(layout.processes());
      while (next[process] == layout.count(process)) process = random_.below(layout.processes());
      const std::size_t operation = layout.first(process) + next[process];
      if (!open[process]) {
        observed.call(operation);
      } else {
        const auto failing = failures.result(operation);
        const bool fails = failing && random_.chance(0.4);
        const auto result = fails ? failing : object.run(operation);
        if (!result && random_.chance(0.7)) {  // it never returns, and its thread goes no further
          steps -= std::min(steps - 1, 2 * (layout.count(process) - next[process]) - 2);
          next[process] = layout.count(process);
          open[process] = false;
          continue;
        }
        const auto any = case_.values().integer(static_cast<std::int64_t>(random_.below(3)));
        observed.ret(operation, result && !random_.chance(0.1) ? *result : any);
        ++next[process];
      }
      open[process] = !open[process];
    }
  }

  plumb::Test<Dummy> contract_{"Dummy", 1};
  TestCase& case_ = case_of(contract_);
};

TEST_P(MayFail, JudgesAgreeWithTheOracle) {
  std::size_t accepted = 0;
  std::size_t strict = 0;  // also without the contract
  std::size_t total = 0;
  std::size_t stuck = 0;
  for (std::size_t round = 0; round < test::scaled(60); ++round) {
    const Scenario scenario = draw();
    const Layout layout(scenario);
    const SpuriousFailures failures(case_, layout);
    SerialTree tree(layout, failures.all());
    fill_leaving_out(tree, case_, layout, failures, {});
    SetMonitor monitor(tree, layout, failures, false);
    ObservedHistory observed(layout);
    for (int i = 0; i < 30; ++i) {
      observe(observed, layout);
      const bool expected = Oracle(case_, layout, observed).accepts();
      TreeSteps steps(tree, observed);
      const auto as_run = happens_before_as_run(observed);
      ASSERT_EQ(!refute(observed, as_run, steps, failures.of(observed)), expected) << to_text(scenario);
      ASSERT_EQ(monitor_accepts(monitor, observed), expected) << to_text(scenario);
      ++total;
      accepted += expected ? 1 : 0;
      strict += !refute(observed, as_run, steps) ? 1 : 0;
      if (observed.called() != observed.returned()) {
        ++stuck;
        continue;  // for checkers a pending operation may take effect or not
      }
      const auto model = observed_model(case_, layout, tree, failures.permitted(observed));
      const auto verdict =
          check(observed.history(case_, layout), *model, {.engine = Engine::kBrute, .jobs = 1});
      ASSERT_TRUE(verdict.ok()) << verdict.error().message;
      ASSERT_EQ(verdict->outcome == Outcome::kHolds, expected) << to_text(scenario);
    }
  }
  EXPECT_GT(strict, 0);
  EXPECT_GT(accepted, strict);
  EXPECT_LT(accepted, total);
  EXPECT_GT(stuck, 0);
}

INSTANTIATE_TEST_SUITE_P(Contracts, MayFail,
                         ::testing::Values(Contract::kAdd, Contract::kGet, Contract::kBoth,
                                           Contract::kContended, Contract::kOneContended));

// A queue of two: a model of its own, which does not say what changes nothing.
struct BoundedQueue {
  std::deque<int> items;
  bool push(int v) {
    if (items.size() == 2) return false;
    items.push_back(v);
    return true;
  }
  std::optional<int> pop() {
    if (items.empty()) return std::nullopt;
    const int v = items.front();
    items.pop_front();
    return v;
  }
  bool operator==(const BoundedQueue&) const = default;
  [[nodiscard]] auto fields() const { return std::tie(items); }
};

struct Nothing {
  bool push(int) { return true; }
  std::optional<int> pop() { return std::nullopt; }
};

// Random histories of queues, judged by the checkers, against those without each set of calls that may be left out. `silent`: the model
// knows no push that fails, so all that did have to be left out.
void compare_checkers(const Model& model, bool only_contended, bool bounded, bool silent = false) {
  plumb::Test<Nothing> defined("Queue", 1);
  auto push = defined.operation("push", &Nothing::push, values(1, 2));
  auto pop = defined.operation("pop", &Nothing::pop);
  only_contended ? pop.may_fail_when_contended() : pop.may_fail();
  if (bounded) only_contended ? push.may_fail_when_contended() : push.may_fail();
  TestCase& test = case_of(defined);
  ASSERT_TRUE(test.finish().ok());
  Rng random(3);
  std::size_t accepted = 0;
  std::size_t strict = 0;
  const std::size_t rounds = plumb::test::scaled(300);
  for (std::size_t round = 0; round < rounds; ++round) {
    struct Drawn {
      std::int64_t process, value;
      bool is_push, failed;
      Time call, ret;
    };
    std::vector<Drawn> drawn;
    std::array<Time, 3> free{};
    for (std::int64_t i = 0; i < 6; ++i) {
      const auto process = static_cast<std::int64_t>(random.below(3));
      Time& from = free.at(static_cast<std::size_t>(process));
      const Time call = from + 1 + static_cast<Time>(random.below(3));
      from = call + 1 + static_cast<Time>(random.below(4));
      drawn.push_back({process, static_cast<std::int64_t>(1 + random.below(2)), random.chance(0.5),
                       random.chance(0.3), call, from});
    }
    const auto history_of = [&](std::uint32_t without) {
      HistoryBuilder builder;
      for (std::size_t i = 0; i < drawn.size(); ++i) {
        if ((without >> i & 1U) != 0) continue;
        const Drawn& each = drawn[i];
        const Value value = builder.values().integer(each.value);
        const std::vector<Value> args = each.is_push ? std::vector<Value>{value} : std::vector<Value>{};
        const Value result = each.is_push ? (bounded && each.failed ? kFalse
                                             : bounded              ? kTrue
                                                                    : kNull)
                                          : (each.failed ? kNull : value);
        builder.add(builder.values().integer(each.process), builder.function(each.is_push ? "push" : "pop"),
                    args, {.result = result, .has_result = !each.is_push || bounded}, each.call, each.ret);
      }
      return std::move(builder.finish()).value();
    };
    std::uint32_t may_be = 0;
    std::uint32_t has_to_be = 0;
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      bool met = false;
      for (std::size_t j = 0; j < drawn.size(); ++j)
        met = met || (j != i && drawn[j].call <= drawn[i].ret && drawn[i].call <= drawn[j].ret);
      if (drawn[i].failed && (!drawn[i].is_push || bounded) && (met || !only_contended)) may_be |= 1U << i;
      if (drawn[i].failed && drawn[i].is_push && silent) has_to_be |= 1U << i;
    }
    bool expected = false;
    for (std::uint32_t without = may_be;; without = (without - 1) & may_be) {
      if ((has_to_be & ~without) != 0) {
        if (without == 0) break;
        continue;
      }
      const auto verdict = check(history_of(without), model, {.engine = Engine::kBrute, .jobs = 1});
      ASSERT_TRUE(verdict.ok()) << verdict.error().text();
      expected = expected || verdict->outcome == Outcome::kHolds;
      strict += without == 0 && verdict->outcome == Outcome::kHolds ? 1 : 0;
      if (without == 0 || expected) break;
    }
    const Lenient judged = lenient(history_of(0), model, test);
    const auto verdict = check(judged.history, *judged.model, {.jobs = 1});
    ASSERT_TRUE(verdict.ok()) << verdict.error().text();
    ASSERT_EQ(verdict->outcome == Outcome::kHolds, expected) << "round " << round;
    accepted += expected ? 1 : 0;
  }
  EXPECT_GT(accepted, 0);
  EXPECT_LT(accepted, rounds);
}

TEST(MayFailCheckers, AgreeWithEverySetOfCallsLeftOut) {
  const Model& queue = **find_model("queue");
  ObjectModel<BoundedQueue> bounded("bounded");
  bounded.operation("push", &BoundedQueue::push);
  bounded.operation("pop", &BoundedQueue::pop);
  for (const bool only_contended : {false, true}) {
    compare_checkers(queue, only_contended, false);
    compare_checkers(queue, only_contended, true, true);
    compare_checkers(bounded, only_contended, true);
  }
}

}  // namespace
}  // namespace plumb::testing
