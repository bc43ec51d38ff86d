// Runs for a watcher: events in order, with failed and lost operations, held against the
// definition at every event.
#pragma once

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <plumb/watch.hpp>

#include "base/rng.hpp"
#include "support/oracle.hpp"
#include "support/script.hpp"

namespace plumb::test {

inline constexpr std::size_t kNotHeard = ~std::size_t{0};

// When an alarm is due: with the event that makes the violation certain, when nothing is open the
// next time, or at the end.
enum class Due { kAtOnce, kAtQuiescence, kAtTheEnd };

struct WatchedRun {
  enum Kind { kCall, kOk, kFail, kInfo };
  struct Step {
    Kind kind;
    std::size_t operation;
  };
  Script script;  // what is not pending, with its result
  std::vector<Step> steps;

  static WatchedRun of(const History& history) {
    WatchedRun run{Script::of(history), {}};
    for (const Event event : history.events())
      run.steps.push_back({event.is_return() ? kOk : kCall, event.operation()});
    return run;
  }

  // Some of the returns become failures, some of what is open is lost.
  void lose_some(Rng& rng, double failures) {
    std::map<std::size_t, std::size_t> open;  // by operation, its call
    for (std::size_t at = 0; at < steps.size(); ++at) {
      if (steps[at].kind == kCall) {
        open[steps[at].operation] = at;
      } else {
        open.erase(steps[at].operation);
        if (rng.chance(failures)) steps[at].kind = kFail;
      }
    }
    // By call, its operation: from the last one on, no other call moves.
    std::map<std::size_t, std::size_t> lost;
    for (const auto& [operation, call] : open) lost[call] = operation;
    for (auto it = lost.rbegin(); it != lost.rend(); ++it) {
      if (rng.below(2) == 0) continue;
      const auto where = it->first + 1 + rng.below(steps.size() - it->first);
      steps.insert(steps.begin() + static_cast<std::ptrdiff_t>(where), {kInfo, it->second});
    }
  }

  // The first events as a history: what failed never was.
  [[nodiscard]] Script first(std::size_t end) const {
    std::map<std::size_t, Op> found;
    for (std::size_t at = 0; at < end; ++at) {
      const auto& [kind, i] = steps[at];
      if (kind == kCall) {
        Op op = script.operations[i];
        op.call = static_cast<Time>(at);
        op.ret = kNever;
        op.result.reset();
        found[i] = std::move(op);
      } else if (kind == kFail) {
        found.erase(i);
      } else if (kind == kOk) {
        found[i].ret = static_cast<Time>(at);
        found[i].result = script.operations[i].result;
      }
    }
    Script some = script;
    some.operations.clear();
    for (auto& [i, op] : found) some.operations.push_back(std::move(op));
    return some;
  }

  [[nodiscard]] std::string text() const {
    std::string out;
    for (const Step& step : steps) {
      const Op& op = script.operations[step.operation];
      std::string args;
      for (const Value arg : op.args) args += " " + script.values->to_json(arg);
      out += fmt::format("{} {} {}{}{}\n", script.values->to_json(op.process),
                         std::array{"call", "ok", "fail", "info"}[step.kind], op.f, args,
                         step.kind == kOk ? " -> " + script.values->to_json(op.result.value_or(kNull)) : "");
    }
    return out;
  }

  // How many events there are when the first prefix that is not linearizable ends.
  [[nodiscard]] std::size_t first_impossible(const Model& model) const {
    for (std::size_t end = 1; end <= steps.size(); ++end) {
      const Kind kind = steps[end - 1].kind;
      if ((kind == kOk || kind == kFail) && !is_linearizable(first(end).build(), model)) return end;
    }
    return kNotHeard;
  }

  // The first moment from this one on at which nothing is open; the end, if there is none.
  [[nodiscard]] std::size_t quiescent_from(std::size_t at) const {
    std::size_t open = 0;
    for (std::size_t end = 1; end <= steps.size(); ++end) {
      open += steps[end - 1].kind == kCall ? 1 : steps[end - 1].kind == kInfo ? 0 : -1;
      if (end >= at && open == 0) return end;
    }
    return steps.size() + 1;
  }
};

struct Heard {
  std::size_t at = kNotHeard;  // after how many events the alarm came; their number + 1: only at the end
  std::string unjudged;
};

inline Heard watch(const WatchedRun& run, const Model& model) {
  auto values = std::make_shared<Values>();
  const Values& given = *run.script.values;
  WatchOptions options;
  options.initial = values->import(given, run.script.initial);
  Watcher watcher = std::move(Watcher::make(model, values, options).value());
  for (std::size_t at = 0; at < run.steps.size(); ++at) {
    const Op& op = run.script.operations[run.steps[at].operation];
    const Value process = values->import(given, op.process);
    const auto tell = [&]() -> Watcher::Answer {
      switch (run.steps[at].kind) {
        case WatchedRun::kCall: {
          std::vector<Value> args;
          for (const Value arg : op.args) args.push_back(values->import(given, arg));
          return watcher.call(process, op.f, args, values->import(given, op.object.value_or(kNull)));
        }
        case WatchedRun::kOk:
          return watcher.ret(process,
                             {values->import(given, op.result.value_or(kNull)), op.result.has_value()});
        case WatchedRun::kFail:
          return watcher.fail(process);
        default:
          return watcher.info(process);
      }
    };
    const auto answer = tell();
    if (!answer) return {at + 1, answer.error().text()};
    if (*answer) {
      EXPECT_FALSE((*answer)->reason.empty());
      return {at + 1, watcher.unjudged()};
    }
  }
  const auto last = watcher.settle();
  return {last.value() ? run.steps.size() + 1 : kNotHeard, watcher.unjudged()};
}

// Never too early, and not later than due.
inline ::testing::AssertionResult agrees(const WatchedRun& run, const Heard& heard, const Model& model,
                                         Due due) {
  if (!heard.unjudged.empty())
    return ::testing::AssertionFailure() << "not judged: " << heard.unjudged << "\n" << run.text();
  const std::size_t truth = run.first_impossible(model);
  const std::size_t latest = truth == kNotHeard          ? kNotHeard
                             : due == Due::kAtOnce       ? truth
                             : due == Due::kAtQuiescence ? run.quiescent_from(truth)
                                                         : run.steps.size() + 1;
  if (truth <= heard.at && heard.at <= latest) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << model.name() << ": alarm after event " << static_cast<std::int64_t>(heard.at)
         << ", by the definition after " << static_cast<std::int64_t>(truth) << ", due at "
         << static_cast<std::int64_t>(latest) << "\n"
         << run.text();
}
inline ::testing::AssertionResult agrees(const WatchedRun& run, const Model& model, Due due) {
  return agrees(run, watch(run, model), model, due);
}

}  // namespace plumb::test
