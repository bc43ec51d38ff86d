// A test of plumb inside GoogleTest: where it fails, the report is the message.
#include <gtest/gtest.h>
#include <plumb/plumb.hpp>

#include "queue.hpp"
#include "repaired_queue.hpp"

namespace {

template <class Q>
void operations(plumb::Test<Q>& test) {
  test.operation("push", &Q::push, plumb::values(1, 2));
  test.operation("pop", &Q::pop);
}

TEST(Queue, IsLinearizable) { EXPECT_TRUE(plumb::check<Queue>(operations<Queue>)); }

TEST(RepairedQueue, IsLinearizable) {
  EXPECT_TRUE(plumb::check<RepairedQueue>(operations<RepairedQueue>, {.threads = 2}));
}

// A typed test has the class as its parameter.
template <class Q>
class AnyQueue : public testing::Test {};
using Queues = testing::Types<RepairedQueue>;
TYPED_TEST_SUITE(AnyQueue, Queues);

TYPED_TEST(AnyQueue, IsLinearizable) {
  EXPECT_TRUE(plumb::check<TypeParam>(operations<TypeParam>, {.threads = 2, .operations = 1}));
}

}  // namespace
