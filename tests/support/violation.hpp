// Is what a violation says about itself true? Each claim is checked on its own, by search from nothing.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <plumb/check.hpp>

#include "support/oracle.hpp"
#include "support/script.hpp"

namespace plumb::test {

// The chosen operations with their times and results.
inline Script restrict_to(const History& history, std::span<const OperationId> chosen) {
  const Script all = Script::of(history);
  Script some = all;
  some.operations.clear();
  for (const OperationId i : chosen) some.operations.push_back(all.operations[i]);
  return some;
}

class ViolationChecker {
 public:
  ViolationChecker(const History& history, const Model& model, const Violation& violation)
      : history_(history), model_(model), violation_(violation), positions_(history) {}

  ::testing::AssertionResult check_all() const {
    if (violation_.reason.empty()) return ::testing::AssertionFailure() << "no reason";
    if (violation_.states.empty()) return ::testing::AssertionFailure() << "no state in which it was tried";
    for (const auto check : {&ViolationChecker::core_is_a_violation, &ViolationChecker::prefix_is_right,
                             &ViolationChecker::allowed_is_right}) {
      if (auto result = (this->*check)(); !result) return result;
    }
    return ::testing::AssertionSuccess();
  }

  ::testing::AssertionResult core_is_a_violation() const {
    const auto& core = violation_.operations;
    if (!std::ranges::is_sorted(core))
      return ::testing::AssertionFailure() << "the core is not in ascending order";
    if (std::ranges::find(core, violation_.stuck) == core.end()) {
      return ::testing::AssertionFailure() << "the stuck operation is not in the core";
    }
    const History sub = restrict_to(history_, core).build();
    const auto verdict = check(sub, model_, options(Engine::kBrute));
    if (!verdict || verdict->outcome != Outcome::kViolation || is_linearizable(sub, model_)) {
      return ::testing::AssertionFailure() << "the core alone is no violation:\n" << Script::of(sub).text();
    }
    return ::testing::AssertionSuccess();
  }

  // Everything of the core that returned before `stuck` stands in it; nothing that was called later does.
  ::testing::AssertionResult prefix_is_right() const {
    const auto& prefix = violation_.prefix;
    for (const OperationId i : violation_.operations) {
      const auto times = std::ranges::count(prefix, i);
      if (times > 1 || (times == 0 && returned_before(i))) {
        return ::testing::AssertionFailure()
               << "operation " << i << " stands " << times << " times in the prefix";
      }
    }
    for (const OperationId i : prefix) {
      if (positions_.call[i] > cut() || i == violation_.stuck ||
          history_.object(i) != history_.object(violation_.stuck)) {
        return ::testing::AssertionFailure() << "operation " << i << " must not stand in the prefix";
      }
    }
    if (auto in_time = respects_times(history_, prefix); !in_time) return in_time;
    return is_legal(history_, model_, prefix);
  }

  // What etcd is known to have done may be all that is known: that is no result to be listed.
  [[nodiscard]] bool is_less_than_an_answer(Value result, const Values& values) const {
    const std::string& f = history_.function_name(violation_.stuck);
    const bool is_revision = f == "put" || f == "lease_grant" || f == "lease_revoke";
    return model_.name() == "etcd" &&
           (result.is_null() || (!is_revision && values.kind(result) == ValueKind::kInteger));
  }

  // Sound: with an allowed result the truncated history is linearizable. Complete: with any other it is not.
  ::testing::AssertionResult allowed_is_right() const {
    Values values(&history_.values());
    std::vector<std::string> checked;
    for (const std::string& text : violation_.allowed) {
      const Value result = value_from(text, values);
      if (!passes_with(result, values))
        return ::testing::AssertionFailure() << text << " is not allowed for the stuck operation";
      if (auto linearizable = truncated_is_linearizable(text); !linearizable) return linearizable;
      checked.push_back(text);
    }
    if (!violation_.allowed_complete) return ::testing::AssertionSuccess();
    for (const Value candidate : candidates(values)) {
      if (is_less_than_an_answer(candidate, values)) continue;
      const std::string text = values.to_json(candidate);
      if (std::ranges::find(checked, text) == checked.end() && passes_with(candidate, values)) {
        return ::testing::AssertionFailure()
               << text << " would be allowed for operation " << violation_.stuck << ", but is not listed";
      }
    }
    return ::testing::AssertionSuccess();
  }

 private:
  [[nodiscard]] std::size_t cut() const { return positions_.ret[violation_.stuck]; }
  [[nodiscard]] bool returned_before(OperationId i) const { return positions_.ret[i] < cut(); }

  // Up to and with the return of `stuck`, which gives `result`: is there an order? What is still open may
  // take part, with the result it will have.
  [[nodiscard]] bool passes_with(Value result, const Values& values) const {
    std::vector<Trial> trials;
    for (const OperationId i : violation_.operations) {
      const bool stuck = i == violation_.stuck;
      trials.push_back({call_of(history_, model_, i), stuck ? result : result_of(history_, model_, i),
                        positions_.call[i], positions_.ret[i], stuck || returned_before(i)});
    }
    const auto states = std::move(model_.states(values, history_.initial()).value());
    return Explains(std::move(trials), *states)();
  }

  // One of the history's values, whatever it is, or a simple one that is new.
  Value value_from(const std::string& text, Values& values) const {
    for (OperationId i = 0; i < history_.size(); ++i) {
      for (const Value arg : history_.args(i)) {
        if (values.to_json(arg) == text) return arg;
      }
      if (history_.has_result(i) && values.to_json(history_.result(i)) == text) return history_.result(i);
    }
    return value_of(text, values);
  }

  // The same by the brute-force engine, on a history in which what is still open is pending.
  [[nodiscard]] ::testing::AssertionResult truncated_is_linearizable(const std::string& result) const {
    Script cut_off = restrict_to(history_, violation_.operations);
    for (std::size_t k = 0; k < violation_.operations.size(); ++k) {
      const OperationId i = violation_.operations[k];
      Op& op = cut_off.operations[k];
      if (i == violation_.stuck) {
        op.result = value_from(result, *cut_off.values);
      } else if (!returned_before(i)) {
        op.ret = kNever;
        op.result.reset();
        if (!model_.depends_on_process()) {  // its process may go on at an equal time
          op.process = cut_off.values->string("open " + std::to_string(i));
        }
      }
    }
    const auto history = cut_off.try_build();
    if (!history) return ::testing::AssertionSuccess();  // no history: a process with two open operations
    const auto verdict = check(*history, model_, options(Engine::kBrute));
    if (verdict && verdict->outcome == Outcome::kHolds) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "a violation with the allowed result " << result << ":\n"
                                         << cut_off.text();
  }

  // Small values of the right type, and what the history mentions.
  [[nodiscard]] std::vector<Value> candidates(Values& values) const {
    const Returns returns =
        model_.operations()[call_of(history_, model_, violation_.stuck).operation].returns;
    if (returns == Returns::kNothing) return {};
    std::vector<Value> all = {kNull, kFalse, kTrue};
    for (int n = -2; n <= 5; ++n) all.push_back(Value::small(n));
    for (const char* text : {"", "a", "b", "aa", "ab", "ba", "bb"}) all.push_back(values.string(text));
    for (OperationId i = 0; i < history_.size(); ++i) {
      if (history_.has_result(i)) all.push_back(history_.result(i));
    }
    std::erase_if(all,
                  [&](Value v) { return !fits(returns, values.kind(v)) || !is_known_result(v, values); });
    return all;
  }
  static bool fits(Returns returns, ValueKind kind) {
    switch (returns) {
      case Returns::kBool:
        return kind == ValueKind::kBool;
      case Returns::kInteger:
        return kind == ValueKind::kInteger;
      case Returns::kString:
        return kind == ValueKind::kString;
      default:
        return true;
    }
  }
  // Not one that says less than what happened, as a read of a multi-register whose answer is not known.
  [[nodiscard]] bool is_known_result(Value v, const Values& values) const {
    if (model_.name() != "multi-register") return true;
    return !v.is_null() && values.to_json(v).find("null") == std::string::npos &&
           (history_.function_name(violation_.stuck) != "txn" ||
            !model_.validate(call_of(history_, model_, violation_.stuck), v, values));
  }

  const History& history_;
  const Model& model_;
  const Violation& violation_;
  Positions positions_;
};

}  // namespace plumb::test
