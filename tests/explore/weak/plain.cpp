// Plain accesses under the C++ memory model. What races is a finding; where races are allowed it is taken for relaxed, as if it were atomic.
#include <gtest/gtest.h>
#include <plumb/explore.hpp>

#include <array>
#include <atomic>
#include <cstring>
#include <string>

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

plumb::ExploreOptions rc11() { return {.memory_model = plumb::MemoryModel::kRc11}; }
plumb::ExploreOptions racing() {
  auto options = rc11();
  options.races = false;
  return options;
}

std::string outcomes_of(const plumb::Exploration& result) {
  std::string text;
  for (const auto& [outcome, executions] : result.outcomes) text += outcome + " ";
  return text;
}

// A race by default; else these executions, with these outcomes.
void expect_taken_for_relaxed(void (*program)(plumb::Program&), std::uint64_t executions,
                              const std::string& outcomes) {
  EXPECT_EQ(plumb::explore(program, rc11()).kind, plumb::FindingKind::kRace);
  const auto all = plumb::explore(program, racing());
  EXPECT_TRUE(all.passed()) << all.text();
  EXPECT_EQ(all.executions, executions);
  EXPECT_EQ(outcomes_of(all), outcomes);
}

void message(plumb::Program& program) {
  volatile int data = 0;
  volatile int flag = 0;
  int seen = 0;
  int got = 0;
  program.thread([&] {
    data = 1;
    flag = 1;
  });
  program.thread([&] {
    seen = flag;
    got = data;
  });
  program.run();
  program.observe(std::to_string(seen) + std::to_string(got));
}
TEST(WeakPlain, AMessageMayBeOld) { expect_taken_for_relaxed(&message, 4, "00 01 10 11 "); }

void buffered(plumb::Program& program) {
  std::array<volatile int, 2> values{};
  std::array<int, 2> seen{};
  for (std::size_t thread = 0; thread < 2; ++thread) {
    program.thread([&, thread] {
      values[thread] = 1;
      seen[thread] = values[1 - thread];
    });
  }
  program.run();
  program.observe(std::to_string(seen[0]) + std::to_string(seen[1]));
}
TEST(WeakPlain, StoresAreBuffered) { expect_taken_for_relaxed(&buffered, 4, "00 01 10 11 "); }

void counts(plumb::Program& program) {
  int count = 0;
  for (int thread = 0; thread < 2; ++thread) program.thread([&] { ++count; });
  program.run();
  program.observe(std::to_string(count));
}
// Reads: each takes 0, or the other's value; where both take 0 the two writes have two orders.
TEST(WeakPlain, AnUpdateIsLost) { expect_taken_for_relaxed(&counts, 4, "1 2 "); }

// The value of a plain write is known only after the hook, and is in a compare-exchange by then.
void links(plumb::Program& program) {
  struct Node {
    Node* next = nullptr;
    int value = 0;
  };
  std::array<Node, 3> nodes;
  std::atomic<Node*> head{nodes.data()};
  nodes[0].value = 1;
  for (std::size_t thread = 1; thread <= 2; ++thread) {
    program.thread([&, thread] {
      Node& mine = nodes[thread];
      mine.value = static_cast<int>(thread) + 1;
      Node* first = head.load(kRelaxed);
      do {
        mine.next = first;
      } while (!head.compare_exchange_weak(first, &mine, kRelaxed));
      if (mine.next->next != nullptr) mine.value += 10 * mine.next->value;
    });
  }
  program.run();
  std::string text;
  for (const Node* node = head; node != nullptr; node = node->next) text += std::to_string(node->value) + " ";
  program.observe(text);
}
TEST(WeakPlain, WhatIsPublishedTooEarlyIsOld) {
  EXPECT_EQ(plumb::explore(&links, rc11()).kind, plumb::FindingKind::kRace);
  const auto all = plumb::explore(&links, racing());
  EXPECT_TRUE(all.passed()) << all.text();
  EXPECT_EQ(outcomes_of(all), "2 3 1  23 2 1  3 2 1  32 3 1  ");
}

void refers(plumb::Program& program) {
  int value = 0;
  int seen = 0;
  program.thread([&] { std::atomic_ref(value).store(1, kRelaxed); });
  program.thread([&] { seen = value; });
  program.run();
  program.observe(std::to_string(seen));
}
TEST(WeakPlain, AtomicAndPlainAccessesRace) { expect_taken_for_relaxed(&refers, 2, "0 1 "); }

// Each word is read by itself.
void copies(plumb::Program& program) {
  struct Pair {
    long first = 0;
    long second = 0;
  };
  Pair shared;
  Pair seen;
  program.thread([&] {
    const Pair mine{1, 1};
    std::memcpy(&shared, &mine, sizeof mine);
  });
  program.thread([&] { std::memcpy(&seen, &shared, sizeof seen); });
  program.run();
  program.observe(std::to_string(seen.first) + std::to_string(seen.second));
}
TEST(WeakPlain, ACopyIsTorn) { expect_taken_for_relaxed(&copies, 4, "00 01 10 11 "); }

// What is written by itself is read by itself.
void writes_a_part(plumb::Program& program) {
  std::uint32_t word = 0;
  program.thread([&] { std::memset(&word, 1, 1); });
  program.thread([&] { std::memset(&word, 2, sizeof word); });
  program.run();
  program.observe(std::to_string(word));
}
TEST(WeakPlain, APartIsWritten) {
  const auto all = plumb::explore(&writes_a_part, racing());
  EXPECT_TRUE(all.passed()) << all.text();
  EXPECT_EQ(outcomes_of(all), "33686017 33686018 ");
}

struct alignas(8) Halves {
  std::uint32_t first = 0;
  std::uint32_t second = 0;
};

// Whoever reads all of it, and whatever raced first: a write of one half leaves the other as it is.
void writes_halves(plumb::Program& program) {
  Halves shared;
  Halves seen;
  program.thread([&] { shared.first = 1; });
  program.thread([&] { shared.second = 1; });
  program.thread([&] { std::memcpy(&seen, &shared, sizeof seen); });
  program.run();
  program.observe(std::to_string(shared.first) + std::to_string(shared.second) + "-" +
                  std::to_string(seen.first) + std::to_string(seen.second));
}
TEST(WeakPlain, NeighboursKeepTheirValues) {
  const auto all = plumb::explore(&writes_halves, racing());
  EXPECT_TRUE(all.passed()) << all.text();
  EXPECT_EQ(outcomes_of(all), "11-00 11-01 11-10 11-11 ");
  EXPECT_EQ(all.executions, 4U);
}

void reads_a_half_first(plumb::Program& program) {
  Halves shared;
  Halves seen;
  std::uint32_t before = 0;
  program.thread([&] {
    shared.second = 1;
    shared.first = 1;
  });
  program.thread([&] {
    before = shared.second;
    std::memcpy(&seen, &shared, sizeof seen);
  });
  program.run();
  program.observe(std::to_string(before) + std::to_string(seen.first) + std::to_string(seen.second));
}
TEST(WeakPlain, PartsAndWholesDoNotOverlap) {
  const auto all = plumb::explore(&reads_a_half_first, racing());
  EXPECT_TRUE(all.passed()) << all.text();
  EXPECT_EQ(outcomes_of(all), "000 001 010 011 101 111 ");
}

// What raced as one word is found to have an atomic variable in it.
void copies_an_atomic(plumb::Program& program) {
  Halves shared;
  Halves seen;
  program.thread([&] {
    shared.second = 1;
    std::atomic_ref(shared.first).store(1, kRelaxed);
  });
  program.thread([&] { std::memcpy(&seen, &shared, sizeof seen); });
  program.run();
  program.observe(std::to_string(seen.first) + std::to_string(seen.second));
}
TEST(WeakPlain, AnAtomicMayLieInWhatIsCopied) {
  const auto all = plumb::explore(&copies_an_atomic, racing());
  EXPECT_TRUE(all.passed()) << all.text();
  EXPECT_EQ(outcomes_of(all), "00 01 10 11 ");
}

// An atomic variable is one location: a plain write of a part of it leaves the rest as others have written it.
void writes_a_part_of_an_atomic(plumb::Program& program) {
  std::uint32_t word = 0;
  program.thread([&] { std::memset(&word, 1, 1); });
  program.thread([&] { std::memset(reinterpret_cast<char*>(&word) + 1, 1, 1); });
  program.thread([&] { std::atomic_ref(word).fetch_add(0x10000, kRelaxed); });
  program.run();
  program.observe(std::to_string(word));
}
TEST(WeakPlain, APartOfAnAtomicIsWritten) {
  const auto all = plumb::explore(&writes_a_part_of_an_atomic, racing());
  EXPECT_TRUE(all.passed()) << all.text();
  EXPECT_EQ(outcomes_of(all), "65793 ");
  EXPECT_EQ(all.executions, 6U);
}

// The value that the write leaves follows from what was read, in each execution.
void reads_a_part_of_an_atomic(plumb::Program& program) {
  std::uint32_t word = 0;
  std::uint32_t seen = 0;
  program.thread([&] { seen = std::atomic_ref(word).load(kRelaxed); });
  program.thread([&] { std::memset(&word, 1, 1); });
  program.thread([&] { std::atomic_ref(word).store(0x20202, kRelaxed); });
  program.run();
  program.observe(std::to_string(seen) + "-" + std::to_string(word));
}
TEST(WeakPlain, APartOfAnAtomicIsRead) {
  const auto all = plumb::explore(&reads_a_part_of_an_atomic, racing());
  EXPECT_TRUE(all.passed()) << all.text();
  EXPECT_EQ(outcomes_of(all), "0-131585 0-131586 1-131586 131585-131585 131586-131585 131586-131586 ");
  EXPECT_EQ(all.executions, 6U);
}

void spins(plumb::Program& program) {
  volatile bool ready = false;
  program.thread([&] { ready = true; });
  program.thread([&] {
    while (!ready) {
    }
  });
  program.run();
}
TEST(WeakPlain, APlainLoopWaits) {
  const auto all = plumb::explore(&spins, racing());
  EXPECT_TRUE(all.passed()) << all.text();
}

// Where nothing races, plain accesses of an atomic variable's memory see what happened before.
void ordered(plumb::Program& program) {
  int value = 0;
  std::atomic<bool> ready{false};
  int seen = 0;
  program.thread([&] {
    std::atomic_ref(value).store(1, kRelaxed);
    value = 2;
    ready.store(true, std::memory_order_release);
  });
  program.thread([&] {
    if (ready.load(std::memory_order_acquire)) seen = value + std::atomic_ref(value).load(kRelaxed);
  });
  program.run();
  program.observe(std::to_string(seen));
}
TEST(WeakPlain, WhatIsOrderedIsNoRace) {
  const auto all = plumb::explore(&ordered, rc11());
  EXPECT_TRUE(all.passed()) << all.text();
  EXPECT_EQ(outcomes_of(all), "0 4 ");
}

void overlaps(plumb::Program& program) {
  alignas(8) std::array<std::uint32_t, 2> words{};
  program.thread([&] { std::atomic_ref(words[0]).store(1); });
  program.thread([&] { reinterpret_cast<std::atomic<std::uint64_t>*>(words.data())->load(); });
  program.run();
}
TEST(WeakPlain, AtomicsOfTwoSizesAreRefused) {
  const auto result = plumb::explore(&overlaps, rc11());
  EXPECT_TRUE(result.refused) << result.text();
  EXPECT_NE(result.message.find("different sizes"), std::string::npos) << result.message;
}

// Allowed or not: who frees what others may still use has made a mistake.
void frees(plumb::Program& program) {
  auto* value = new int(1);
  std::atomic<int> count{0};
  program.thread([&] { count += *value; });
  program.thread([&] { delete value; });
  program.run();
}
TEST(WeakPlain, AFreeIsNoRaceThatIsAllowed) {
  EXPECT_EQ(plumb::explore(&frees, racing()).kind, plumb::FindingKind::kUseAfterFree);
}

}  // namespace
