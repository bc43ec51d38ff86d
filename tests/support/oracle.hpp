// What the engines are held against: a search and a replay that share no code with them, only the model.
#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <plumb/check.hpp>

namespace plumb::test {

// One engine on one thread.
inline CheckOptions options(Engine engine) {
  CheckOptions options;
  options.engine = engine;
  options.jobs = 1;
  options.memory = std::size_t{1} << 30U;
  return options;
}

// An operation that an order has to explain (`required`) or may use.
struct Trial {
  Call call;
  std::optional<Value> result;  // none: any
  std::size_t called = 0;       // positions among the events
  std::size_t returned = 0;
  bool required = true;
};

inline std::unique_ptr<States> states_of(const History& history, const Model& model) {
  return std::move(model.states(history.values(), history.initial()).value());
}

inline Call call_of(const History& history, const Model& model, OperationId i) {
  return {find_operation(model, history.function_name(i)).value(), history.process(i), history.args(i)};
}

inline std::optional<Value> result_of(const History& history, const Model& model, OperationId i) {
  if (history.is_pending(i)) return std::nullopt;
  const auto& spec = model.operations()[call_of(history, model, i).operation];
  return spec.returns == Returns::kNothing ? kNull : history.result(i);
}

// Positions of calls and returns among the events; a return that never comes is past them all.
struct Positions {
  std::vector<std::size_t> call;
  std::vector<std::size_t> ret;
  explicit Positions(const History& history)
      : call(history.size()), ret(history.size(), history.events().size()) {
    for (std::size_t at = 0; at < history.events().size(); ++at) {
      const Event event = history.events()[at];
      (event.is_return() ? ret : call)[event.operation()] = at;
    }
  }
};

// Is there an order of the trials, all required ones among them, that respects happens-before and gives every
// one its result? Tries them all.
class Explains {
 public:
  Explains(std::vector<Trial> trials, States& states)
      : trials_(std::move(trials)), states_(states), done_(trials_.size()) {}
  bool operator()() { return from(states_.initial()); }

 private:
  bool from(StateId state) {
    std::size_t first_return = ~std::size_t{0};
    bool any = false;
    for (std::size_t i = 0; i < trials_.size(); ++i) {
      if (done_[i] || !trials_[i].required) continue;
      any = true;
      first_return = std::min(first_return, trials_[i].returned);
    }
    if (!any) return true;
    for (std::size_t i = 0; i < trials_.size(); ++i) {
      if (done_[i] || trials_[i].called > first_return) continue;
      std::vector<StateId> next;
      states_.step(state, trials_[i].call, trials_[i].result, next);
      done_[i] = true;
      for (const StateId after : next) {
        if (from(after)) return true;
      }
      done_[i] = false;
    }
    return false;
  }

  std::vector<Trial> trials_;
  States& states_;
  std::vector<bool> done_;
};

// Linearizability by its definition, object by object.
inline bool is_linearizable(const History& history, const Model& model) {
  const Positions positions(history);
  std::map<std::uint32_t, std::vector<Trial>> by_object;
  for (OperationId i = 0; i < history.size(); ++i) {
    by_object[history.object(i).bits()].push_back({call_of(history, model, i), result_of(history, model, i),
                                                   positions.call[i], positions.ret[i],
                                                   !history.is_pending(i)});
  }
  return std::ranges::all_of(by_object, [&](auto& entry) {
    const auto states = states_of(history, model);
    return Explains(entry.second, *states)();
  });
}

// Happens-before, by the times themselves: nothing stands after an operation that was called when it had
// returned.
inline ::testing::AssertionResult respects_times(const History& history, std::span<const OperationId> order) {
  Time latest_call = std::numeric_limits<Time>::min();
  for (const OperationId i : order) {
    if (history.ret(i) < latest_call) {
      return ::testing::AssertionFailure()
             << "operation " << i << " stands after one called after its return";
    }
    latest_call = std::max(latest_call, history.call(i));
  }
  return ::testing::AssertionSuccess();
}

// Every operation, in this order, has a result that its object could give.
inline ::testing::AssertionResult is_legal(const History& history, const Model& model,
                                           std::span<const OperationId> order) {
  struct Object {
    std::unique_ptr<States> states;
    std::vector<StateId> now;
  };
  std::map<std::uint32_t, Object> objects;
  std::vector<StateId> next;
  for (const OperationId i : order) {
    Object& object = objects[history.object(i).bits()];
    if (!object.states) {
      object.states = states_of(history, model);
      object.now = {object.states->initial()};
    }
    next.clear();
    for (const StateId state : object.now) {
      object.states->step(state, call_of(history, model, i), result_of(history, model, i), next);
    }
    if (next.empty()) {
      return ::testing::AssertionFailure() << "not legal at operation " << i << ", " << history.describe(i)
                                           << ", in " << object.states->describe(object.now.front());
    }
    std::ranges::sort(next);
    next.erase(std::unique(next.begin(), next.end()), next.end());
    object.now.swap(next);
  }
  return ::testing::AssertionSuccess();
}

// The order is a linearization: every completed operation once, pending ones at most once.
inline ::testing::AssertionResult is_witness(const History& history, const Model& model,
                                             std::span<const OperationId> order) {
  std::vector<int> times(history.size());
  for (const OperationId i : order) {
    if (i >= history.size()) return ::testing::AssertionFailure() << "no operation " << i;
    ++times[i];
  }
  for (OperationId i = 0; i < history.size(); ++i) {
    if (times[i] > 1 || (times[i] == 0 && !history.is_pending(i))) {
      return ::testing::AssertionFailure()
             << "operation " << i << " stands " << times[i] << " times in the witness";
    }
  }
  if (auto in_time = respects_times(history, order); !in_time) return in_time;
  return is_legal(history, model, order);
}

}  // namespace plumb::test
