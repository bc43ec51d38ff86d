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

// A test case over types, with sections: each is a run of its own.
TEMPLATE_TEST_CASE("a repaired queue is linearizable", "[repaired]", RepairedQueue) {
  plumb::TestOptions options{.threads = 2, .operations = 1};
  SECTION("with one operation") {}
  SECTION("with two") { options.operations = 2; }
  CHECK(plumb::check<TestType>(operations<TestType>, options));
}

// What is found is a value: matchers take its parts.
TEST_CASE("the queue loses a value", "[matchers]") {
  const plumb::TestResult result = plumb::check<Queue>(operations<Queue>);
  CHECK_THAT(result.report, Catch::Contains("pop()") && Catch::Contains("impossible"));
  CHECK(result.kind == plumb::ViolationKind::kNotLinearizable);
}
