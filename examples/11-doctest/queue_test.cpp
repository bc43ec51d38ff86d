// A test of plumb inside doctest: where it fails, the report is the message.
#include <doctest/doctest.h>
#include <plumb/plumb.hpp>

#include "queue.hpp"
#include "repaired_queue.hpp"

namespace {

template <class Q>
void operations(plumb::Test<Q>& test) {
  test.operation("push", &Q::push, plumb::values(1, 2));
  test.operation("pop", &Q::pop);
}

TEST_CASE("the faulty queue is linearizable") { CHECK(plumb::check<Queue>(operations<Queue>)); }

// Each subcase is a run of its own.
TEST_CASE_TEMPLATE("the repaired queue", Q, RepairedQueue) {
  plumb::TestOptions options{.threads = 2, .operations = 1};
  SUBCASE("with one operation") {}
  SUBCASE("with two") { options.operations = 2; }
  SUBCASE("with two, within a bound") { options.explore.preemptions = 1; }
  CHECK(plumb::check<Q>(operations<Q>, options));
}

}  // namespace
