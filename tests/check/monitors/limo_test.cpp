// The examples of LiMo ("Efficient linearizability monitoring"), by name, as far as the text tells what the drawings
// showed. Times are the paper's, ten to one, so that something can be placed between them.
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plumb/check.hpp>

#include "check/monitors/monitor.hpp"
#include "check/partition.hpp"
#include "spec/bind.hpp"
#include "support/oracle.hpp"
#include "support/script.hpp"

namespace plumb {
namespace {

using test::Script;
using ::testing::ElementsAre;

// A value with its push and its pop, or its enqueue and its dequeue.
struct Life {
  int value;
  Time ic, ir, rc, rr;
};

class Limo : public ::testing::Test {
 protected:
  static Script script_of(const std::vector<Life>& lives, const char* insert, const char* remove) {
    Script script;
    for (const Life& l : lives) {
      const std::string value = std::to_string(l.value);
      add(script, std::string(insert) + "(" + value + "):null", 10 * l.ic, 10 * l.ir);
      add(script, std::string(remove) + ":" + value, 10 * l.rc, 10 * l.rr);
    }
    return script;
  }
  static Script stack_of(const std::vector<Life>& lives) { return script_of(lives, "push", "pop"); }
  static void add(Script& script, const std::string& f, Time call, Time ret) {
    script.add(static_cast<int>(script.operations.size()), f, call, ret);
  }
  static std::vector<Life> without(std::vector<Life> lives, std::size_t i) {
    lives.erase(lives.begin() + static_cast<std::ptrdiff_t>(i));
    return lives;
  }

  // By the monitor; a linearization is replayed.
  static Verdict monitored(const Script& script, const char* model_name) {
    const Model& model = *find_model(model_name).value();
    const History history = script.build();
    auto verdict = check(history, model, test::options(Engine::kMonitor));
    EXPECT_EQ(to_string(verdict->engines), "monitor") << verdict->why;
    if (verdict->outcome == Outcome::kHolds) {
      EXPECT_TRUE(test::is_witness(history, model, verdict->linearization)) << script.text();
    }
    return *verdict;
  }
  // What the monitor itself says, before the search goes over its core again and shortens it.
  static MonitorVerdict judged(const Script& script, const char* model_name) {
    const History history = script.build();
    const auto bound = BoundHistory::bind(history, *find_model(model_name).value());
    const Partition partition(bound.value(), PartitionBy::kObjectAndKey);
    return find_monitor(bound->family())->judge(partition.parts()[0]);
  }
  // By the monitor, and the search says the same.
  static Outcome outcome(const Script& script, const char* model_name) {
    const Verdict verdict = monitored(script, model_name);
    EXPECT_EQ(check(script.build(), *find_model(model_name).value(), test::options(Engine::kWgl))->outcome,
              verdict.outcome)
        << script.text();
    return verdict.outcome;
  }

  // Values 2 … 8 of figure 4, such that its P-segments are those of appendix A.2.
  static std::vector<Life> figure_4() {
    return {{2, 3, 6, 10, 13},   {3, 4, 8, 12, 14},   {4, 11, 15, 20, 24}, {5, 9, 16, 19, 34},
            {6, 13, 18, 22, 25}, {7, 17, 23, 27, 32}, {8, 21, 29, 31, 35}};
  }

  // Lemma 3.1: the first push comes before all others, the last pop after all others, and in between the sure stay of
  // each value overlaps with that of the next.
  static std::vector<Life> lemma_3_1(int n) {
    std::vector<Life> lives;
    for (int v = 0; v < n; ++v) {
      const Time pushed = v == 0 ? 1 : n + 2 + 2 * v;
      lives.push_back({v + 1, v, pushed, n + 5 + 2 * v, 4 * n + v});
    }
    for (int v = 1; v < n; ++v) lives[static_cast<std::size_t>(v)].ic = v + 1;
    lives.back().rc = 6 * n;
    lives.back().rr = 6 * n + 1;
    return lives;
  }
};

TEST_F(Limo, Figure1TwoPushesThenTwoPops) {
  const std::vector<Life> both = {{0, 0, 2, 5, 7}, {1, 1, 3, 4, 6}};
  EXPECT_EQ(outcome(stack_of(both), "stack"), Outcome::kHolds);
}

// Sections 3.1.6 and A.2 … A.7: values 0 and 1 are extreme, then 2, 3 are parted from 4 … 8, and 4, 6 from 7, 8.
TEST_F(Limo, Figure4IsLinearizable) {
  std::vector<Life> lives = figure_4();
  lives.push_back({0, 0, 7, 28, 36});
  lives.push_back({1, 1, 5, 26, 37});
  EXPECT_EQ(outcome(stack_of(lives), "stack"), Outcome::kHolds);
}

// A pop of empty (lemma 4.3) is possible exactly where no P-segment is.
TEST_F(Limo, Figure4HasThePSegmentsOfAppendixA2) {
  constexpr std::array<std::pair<Time, Time>, 4> populated = {{{6, 12}, {15, 22}, {23, 27}, {29, 31}}};
  for (Time t = 3; t < 35; ++t) {
    Script script = stack_of(figure_4());
    add(script, "pop:null", 10 * t + 3, 10 * t + 6);
    const bool inside =
        std::ranges::any_of(populated, [&](const auto& p) { return p.first <= t && t < p.second; });
    EXPECT_EQ(outcome(script, "stack"), inside ? Outcome::kViolation : Outcome::kHolds) << "at " << t;
  }
}

TEST_F(Limo, Figure5HasAnExtremeValueAndIsNotLinearizable) {
  std::vector<Life> lives = lemma_3_1(3);
  const std::size_t in_core = lives.size();
  lives.push_back({9, 0, 4, 17, 30});
  EXPECT_EQ(outcome(stack_of(lives), "stack"), Outcome::kViolation);
  EXPECT_EQ(judged(stack_of(lives), "stack").core.size(), 2 * in_core)
      << "the extreme value is not in the core";
  for (std::size_t i = 0; i < in_core; ++i) {
    EXPECT_EQ(outcome(stack_of(without(lives, i)), "stack"), Outcome::kHolds) << "no two values alone";
  }
}

// The deserted segment is [14,19].
TEST_F(Limo, Figure6PopsOfEmpty) {
  const Script base = stack_of({{1, 0, 2, 9, 16}, {2, 4, 7, 14, 17}, {3, 12, 19, 22, 24}});
  Script a = base;
  add(a, "pop:null", 130, 150);
  EXPECT_EQ(outcome(a, "stack"), Outcome::kHolds);
  Script b = a;
  add(b, "pop:null", 80, 110);
  EXPECT_EQ(outcome(b, "stack"), Outcome::kViolation);
  EXPECT_THAT(judged(b, "stack").core, ElementsAre(2, 3, 7)) << "the value that covers it";
}

// Value 5, with the T-segment [14,22], inside the I-segment [11,25] of value 3.
TEST_F(Limo, Figure8ACriticalPairOfAQueue) {
  const std::vector<Life> lives = {{1, 0, 4, 8, 10},   {2, 1, 8, 12, 13},   {3, 5, 11, 25, 28},
                                   {4, 6, 16, 27, 29}, {5, 14, 17, 20, 22}, {6, 18, 26, 30, 31}};
  const Script script = script_of(lives, "enqueue", "dequeue");
  EXPECT_EQ(outcome(script, "queue"), Outcome::kViolation);
  EXPECT_THAT(judged(script, "queue").core, ElementsAre(4, 5, 8, 9));
  for (const std::size_t i : {2U, 4U}) {
    EXPECT_EQ(outcome(script_of(without(lives, i), "enqueue", "dequeue"), "queue"), Outcome::kHolds);
  }
}

// What the released tool accepts: two values that one process enqueued one after the other, dequeued the other way round.
TEST_F(Limo, TheReleasedQueueMonitorAcceptsThis) {
  const std::vector<Life> lives = {
      {11, 0, 1, 9, 10}, {12, 2, 6, 11, 12}, {13, 3, 4, 15, 16}, {14, 5, 7, 13, 14}};
  const Script script = script_of(lives, "enqueue", "dequeue");
  EXPECT_EQ(outcome(script, "queue"), Outcome::kViolation);
  EXPECT_THAT(judged(script, "queue").core, ElementsAre(4, 5, 6, 7));
}

TEST_F(Limo, Lemma31OneValue) {
  EXPECT_EQ(outcome(stack_of({{1, 4, 5, 1, 2}}), "stack"), Outcome::kViolation) << "popped, then pushed";
}

TEST_F(Limo, Lemma31FewValuesBySearchToo) {
  for (int n = 2; n <= 7; ++n) {
    const std::vector<Life> lives = lemma_3_1(n);
    EXPECT_EQ(outcome(stack_of(lives), "stack"), Outcome::kViolation) << n;
    for (std::size_t i = 0; i < lives.size(); ++i) {
      EXPECT_EQ(outcome(stack_of(without(lives, i)), "stack"), Outcome::kHolds) << n << " without " << i;
    }
  }
}

TEST_F(Limo, Lemma31UpToFiftyValues) {
  for (int n = 2; n <= 50; ++n) {
    const std::vector<Life> lives = lemma_3_1(n);
    const MonitorVerdict verdict = judged(stack_of(lives), "stack");
    ASSERT_EQ(verdict.kind, MonitorVerdict::Kind::kViolation) << n;
    EXPECT_EQ(verdict.core.size(), 2 * lives.size()) << "no smaller core exists";
    for (std::size_t i = 0; i < lives.size(); ++i) {
      ASSERT_EQ(monitored(stack_of(without(lives, i)), "stack").outcome, Outcome::kHolds)
          << n << " without " << i;
    }
  }
}

// Nor has a priority queue small models: the largest value is taken out while a chain of smaller ones is inside.
TEST_F(Limo, APriorityQueueHasSuchHistoriesToo) {
  for (int n = 2; n <= 50; ++n) {
    std::vector<Life> lives;
    for (int v = 1; v < n; ++v) lives.push_back({v, 4 * v, 4 * v + 1, 4 * v + 6, 4 * v + 7});
    lives.push_back({n, 0, 1, 6, 4 * n + 1});
    const auto script = [](const std::vector<Life>& some) {
      return script_of(some, "insert", "extract_min");
    };
    ASSERT_EQ(monitored(script(lives), "priority-queue").outcome, Outcome::kViolation) << n;
    for (std::size_t i = 0; i < lives.size(); ++i) {
      ASSERT_EQ(monitored(script(without(lives, i)), "priority-queue").outcome, Outcome::kHolds)
          << n << " without " << i;
    }
  }
}

}  // namespace
}  // namespace plumb
