// Random histories of any model: a simulated run, which is linearizable, then spoiled a little.
//
// The run knows processes that are idle, have called, or have called and taken effect; at each step one of
// them moves on. What it gives is linearizable by construction. Then some results, arguments and times are
// changed: the histories are nearly right, which is where an engine errs.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plumb/model.hpp>

#include "base/rng.hpp"
#include "support/script.hpp"

namespace plumb::test {

struct RandomShape {
  std::size_t processes = 3;
  std::size_t operations = 8;
  std::size_t objects = 1;
  double crash = 0.05;  // the chance that an operation never returns
  double spoil = 0.6;   // the chance that a history is changed at all
  Time coarseness = 1;  // times are divided by this: above 1, some are equal
  bool filled = false;  // something is there from the beginning, where the model has that
  std::vector<std::string_view> functions = {};  // only these are called, and with no nulls; empty: all
  bool peeks = false;                            // all: also those that look at what comes out next
};

class RandomHistory {
 public:
  RandomHistory(const Model& model, const RandomShape& shape, std::uint64_t seed)
      : model_(model), shape_(shape), rng_(seed) {}

  Script make() {
    simulate();
    if (rng_.chance(shape_.spoil)) {
      for (std::size_t changes = 1 + rng_.below(3); changes > 0; --changes) spoil();
    }
    for (Op& op : script_.operations) {
      op.call /= shape_.coarseness;
      if (!op.is_pending()) op.ret /= shape_.coarseness;
    }
    return std::move(script_);
  }

 private:
  struct Object {
    std::unique_ptr<States> states;
    StateId state = 0;
  };
  struct Process {
    std::optional<std::size_t> running;
    bool took_effect = false;
    bool crashed = false;
  };

  void simulate() {
    script_.initial = initial();
    std::vector<Op> calls;  // made first: the table of values must not grow under a States
    for (std::size_t i = 0; i < shape_.operations; ++i) calls.push_back(random_call());
    std::vector<Object> objects(shape_.objects);
    std::vector<Process> processes(shape_.processes);
    std::vector<std::string> results(shape_.operations);  // as JSON
    Time now = 0;
    for (std::size_t steps = 0; steps < 20 * shape_.operations; ++steps) {
      const std::size_t p = rng_.below(processes.size());
      Process& process = processes[p];
      if (process.crashed) continue;
      if (!process.running) {
        const std::size_t next = script_.operations.size();
        if (next == calls.size()) continue;
        process.running = next;
        process.took_effect = false;
        script_.operations.push_back(calls[next]);
        script_.operations.back().process = Value::small(static_cast<std::int64_t>(p));
        script_.operations.back().call = now++;
      } else if (!process.took_effect) {
        process.took_effect =
            take_effect(script_.operations[*process.running], objects, results[*process.running]);
        if (rng_.chance(shape_.crash)) process.crashed = true;
      } else {
        script_.operations[*process.running].ret = now++;
        process.running.reset();
      }
    }
    for (std::size_t i = 0; i < script_.operations.size(); ++i) {
      Op& op = script_.operations[i];
      if (!op.is_pending()) op.result = value_of(results[i], *script_.values);
    }
  }

  // False when the operation cannot happen now: it goes on waiting.
  bool take_effect(const Op& op, std::vector<Object>& objects, std::string& result_text) {
    Object& object = objects[op.object ? static_cast<std::size_t>(op.object->small_integer()) : 0];
    if (!object.states) {
      object.states = std::move(model_.states(*script_.values, script_.initial).value());
      object.state = object.states->initial();
    }
    const Call call = {find_operation(model_, op.f).value(), op.process, op.args};
    const auto results = object.states->results(object.state, call);
    if (results.empty()) return false;
    const Value result = results[rng_.below(results.size())];
    std::vector<StateId> next;
    object.states->step(object.state, call, result, next);
    object.state = next[rng_.below(next.size())];
    result_text = object.states->values().to_json(result);
    return true;
  }

  void spoil() {
    if (script_.operations.empty()) return;
    Op& op = script_.operations[rng_.below(script_.operations.size())];
    if (op.is_pending()) return;
    switch (rng_.below(6)) {
      case 0:  // shorter
        op.call += static_cast<Time>(rng_.below(static_cast<std::uint64_t>(op.ret - op.call + 1)));
        op.ret = op.call + static_cast<Time>(rng_.below(static_cast<std::uint64_t>(op.ret - op.call + 1)));
        break;
      case 1: {  // lost, unless its process goes on
        for (const Op& other : script_.operations) {
          if (other.process == op.process && other.call > op.call) return;
        }
        op.ret = kNever;
        op.result.reset();
        break;
      }
      case 2:
        op.args = random_arguments(spec(op));
        if (spec(op).returns == Returns::kAny && op.f == "txn") op.result = random_result(op);
        break;
      default:
        op.result = random_result(op);
    }
  }

  [[nodiscard]] const OperationSpec& spec(const Op& op) const {
    return model_.operations()[find_operation(model_, op.f).value()];
  }

  Op random_call() {
    const auto operations = model_.operations();
    const auto& few = shape_.functions;
    const auto peeks = shape_.peeks ? 0 : std::ranges::count_if(operations, is_peek, &OperationSpec::role);
    const std::size_t at = few.empty() ? rng_.below(operations.size() - static_cast<std::size_t>(peeks))
                                       : find_operation(model_, few[rng_.below(few.size())]).value();
    const OperationSpec& chosen = operations[at];
    Op op{kNull, chosen.name, random_arguments(chosen), std::nullopt};
    if (shape_.objects > 1) op.object = Value::small(static_cast<std::int64_t>(rng_.below(shape_.objects)));
    return op;
  }

  std::vector<Value> random_arguments(const OperationSpec& chosen) {
    const std::size_t arity = chosen.takes.size() - rng_.below(chosen.optional + 1);
    std::vector<Value> args;
    if (chosen.name == "putAll") return {entries()};
    if (model_.name() == "etcd") return etcd_arguments(chosen.name);
    for (std::size_t i = 0; i < arity; ++i) args.push_back(random_argument(chosen.takes[i]));
    return args;
  }
  Value small() { return Value::small(1 + static_cast<std::int64_t>(rng_.below(2))); }
  Value random_argument(Takes takes) {
    switch (takes) {
      case Takes::kString:
        return script_.values->string(std::array{"", "a", "b"}[rng_.below(3)]);
      case Takes::kArray:
        return model_.name() == "multi-register" ? transaction() : list();
      case Takes::kAny:
        return shape_.functions.empty() && rng_.below(16) == 0 ? kNull : small();
      default:
        return small();
    }
  }
  Value random_result(const Op& op) {
    Values& values = *script_.values;
    if (!shape_.functions.empty()) {
      const Op& other = script_.operations[rng_.below(script_.operations.size())];
      if (other.f == op.f && other.result) return *other.result;
    }
    switch (spec(op).returns) {
      case Returns::kNothing:
        return kNull;
      case Returns::kBool:
        return Value::boolean(rng_.below(2) == 0);
      case Returns::kInteger:
        return Value::small(static_cast<std::int64_t>(rng_.below(5)));
      case Returns::kString:
        return values.string(std::array{"", "a", "b", "ab", "ba"}[rng_.below(5)]);
      case Returns::kAny:
        break;
    }
    if (op.f == "txn" && model_.name() != "etcd") return fill_in(op.args[0]);
    return rng_.below(3) == 0 ? kNull : small();
  }

  Value list() {
    std::vector<Value> items;
    for (std::size_t i = rng_.below(3); i > 0; --i) items.push_back(small());
    return script_.values->array(items);
  }
  Value entries() {
    std::vector<Value> pairs;
    for (std::size_t i = rng_.below(3); i > 0; --i) {
      pairs.push_back(script_.values->array(std::array{small(), small()}));
    }
    return script_.values->array(pairs);
  }

  std::vector<Value> etcd_arguments(std::string_view f) {
    Values& values = *script_.values;
    const auto list = [&](std::vector<Value> items) { return values.array(items); };
    const Value key = values.string(rng_.below(2) == 0 ? "a" : "b");
    if (f == "delete" || (f == "range" && rng_.below(2) == 0)) return {key};
    if (f == "range") return {key, values.string("z")};
    if (f == "put") return {key, small()};
    if (f == "defragment") return {};
    if (f != "txn" && f != "read_txn") return {small()};
    const Value condition =
        list({values.string("mod"), key, Value::small(static_cast<std::int64_t>(rng_.below(4)))});
    const Value write = list({values.string("put"), key, small()});
    return {list({condition}), list({write}), list({list({values.string("range"), key})})};
  }

  // [["read", 1, null], ["write", 2, 1]], one or two steps.
  Value transaction() {
    Values& values = *script_.values;
    std::vector<Value> steps;
    for (std::size_t i = 1 + rng_.below(2); i > 0; --i) {
      const bool writes = rng_.below(2) == 0;
      steps.push_back(values.array(
          std::array{values.string(writes ? "write" : "read"), small(), writes ? small() : kNull}));
    }
    return values.array(steps);
  }
  Value fill_in(Value transaction) {
    Values& values = *script_.values;
    std::vector<Value> steps;
    const auto given = values.as_array(transaction);  // in the table, which grows below
    for (const Value step : std::vector<Value>(given.begin(), given.end())) {
      const std::vector<Value> items(values.as_array(step).begin(), values.as_array(step).end());
      const bool reads = values.as_string(items[0]) == "read";
      const Value read = rng_.below(8) == 0 ? kNull : Value::small(static_cast<std::int64_t>(rng_.below(3)));
      steps.push_back(reads ? values.array(std::array{items[0], items[1], read}) : step);
    }
    return values.array(steps);
  }

  Value initial() {
    const auto few = Value::small(static_cast<std::int64_t>(1 + rng_.below(3)));
    const auto is = [&](std::string_view name) { return model_.name() == name; };
    if (is("semaphore") || is("java:ArrayBlockingQueue") || is("java:LinkedBlockingDeque")) return few;
    return shape_.filled ? filling() : kNull;
  }
  Value filling() {
    for (const Value given : {small(), list(), entries()}) {
      if (model_.states(*script_.values, given)) return given;
    }
    return kNull;
  }

  const Model& model_;
  RandomShape shape_;
  Rng rng_;
  Script script_;
};

}  // namespace plumb::test
