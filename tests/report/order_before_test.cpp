// The longest explainable beginning of a history with a violation.
#include "report/order_before.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include <plumb/explain.hpp>
#include <plumb/generate.hpp>

namespace plumb {
namespace {

// Everything that returned before the impossible return is in it, nothing that was called
// after, and the model runs it.
TEST(OrderBefore, HoldsWhatHappenedBeforeTheImpossibleReturn) {
  for (const char* name : {"queue", "stack", "register", "map", "set", "counter"}) {
    GenerateOptions options;
    options.model = name;
    options.operations = 400;
    options.overlap = 0.8;
    options.pending = 0.01;
    options.spoil = true;
    const auto generated = generate(options);
    const History& history = generated->history;
    const Model& model = *find_model(name).value();
    const OperationId last = *generated->spoiled;
    const auto order = order_before(history, model, last, {});
    ASSERT_TRUE(order.has_value()) << name;
    EXPECT_EQ(walk(history, model, *order).size(), order->size()) << name;
    for (OperationId i = 0; i < history.size(); ++i) {
      const bool is_there = std::ranges::find(*order, i) != order->end();
      const bool must_be = i != last && history.ret(i) < history.ret(last);
      const bool must_not_be = i == last || history.call(i) > history.ret(last);
      EXPECT_TRUE(is_there ? !must_not_be : !must_be) << name << " " << i;
    }
  }
}

TEST(OrderBefore, IsNothingWhereThatIsAViolationToo) {
  HistoryBuilder builder;
  const FunctionId read = builder.function("read");
  builder.add(Value::small(0), read, {}, {Value::small(1)}, 0, 1);
  builder.add(Value::small(0), read, {}, {Value::small(2)}, 2, 3);
  const History history = builder.finish().value();
  const Model& model = *find_model("register").value();
  EXPECT_FALSE(order_before(history, model, 1, {}).has_value());
  EXPECT_EQ(order_before(history, model, 0, {}), std::vector<OperationId>{});
}

}  // namespace
}  // namespace plumb
