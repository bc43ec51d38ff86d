// The search for a client that sees a violation, against all sets of edges there are: of random relations between operations, and random
// specifications, some of whose operations may have failed because they were contended.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "testing/strengthening.hpp"

namespace plumb::testing {
namespace {

constexpr OperationSet bit_of(std::size_t operation) { return OperationSet{1} << operation; }
constexpr std::size_t kStates = 3;

// Where each operation leads, from each state: nowhere, where it could not have had its result.
struct Table final : SerialSteps {
  std::vector<std::array<std::optional<StateId>, kStates>> leads;
  std::vector<std::array<bool, kStates>> is_blocked;

  StateId initial() override { return 0; }
  void step(StateId from, std::size_t operation, std::vector<StateId>& next) override {
    if (leads[operation][from]) next.push_back(*leads[operation][from]);
  }
  bool blocks(StateId state, std::size_t operation) override { return is_blocked[operation][state]; }
};

struct Random {
  std::vector<std::size_t> thread_of;
  OperationSet called = 0;
  OperationSet returned = 0;
  std::vector<ClientRelations> relations;
  Table table;
  MayBeLeftOut failed;
};

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  unsigned below(unsigned count) { return static_cast<unsigned>(engine_() % count); }
  bool happens(unsigned percent) { return below(100) < percent; }

 private:
  std::mt19937 engine_;
};

// Of operations in these threads, in this order; the last ones of some may be open.
void draw(Dice& dice, Random& random, const std::vector<std::size_t>& threads, bool some_are_open) {
  const unsigned legal = std::array{50U, 80U, 95U}.at(dice.below(3));
  for (std::size_t thread = 0; thread < threads.size(); ++thread)
    random.thread_of.insert(random.thread_of.end(), threads[thread], thread);
  const std::size_t count = random.thread_of.size();
  random.relations.resize(count);
  random.table.leads.resize(count);
  random.table.is_blocked.resize(count);
  random.called = bit_of(count) - 1;
  for (std::size_t a = 0; a < count; ++a) {
    const bool is_last = a + 1 == count || random.thread_of[a + 1] != random.thread_of[a];
    if (!(some_are_open && is_last && dice.happens(40))) random.returned |= bit_of(a);
    for (std::size_t state = 0; state < kStates; ++state) {
      if (dice.happens(legal)) random.table.leads[a][state] = dice.below(kStates);
      random.table.is_blocked[a][state] = dice.happens(legal);
    }
  }
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b < count; ++b) {
      const bool same = random.thread_of[a] == random.thread_of[b];
      if (same && a < b) random.relations[a].before |= bit_of(b);
      const bool reaches = (same && a <= b) || (!same && dice.happens(5));
      const bool causes = reaches || (!same && dice.happens(5));
      if ((random.returned & bit_of(b)) == 0) continue;
      if (reaches) random.relations[a].reaches |= bit_of(b);
      if (causes) random.relations[a].causes |= bit_of(b);
      if (reaches || dice.happens(15)) random.relations[a].precedes |= bit_of(b);
    }
    if ((random.returned & bit_of(a)) == 0) continue;
    const unsigned kind = dice.below(5);
    if (kind == 0) random.failed.always |= bit_of(a);
    if (kind <= 2 && kind != 0) random.failed.if_contended |= bit_of(a);
  }
}

// By trying all orders.
bool has_witness(Random& random, const Predecessors& predecessors, std::optional<std::size_t> blocks) {
  OperationSet left_out = random.failed.always;
  for (std::size_t a = 0; a < random.thread_of.size(); ++a) {
    bool contended = false;
    for (std::size_t b = 0; b < random.thread_of.size(); ++b)
      contended =
          contended || (a != b && (predecessors[a] & bit_of(b)) == 0 && (predecessors[b] & bit_of(a)) == 0);
    if (contended) left_out |= random.failed.if_contended & bit_of(a);
  }
  const std::function<bool(OperationSet, StateId)> from = [&](OperationSet done, StateId state) {
    if (done == random.returned) return !blocks || random.table.blocks(state, *blocks);
    for (std::size_t a = 0; a < random.thread_of.size(); ++a) {
      if ((random.returned & ~done & bit_of(a)) == 0 || (predecessors[a] & random.returned & ~done) != 0)
        continue;
      if ((left_out & bit_of(a)) != 0 && from(done | bit_of(a), state)) return true;
      const auto next = random.table.leads[a][state];
      if (next && from(done | bit_of(a), *next)) return true;
    }
    return false;
  };
  return from(0, random.table.initial());
}

bool has_violation(Random& random, const Predecessors& predecessors) {
  const OperationSet open = random.called & ~random.returned;
  if (open == 0) return !has_witness(random, predecessors, std::nullopt);
  for (std::size_t a = 0; a < random.thread_of.size(); ++a) {
    if ((open & bit_of(a)) != 0 && !has_witness(random, predecessors, a)) return true;
  }
  return false;
}

// D ; (via ; D)*, by the operation that returns, until nothing is new; nothing: it has a pair that `bad` has the other way round.
using Relation = OperationSet ClientRelations::*;
std::optional<std::vector<OperationSet>> closure(const Random& random, const std::vector<ClientEdge>& edges,
                                                 Relation via, Relation bad) {
  const std::size_t count = random.thread_of.size();
  std::vector<OperationSet> direct(count);
  for (std::size_t from = 0; from < count; ++from) {
    if ((random.returned & bit_of(from)) != 0) direct[from] = random.relations[from].before;
  }
  for (const ClientEdge& edge : edges) direct[edge.from] |= bit_of(edge.to);
  std::vector<OperationSet> reached = direct;
  for (bool more = true; more;) {
    more = false;
    for (std::size_t from = 0; from < count; ++from) {
      const OperationSet before = reached[from];
      for (std::size_t to = 0; to < count; ++to) {
        for (std::size_t next = 0; next < count && (before & bit_of(to)) != 0; ++next) {
          if ((random.relations[to].*via & bit_of(next)) != 0) reached[from] |= direct[next];
        }
        if ((before & bit_of(to)) != 0 && (random.relations[to].*bad & bit_of(from)) != 0)
          return std::nullopt;
      }
      more = more || reached[from] != before;
    }
  }
  return reached;
}

// Added one by one, as by definition.
void expect_as_defined(const Random& random, Strengthening& strengthening,
                       const std::vector<ClientEdge>& edges) {
  const auto order = closure(random, edges, &ClientRelations::reaches, &ClientRelations::precedes);
  const bool is_consistent =
      order && closure(random, edges, &ClientRelations::causes, &ClientRelations::causes);
  EXPECT_EQ(strengthening.is_consistent(edges), is_consistent);
  if (!is_consistent) return;
  Predecessors predecessors(order->size());
  for (std::size_t from = 0; from < order->size(); ++from) {
    for (std::size_t to = 0; to < order->size(); ++to) {
      if (((*order)[from] & bit_of(to)) != 0) predecessors[to] |= bit_of(from);
    }
  }
  EXPECT_EQ(strengthening.predecessors(edges), predecessors);
}

// Whether there is a violation; nothing: there is no such execution.
std::optional<bool> compare(Dice& dice, const std::vector<std::size_t>& threads, bool some_are_open) {
  Random random;
  draw(dice, random, threads, some_are_open);
  StepWitnesses witnesses(random.table, random.called, random.returned, random.failed);
  const auto allows = [](auto) { return true; };
  Strengthening strengthening(random.relations, random.called, random.returned, witnesses, allows);
  if (!strengthening.is_consistent({})) return std::nullopt;

  std::vector<ClientEdge> pairs;
  for (std::uint32_t a = 0; a < random.thread_of.size(); ++a) {
    for (std::uint32_t b = 0; b < random.thread_of.size(); ++b) {
      if (random.thread_of[a] != random.thread_of[b] && (random.returned & bit_of(a)) != 0)
        pairs.push_back({.from = a, .to = b});
    }
  }
  bool is_violated = false;
  for (std::uint64_t chosen = 0; chosen < std::uint64_t{1} << pairs.size() && !is_violated; ++chosen) {
    std::vector<ClientEdge> edges;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if ((chosen >> i & 1U) != 0) edges.push_back(pairs[i]);
    }
    expect_as_defined(random, strengthening, edges);
    if (strengthening.is_consistent(edges))
      is_violated = has_violation(random, strengthening.predecessors(edges));
  }
  const auto found = strengthening.find();
  EXPECT_EQ(found.has_value(), is_violated);
  strengthening.ask_what_matters_after(0);
  EXPECT_EQ(strengthening.find().has_value(), is_violated);
  EXPECT_FALSE(strengthening.was_stopped());
  if (!found) return is_violated;
  EXPECT_TRUE(strengthening.is_consistent(found->edges));
  EXPECT_TRUE(has_violation(random, strengthening.predecessors(found->edges)));
  return is_violated;
}

void compare_many(const std::vector<std::size_t>& threads, bool some_are_open) {
  constexpr unsigned kCases = 400;
  std::array<unsigned, 2> seen{};
  for (unsigned seed = 0; seed < kCases && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(seed);
    if (const auto is_violated = compare(dice, threads, some_are_open)) ++seen.at(*is_violated ? 1 : 0);
  }
  EXPECT_GT(seen[0], kCases / 20);
  EXPECT_GT(seen[1], kCases / 20);
}

TEST(StrengtheningSearch, FindsWhatAllSetsOfEdgesFind) {
  for (const auto& threads : std::vector<std::vector<std::size_t>>{{1, 1, 1}, {2, 1}, {2, 2}, {2, 1, 1}})
    compare_many(threads, false);
}

TEST(StrengtheningSearch, FindsWhatMustNotBlock) {
  for (const auto& threads : std::vector<std::vector<std::size_t>>{{1, 1, 1}, {2, 1}, {2, 2}, {2, 1, 1}})
    compare_many(threads, true);
}

// 3x4 operations that have nothing to do with each other, and the same with two that do: the orders of the twelve are beyond counting.
struct Slots final : SerialSteps {
  std::optional<std::pair<std::size_t, std::size_t>> in_order;

  StateId initial() override { return 0; }
  void step(StateId from, std::size_t operation, std::vector<StateId>& next) override {
    if (in_order && operation == in_order->second && (from & bit_of(in_order->first)) == 0) return;
    next.push_back(static_cast<StateId>(from | bit_of(operation)));
  }
  bool blocks(StateId, std::size_t) override { return false; }
};

struct ThreeTimesFour {
  static constexpr std::size_t kCount = 12;
  static constexpr OperationSet kAll = bit_of(kCount) - 1;
  std::vector<ClientRelations> relations = std::vector<ClientRelations>(kCount);
  Slots slots;

  ThreeTimesFour() {
    for (std::size_t a = 0; a < kCount; ++a) {
      for (std::size_t b = a; b < kCount && b / 4 == a / 4; ++b) {
        if (a != b) relations[a].before |= bit_of(b);
        relations[a].reaches |= bit_of(b);
        relations[a].causes |= bit_of(b);
      }
    }
  }
  std::optional<ClientViolation> find() {
    StepWitnesses witnesses(slots, kAll, kAll);
    return Strengthening(relations, kAll, kAll, witnesses, [](auto) { return true; }).find();
  }
};

TEST(StrengtheningSearch, WhatDoesNotInteractIsNotOrdered) {
  EXPECT_FALSE(ThreeTimesFour().find());
  ThreeTimesFour two;
  two.slots.in_order = {1, 6};
  const auto violation = two.find();
  ASSERT_TRUE(violation);
  EXPECT_FALSE(violation->edges.empty());
  two.relations[1].precedes |= two.relations[1].reaches | bit_of(6);
  two.relations[1].reaches |= bit_of(6);
  two.relations[1].causes |= bit_of(6);
  two.relations[1].before |= bit_of(6) | bit_of(7);
  two.relations[0].before |= bit_of(6) | bit_of(7);
  EXPECT_FALSE(two.find());
}

TEST(StrengtheningSearch, EndsWhenItIsToEnd) {
  ThreeTimesFour subject;
  for (const int polls : {0, 1, 20}) {
    int left = polls;
    const IsOver is_over = [&left] { return left-- <= 0; };
    StepWitnesses witnesses(subject.slots, subject.kAll, subject.kAll, {}, is_over);
    Strengthening strengthening(
        subject.relations, subject.kAll, subject.kAll, witnesses, [](auto) { return true; }, is_over);
    EXPECT_FALSE(strengthening.find());
    EXPECT_TRUE(strengthening.was_stopped());
  }
}

}  // namespace
}  // namespace plumb::testing
