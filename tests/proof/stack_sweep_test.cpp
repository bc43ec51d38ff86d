// The plain search for stacks against the definition, on random histories in which values repeat; and proofs that are too long
// for the search by contents.
#include "proof/stack_sweep.hpp"

#include <gtest/gtest.h>

#include <plumb/certificate.hpp>
#include <plumb/check.hpp>
#include <plumb/explain.hpp>
#include <plumb/generate.hpp>

#include "support/family_sweep.hpp"

namespace plumb {
namespace {

TEST(StackSweep, AgreesWithTheDefinition) { test::expect_sweep_agrees("stack", sweep_stack); }

// Four processes that are always busy, two values: the last pop is of a third one.
TEST(StackSweep, ProvesLongOnes) {
  GenerateOptions shape;
  shape.model = "stack";
  shape.operations = 3000;
  shape.processes = 4;
  shape.overlap = 1;
  shape.values = 2;
  shape.distinct = false;
  const History history = generate(shape).value().history;
  const auto bound = BoundHistory::bind(history, *find_model("stack").value());
  EXPECT_EQ(sweep_stack(*bound, history.events(), 10'000'000), FamilySwept::kPassed);
  EXPECT_EQ(sweep_stack(*bound, history.events(), 1000), FamilySwept::kGaveUp);

  HistoryBuilder builder;
  OperationId last = 0;
  for (OperationId op = 0; op < history.size(); ++op) {
    if (history.args(op).empty() && !history.result(op).is_null()) last = op;
  }
  for (OperationId op = 0; op < history.size(); ++op) {
    const Value result = op == last ? Value::small(99) : history.result(op);
    builder.add(history.process(op), builder.function(history.function_name(op)), history.args(op),
                {result, true}, history.call(op), history.ret(op));
  }
  const History spoiled = builder.finish().value();
  const Model& model = *find_model("stack").value();
  const auto verdict = check(spoiled, model);
  ASSERT_EQ(verdict->outcome, Outcome::kViolation);
  EXPECT_EQ(verdict->violation->stuck, last);
  const auto certificate = certify(spoiled, model, *verdict);
  ASSERT_TRUE(certificate.ok());
  const auto verification = verify(spoiled, model, *certificate);
  EXPECT_TRUE(verification->proved) << verification->reason;
}

}  // namespace
}  // namespace plumb
