// Structures under RC11: with the orders that they need they pass, exhausted in everything small; with one that is too weak they are found,
// by a wrong result.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <plumb/plumb.hpp>

#include <functional>

#include "testing/weak/weak_subjects.hpp"

namespace {

using namespace plumb_tests;
using ::testing::HasSubstr;

plumb::TestOptions small() {
  return {.threads = 2, .operations = 2, .jobs = 1, .memory_model = plumb::MemoryModel::kRc11};
}

template <class S>
void stack_or_queue(plumb::Test<S>& test) {
  test.operation("push", &S::push, plumb::values(1, 2));
  test.operation("pop", &S::pop);
  test.allow_leaks();
}
template <class S>
void deque(plumb::Test<S>& test) {
  test.operation("push", &S::push, plumb::values(1, 2)).one_thread("owner");
  test.operation("take", &S::take).one_thread("owner");
  test.operation("steal", &S::steal);
  // With one item left owner and thief exchange the same word, which is right whatever the fences are.
  test.before(plumb::call("push", 1));
  test.before(plumb::call("push", 2));
}
template <class S>
void ring(plumb::Test<S>& test) {
  test.operation("push", &S::push, plumb::values(1, 2)).one_thread("producer");
  test.operation("pop", &S::pop).one_thread("consumer");
}
template <class S>
void versioned(plumb::Test<S>& test) {
  test.operation("write", &S::write, plumb::values(1, 2)).one_thread("writer");
  test.operation("read", &S::read);
}
template <class S>
void peterson(plumb::Test<S>& test) {
  test.operation("first", &S::first).one_thread("first");
  test.operation("second", &S::second).one_thread("second");
}
template <class S>
void counter(plumb::Test<S>& test) {
  test.operation("increment", &S::increment);
}

template <class S>
void expect_right(void (*define)(plumb::Test<S>&)) {
  const plumb::TestResult result = plumb::check<S>(define, small(), "right");
  EXPECT_TRUE(result.passed()) << result.report;
  EXPECT_TRUE(result.exhausted);
  ASSERT_EQ(result.models.size(), 1U);
  EXPECT_EQ(result.models[0].memory_model, plumb::MemoryModel::kRc11);
  EXPECT_GT(result.models[0].executions, 0U);
}

template <class S>
plumb::TestResult expect_wrong(void (*define)(plumb::Test<S>&)) {
  const plumb::TestResult result = plumb::check<S>(define, small(), "wrong");
  EXPECT_EQ(result.verdict, plumb::Outcome::kViolation) << result.report;
  EXPECT_EQ(result.kind, plumb::ViolationKind::kNotLinearizable) << result.report;
  EXPECT_EQ(result.memory_model, plumb::MemoryModel::kRc11);
  plumb::TestOptions sequential = small();
  sequential.memory_model = plumb::MemoryModel::kSequential;
  const plumb::TestResult before = plumb::check<S>(define, sequential, "wrong");
  EXPECT_TRUE(before.passed()) << before.report;
  return result;
}

TEST(Rc11Structures, Stack) {
  expect_right(&stack_or_queue<WeakStack<>>);
  expect_right(&stack_or_queue<WeakStack<kSeqCst, kSeqCst>>);
  expect_wrong(&stack_or_queue<WeakStack<kRelaxed, kAcquire, FromPool>>);
  expect_wrong(&stack_or_queue<WeakStack<kRelease, kRelaxed, FromPool>>);
}

TEST(Rc11Structures, Queue) {
  expect_right(&stack_or_queue<WeakQueue<>>);
  expect_wrong(&stack_or_queue<WeakQueue<kAcquire, kRelaxed, kRelease, FromPool>>);
  expect_wrong(&stack_or_queue<WeakQueue<kRelaxed, kRelease, kRelease, FromPool>>);
}

TEST(Rc11Structures, Deque) {
  expect_right(&deque<ChaseLevDeque<>>);
  expect_wrong(&deque<ChaseLevDeque<kAcqRel, kSeqCst>>);
  expect_wrong(&deque<ChaseLevDeque<kSeqCst, kAcqRel>>);
}

TEST(Rc11Structures, Ring) {
  expect_right(&ring<SpscRing<>>);
  expect_wrong(&ring<SpscRing<kRelaxed, kAcquire>>);
  expect_wrong(&ring<SpscRing<kRelease, kRelaxed>>);
}

// Both sides may miss what the other has just done, where it is full for one and empty for the other. No serial order has both.
TEST(Rc11Structures, FullRing) { expect_right(&ring<SpscRing<kSeqCst, kSeqCst, 1>>); }

TEST(Rc11Structures, SeqLock) {
  expect_right(&versioned<SeqLock<>>);
  expect_wrong(&versioned<SeqLock<kRelaxed>>);
  expect_wrong(&versioned<SeqLock<kRelease, kAcquire>>);
  expect_wrong(&versioned<SeqLock<kRelease, kRelease, kRelease>>);
}

TEST(Rc11Structures, Locks) {
  expect_right(&peterson<PetersonCounter<>>);
  expect_wrong(&peterson<PetersonCounter<kRelease, kAcquire>>);
  expect_right(&counter<SpinLockCounter<>>);
  expect_wrong(&counter<SpinLockCounter<kRelaxed, kRelease>>);
  expect_wrong(&counter<SpinLockCounter<kAcquire, kRelaxed>>);
}

}  // namespace
