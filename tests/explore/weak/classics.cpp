// What sequential consistency hides: programs that pass there, and whose memory orders are too weak all the same.
#include <gtest/gtest.h>
#include <plumb/explore.hpp>

#include <array>
#include <atomic>
#include <memory>

namespace {

using Order = std::memory_order;
constexpr Order kRelaxed = std::memory_order_relaxed;
constexpr Order kAcquire = std::memory_order_acquire;
constexpr Order kRelease = std::memory_order_release;
constexpr Order kBoth = std::memory_order_acq_rel;
constexpr Order kSeqCst = std::memory_order_seq_cst;

plumb::ExploreOptions rc11() { return {.memory_model = plumb::MemoryModel::kRc11}; }

template <class F>
void expect_pass(const F& program) {
  const auto result = plumb::explore(program, rc11());
  EXPECT_TRUE(result.passed()) << result.text();
}
// Passes under sequential consistency, where races are not looked for.
template <class F>
plumb::Exploration expect_found_only_here(const F& program) {
  EXPECT_TRUE(plumb::explore(program, {.races = false}).passed());
  const auto found = plumb::explore(program, rc11());
  EXPECT_EQ(found.verdict, plumb::Outcome::kViolation) << found.text();
  EXPECT_FALSE(found.refused) << found.text();
  return found;
}

// The deque of Chase and Lev with the orders of Lê, Pop, Cohen and Zappa Nardelli (PPoPP 2013), without growing.
template <Order kTake, Order kSteal>
class Deque {
 public:
  void push(int value) {
    const long bottom = bottom_.load(kRelaxed);
    slots_[static_cast<std::size_t>(bottom % 8)].store(value, kRelaxed);
    std::atomic_thread_fence(kRelease);
    bottom_.store(bottom + 1, kRelaxed);
  }
  int take() {
    const long bottom = bottom_.load(kRelaxed) - 1;
    bottom_.store(bottom, kRelaxed);
    std::atomic_thread_fence(kTake);
    long top = top_.load(kRelaxed);
    if (top > bottom) {
      bottom_.store(bottom + 1, kRelaxed);
      return 0;
    }
    int value = slots_[static_cast<std::size_t>(bottom % 8)].load(kRelaxed);
    if (top == bottom) {
      if (!top_.compare_exchange_strong(top, top + 1, kSeqCst, kRelaxed)) value = 0;
      bottom_.store(bottom + 1, kRelaxed);
    }
    return value;
  }
  int steal() {
    long top = top_.load(kAcquire);
    std::atomic_thread_fence(kSteal);
    const long bottom = bottom_.load(kAcquire);
    if (top >= bottom) return 0;
    const int value = slots_[static_cast<std::size_t>(top % 8)].load(kRelaxed);
    return top_.compare_exchange_strong(top, top + 1, kSeqCst, kRelaxed) ? value : 0;
  }

 private:
  std::atomic<long> top_{0};
  std::atomic<long> bottom_{0};
  std::array<std::atomic<int>, 8> slots_{};
};

template <Order kTake, Order kSteal>
void takes_and_steals(plumb::Program& program) {
  Deque<kTake, kSteal> deque;
  std::array<int, 4> got{};
  program.thread([&] {
    deque.push(1);
    deque.push(2);
    got[0] = deque.take();
    got[1] = deque.take();
  });
  program.thread([&] {
    got[2] = deque.steal();
    got[3] = deque.steal();
  });
  program.run();
  for (std::size_t i = 0; i < got.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) program.require(got[i] == 0 || got[i] != got[j], "taken twice");
  }
}

TEST(WeakClassics, ChaseLevNeedsBothFences) {
  expect_pass(&takes_and_steals<kSeqCst, kSeqCst>);
  EXPECT_EQ(expect_found_only_here(&takes_and_steals<kBoth, kSeqCst>).message, "taken twice");
  EXPECT_EQ(expect_found_only_here(&takes_and_steals<kSeqCst, kBoth>).message, "taken twice");
}

TEST(WeakClassics, RandomSearchFindsTheFence) {
  auto options = rc11();
  options.order = plumb::SearchOrder::kRandom;
  EXPECT_EQ(plumb::explore(&takes_and_steals<kBoth, kSeqCst>, options).message, "taken twice");
  const auto right = plumb::explore(&takes_and_steals<kSeqCst, kSeqCst>, options);
  EXPECT_EQ(right.verdict, plumb::Outcome::kUnknown) << right.text();
  EXPECT_EQ(right.ended_by, plumb::SearchEnd::kExecutions);
}

template <Order kWrite, Order kRead>
void publishes(plumb::Program& program) {
  std::atomic<bool> ready{false};
  int data = 0;
  program.thread([&] {
    data = 42;
    ready.store(true, kWrite);
  });
  program.thread([&] {
    if (ready.load(kRead)) program.require(data == 42, "the data is old");
  });
  program.run();
}

TEST(WeakClassics, Publication) {
  expect_pass(&publishes<kRelease, kAcquire>);
  EXPECT_EQ(expect_found_only_here(&publishes<kRelaxed, kAcquire>).kind, plumb::FindingKind::kRace);
  EXPECT_EQ(expect_found_only_here(&publishes<kRelease, kRelaxed>).kind, plumb::FindingKind::kRace);
}

// Memory that the reader does not know to be allocated.
template <Order kWrite>
void publishes_a_node(plumb::Program& program) {
  std::atomic<std::atomic<int>*> shared{nullptr};
  program.thread([&] { shared.store(new std::atomic<int>(7), kWrite); });
  program.thread([&] {
    if (std::atomic<int>* node = shared.load(kAcquire))
      program.require(node->load(kRelaxed) == 7, "not there yet");
  });
  program.run();
  delete shared.load();
}

TEST(WeakClassics, PublicationOfMemory) {
  expect_pass(&publishes_a_node<kRelease>);
  EXPECT_EQ(expect_found_only_here(&publishes_a_node<kRelaxed>).kind, plumb::FindingKind::kRace);
}

template <Order kFlag, Order kTurn>
void peterson(plumb::Program& program) {
  std::array<std::atomic<bool>, 2> wants{};
  std::atomic<int> turn{0};
  int count = 0;
  for (int self = 0; self < 2; ++self) {
    program.thread([&, self] {
      const int other = 1 - self;
      wants[static_cast<std::size_t>(self)].store(true, kFlag);
      turn.store(other, kTurn);
      while (wants[static_cast<std::size_t>(other)].load(kFlag == kRelease ? kAcquire : kFlag) &&
             turn.load(kTurn == kRelease ? kAcquire : kTurn) == other) {
      }
      ++count;
      wants[static_cast<std::size_t>(self)].store(false, kFlag);
    });
  }
  program.check([&] { return count == 2; });
}

TEST(WeakClassics, PetersonNeedsSequentialConsistency) {
  expect_pass(&peterson<kSeqCst, kSeqCst>);
  EXPECT_EQ(expect_found_only_here(&peterson<kRelease, kRelease>).kind, plumb::FindingKind::kRace);
}

// A sequence lock whose data is atomic: Boehm, MSPC 2012.
template <Order kWriterFence, Order kReaderFence>
void sequence_lock(plumb::Program& program) {
  std::atomic<int> sequence{0};
  std::atomic<int> x{0};
  std::atomic<int> y{0};
  program.thread([&] {
    sequence.store(1, kRelaxed);
    std::atomic_thread_fence(kWriterFence);
    x.store(1, kRelaxed);
    y.store(1, kRelaxed);
    sequence.store(2, kRelease);
  });
  program.thread([&] {
    const int before = sequence.load(kAcquire);
    const int a = x.load(kRelaxed);
    const int b = y.load(kRelaxed);
    std::atomic_thread_fence(kReaderFence);
    if (before % 2 == 0 && sequence.load(kRelaxed) == before) program.require(a == b, "torn");
  });
  program.run();
}

TEST(WeakClassics, ASequenceLockNeedsItsFences) {
  expect_pass(&sequence_lock<kRelease, kAcquire>);
  EXPECT_EQ(expect_found_only_here(&sequence_lock<kAcquire, kAcquire>).message, "torn");
  EXPECT_EQ(expect_found_only_here(&sequence_lock<kRelease, kRelease>).message, "torn");
}

// Sixteen bytes at once.
struct alignas(16) Pair {
  long a = 0;
  long b = 0;
  bool operator==(const Pair&) const = default;
};

void wide(plumb::Program& program) {
  std::atomic<Pair> pair{};
  program.thread([&] { pair.store({1, 1}, kRelaxed); });
  program.thread([&] {
    Pair expected = pair.exchange({2, 2}, kRelaxed);
    pair.compare_exchange_strong(expected, {3, 3}, kRelaxed);  // fails
  });
  program.thread([&] {
    const Pair seen = pair.load(kRelaxed);
    program.require(seen.a == seen.b, "torn");
  });
  program.run();
  program.observe(std::to_string(pair.load().a));
}

// A fence against the compiler alone orders nothing between threads.
void fence_for_signals(Order order) { std::atomic_signal_fence(order); }
void fence_for_threads(Order order) { std::atomic_thread_fence(order); }

template <void (*kFence)(Order)>
void is_told_by_fences(plumb::Program& program) {
  std::atomic<int> data{0};
  std::atomic<bool> ready{false};
  program.thread([&] {
    data.store(1, kRelaxed);
    kFence(kRelease);
    ready.store(true, kRelaxed);
  });
  program.thread([&] {
    if (!ready.load(kRelaxed)) return;
    kFence(kAcquire);
    program.require(data.load(kRelaxed) == 1, "told too early");
  });
  program.run();
}

TEST(WeakClassics, FencesForSignalsOrderNothingBetweenThreads) {
  expect_pass(&is_told_by_fences<&fence_for_threads>);
  const auto found = expect_found_only_here(&is_told_by_fences<&fence_for_signals>);
  EXPECT_EQ(found.message, "told too early");
}

// What the library makes of pointers that are counted: a lock in a bit, with the orders that are asked for.
template <Order kStore>
void hands_over_an_object(plumb::Program& program) {
  std::atomic<std::shared_ptr<int>> handed;
  program.thread([&] {
    auto made = std::make_shared<int>(0);
    *made = 7;
    handed.store(made, kStore);
  });
  program.thread([&] {
    if (const auto seen = handed.load(kAcquire)) program.require(*seen == 7, "not made yet");
  });
  program.thread([&] {
    std::shared_ptr<int> none;
    handed.compare_exchange_strong(none, std::make_shared<int>(7), kBoth, kAcquire);
  });
  program.run();
  program.check([&] { return *handed.load() == 7; });
}

TEST(WeakClassics, AtomicSharedPointers) { expect_pass(&hands_over_an_object<kRelease>); }

TEST(WeakClassics, SixteenBytes) {
  const auto all = plumb::explore(&wide, rc11());
  EXPECT_TRUE(all.passed()) << all.text();
  EXPECT_EQ(all.outcomes.size(), 2U);
}

// Threads come in two phases; in between one thread is alone and sees what was left.
void phases(plumb::Program& program) {
  std::atomic<int> value{0};
  for (int thread = 0; thread < 2; ++thread) program.thread([&] { value.fetch_add(1, kRelaxed); });
  program.run();
  program.require(value.load(kRelaxed) == 2, "lost");
  value.store(10, kRelaxed);
  for (int thread = 0; thread < 2; ++thread) program.thread([&] { value.fetch_add(1, kRelaxed); });
  program.check([&] { return value.load(kRelaxed) == 12; });
}

TEST(WeakClassics, Phases) {
  const auto all = plumb::explore(&phases, rc11());
  EXPECT_TRUE(all.passed()) << all.text();
  EXPECT_EQ(all.executions, 4U);
}

// Memory that is used again, plainly and atomically.
void reuses(plumb::Program& program) {
  std::atomic<int> other{0};
  program.thread([&] {
    for (int round = 1; round < 3; ++round) {
      const auto number = std::make_unique<std::atomic<int>>(round);
      program.require(number->load(kRelaxed) == round, "an old value");
      number->store(5, kRelaxed);
      other.fetch_add(1, kRelaxed);
    }
  });
  program.thread([&] { other.fetch_add(1, kRelaxed); });
  program.run();
}

TEST(WeakClassics, MemoryIsUsedAgain) { expect_pass(&reuses); }

void overlapping(plumb::Program& program) {
  alignas(8) std::array<int, 2> words{};
  auto* both = reinterpret_cast<long*>(words.data());
  program.thread([&] { __atomic_store_n(both, 1, __ATOMIC_RELAXED); });
  program.thread([&] { __atomic_store_n(words.data(), 1, __ATOMIC_RELAXED); });
  program.run();
}

// One step, and then events without end.
void fences(plumb::Program& program) {
  std::atomic<int> value{0};
  program.thread([&] {
    value.store(1, kRelaxed);
    for (int i = 0; i < 40'000; ++i) std::atomic_thread_fence(kSeqCst);
  });
  program.thread([&] { value.store(2, kRelaxed); });
  program.run();
}

TEST(WeakOptions, WhatCannotBeExploredIsRefused) {
  EXPECT_TRUE(plumb::explore(&fences, rc11()).refused);
  const auto mixed = plumb::explore(&overlapping, rc11());
  EXPECT_TRUE(mixed.refused) << mixed.text();
  auto options = rc11();
  options.preemptions = 2;
  EXPECT_EQ(plumb::explore(&phases, options).kind, plumb::FindingKind::kBadOptions);
  options = rc11();
  options.order = plumb::SearchOrder::kPct;
  EXPECT_EQ(plumb::explore(&phases, options).kind, plumb::FindingKind::kBadOptions);
}

TEST(WeakOptions, ATokenOfOneModelIsRefusedByTheOther) {
  const auto weak = plumb::explore(&publishes<kRelaxed, kRelaxed>, rc11());
  const auto sequential = plumb::explore(&publishes<kRelaxed, kRelaxed>);
  EXPECT_EQ(plumb::explore(&publishes<kRelaxed, kRelaxed>, {.replay = weak.replay}).kind,
            plumb::FindingKind::kBadReplay);
  auto options = rc11();
  options.replay = sequential.replay;
  EXPECT_EQ(plumb::explore(&publishes<kRelaxed, kRelaxed>, options).kind, plumb::FindingKind::kBadReplay);
}

TEST(WeakOptions, ABudgetEndsAsUnknown) {
  auto options = rc11();
  options.executions = 1;
  const auto result = plumb::explore(&phases, options);
  EXPECT_EQ(result.verdict, plumb::Outcome::kUnknown);
  EXPECT_EQ(result.executions, 1U);
}

}  // namespace
