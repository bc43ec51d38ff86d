// The order of events against its definition, whatever order the operations stand in.
#include "history/event_order.hpp"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "base/rng.hpp"

namespace plumb {
namespace {

std::vector<Event> by_definition(const std::vector<Time>& call, const std::vector<Time>& ret) {
  std::vector<Event> events;
  for (OperationId i = 0; i < call.size(); ++i) {
    events.push_back(Event::call(i));
    if (ret[i] != kNever) events.push_back(Event::ret(i));
  }
  std::ranges::sort(events, {}, [&](Event e) {
    const OperationId op = e.operation();
    return std::tuple(e.is_return() ? ret[op] : call[op], e.is_return(), op);
  });
  return events;
}

struct Recording {
  std::vector<Time> call;
  std::vector<Time> ret;

  void arrange(auto&& less) {
    std::vector<OperationId> order(call.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, less);
    const Recording old = *this;
    for (std::size_t i = 0; i < order.size(); ++i) call[i] = old.call[order[i]];
    for (std::size_t i = 0; i < order.size(); ++i) ret[i] = old.ret[order[i]];
  }
  void expect_order() const {
    const auto events = order_events(call, ret);
    ASSERT_TRUE(std::ranges::equal(events, by_definition(call, ret)));
  }
  // In every order that has a way of its own.
  void expect_orders() {
    expect_order();
    arrange([this](OperationId a, OperationId b) { return call[a] < call[b]; });
    expect_order();
    arrange([this](OperationId a, OperationId b) { return ret[a] < ret[b]; });
    expect_order();
  }
};

TEST(EventOrder, IsThatOfTheTimes) {
  Rng rng(7);
  for (int round = 0; round < 3000; ++round) {
    Recording r;
    const std::size_t span = 1 + rng.below(round % 3 == 0 ? 10 : 1000);
    const std::size_t longest = 1 + rng.below(40);
    for (std::size_t i = rng.below(60); i > 0; --i) {
      const Time call = static_cast<Time>(rng.below(span)) - 5;
      r.call.push_back(call);
      r.ret.push_back(rng.chance(0.1) ? kNever : call + static_cast<Time>(rng.below(longest)));
    }
    r.expect_orders();
  }
}

TEST(EventOrder, OfTimesThatNumberTheEvents) {
  Rng rng(8);
  for (int round = 0; round < 1000; ++round) {
    std::vector<Time> numbers(2 * rng.below(20));
    std::iota(numbers.begin(), numbers.end(), Time{-3});
    for (std::size_t i = numbers.size(); i > 1; --i) std::swap(numbers[i - 1], numbers[rng.below(i)]);
    Recording r;
    for (std::size_t i = 0; i < numbers.size(); i += 2) {
      r.call.push_back(std::min(numbers[i], numbers[i + 1]));
      r.ret.push_back(std::max(numbers[i], numbers[i + 1]));
    }
    r.expect_orders();
    if (!r.call.empty()) r.call.back() = r.call.front();  // one number twice, one not at all
    if (!r.call.empty()) r.ret.back() = std::max(r.ret.back(), r.call.back());
    r.expect_orders();
  }
}

TEST(EventOrder, OfMoreThanFitsInTheWindow) {
  for (const std::size_t size : {500U, 511U, 512U, 513U, 600U, 20'000U}) {
    for (const bool pending : {false, true}) {
      Recording r;
      for (std::size_t i = 0; i < size; ++i) {
        r.call.push_back(static_cast<Time>(3 * i));
        r.ret.push_back(pending && i % 2 == 0 ? kNever : static_cast<Time>(9 * size - i));
      }
      r.expect_orders();
    }
  }
}

TEST(EventOrder, OfALongRecordingWithFewAtATime) {
  Rng rng(9);
  Recording r;
  Time now = 0;
  for (std::size_t i = 0; i < 30'000; ++i) {
    now += static_cast<Time>(rng.below(3));
    r.call.push_back(now);
    r.ret.push_back(rng.chance(0.001) ? kNever : now + static_cast<Time>(rng.below(50)));
  }
  r.expect_orders();
}

TEST(EventOrder, AtTheEndsOfTime) {
  constexpr Time kFirst = std::numeric_limits<Time>::min();
  Recording r{{kFirst, 0, kNever - 1, kFirst}, {kNever - 1, 0, kNever - 1, kNever}};
  r.expect_orders();
}

TEST(Overlap, IsFoundInAnyOrder) {
  const std::vector<Value> process = {Value::small(0), Value::small(70'000), Value::small(0),
                                      Value::small(70'000)};
  const std::vector<Time> call = {10, 0, 0, 4};
  std::vector<Time> ret = {12, 4, 10, 9};
  auto found = find_overlap(order_events(call, ret), process, call, ret);
  EXPECT_FALSE(found.overlap);
  EXPECT_EQ(found.processes, 2U);
  ret[2] = 11;
  found = find_overlap(order_events(call, ret), process, call, ret);
  ASSERT_TRUE(found.overlap);
  EXPECT_EQ(*found.overlap, (std::pair<OperationId, OperationId>{2, 0}));
}

}  // namespace
}  // namespace plumb
