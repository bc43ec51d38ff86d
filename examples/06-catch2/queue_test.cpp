// A test of plumb inside Catch2: where it fails, the report is the message.
#include <catch2/catch.hpp>
#include <plumb/plumb.hpp>

#include "queue.hpp"
#include "repaired_queue.hpp"

namespace {

template <class Q>
void operations(plumb::Test<Q>& test) {
  test.operation("push", &Q::push, plumb::values(1, 2));
  test.operation("pop", &Q::pop);
}

}  // namespace

TEST_CASE("the queue is linearizable", "[faulty]") { CHECK(plumb::check<Queue>(operations<Queue>)); }

TEST_CASE("the repaired queue is linearizable", "[repaired]") {
  CHECK(plumb::check<RepairedQueue>(operations<RepairedQueue>, {.threads = 2}));
}
