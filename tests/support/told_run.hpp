// A run told to one monitor by itself, without another to fall back on.
#pragma once

#include <map>

#include <gtest/gtest.h>

#include "spec/bind.hpp"
#include "support/watched_run.hpp"
#include "watch/online.hpp"

namespace plumb::test {

// Values come into the table with the events, as in a real run.
inline Heard tell_all(const WatchedRun& run, const Model& model, OnlineMaker make) {
  const auto values = std::make_shared<Values>();
  const Values& given = *run.script.values;
  OnlineSetting setting{&model, values, values->import(given, run.script.initial)};
  const auto monitor = make(setting);
  std::map<std::size_t, OnlineOp> open;
  const auto tell = [&](Moment now, WatchedRun::Kind kind, std::size_t i) {
    const Op& op = run.script.operations[i];
    if (kind == WatchedRun::kCall) {
      const std::uint32_t operation = *find_operation(model, op.f);
      OnlineOp called{{i, i + 1, 0},
                      operation,
                      model.operations()[operation].role,
                      values->import(given, op.process),
                      {},
                      now};
      for (const Value arg : op.args) called.args.push_back(values->import(given, arg));
      open[i] = std::move(called);
      return monitor->call(open[i], now);
    }
    const OnlineOp ended = open[i];
    if (kind == WatchedRun::kFail) return monitor->fail(ended, now);
    if (kind == WatchedRun::kInfo) return monitor->lose(ended, now);
    const bool returns = model.operations()[ended.operation].returns != Returns::kNothing;
    return monitor->ret(ended, returns ? values->import(given, op.result.value_or(kNull)) : kNull, now);
  };
  for (std::size_t at = 0; at < run.steps.size(); ++at) {
    switch (tell(at + 1, run.steps[at].kind, run.steps[at].operation)) {
      case OnlineAnswer::kFine:
        break;
      case OnlineAnswer::kViolation:
        EXPECT_FALSE(monitor->take_alarm().operations.empty());
        return {at + 1, ""};
      case OnlineAnswer::kCannotJudge:
        if (!monitor->carry_on()) return {at + 1, monitor->why_not()};
    }
  }
  const auto last = monitor->settle(run.steps.size() + 1);
  return {last == OnlineAnswer::kViolation ? run.steps.size() + 1 : kNotHeard,
          last == OnlineAnswer::kCannotJudge ? monitor->why_not() : ""};
}

}  // namespace plumb::test
