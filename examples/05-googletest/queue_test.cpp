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

}  // namespace
