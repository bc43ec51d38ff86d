// With clocks that may be off: the definition, by trying every order of a few operations of one object.
#pragma once

#include <cstdint>
#include <vector>

#include <plumb/model.hpp>

#include "support/oracle.hpp"

namespace plumb::test {

class ClockOracle {
 public:
  ClockOracle(const History& history, const Model& model, Time error)
      : history_(history),
        model_(model),
        error_(error),
        states_(states_of(history, model)),
        taken_(history.size()) {}

  // `b` comes after `a` with whatever clocks that are off by at most the error; those of one process are one clock.
  [[nodiscard]] bool surely_before(OperationId a, OperationId b) const {
    if (history_.is_pending(a)) return false;
    const Time apart = history_.process(a) == history_.process(b) ? 0 : 2 * error_;
    return history_.ret(a) + apart < history_.call(b);
  }
  bool accepts() { return search(states_->initial()); }

  // Everything that returned is in it once, nothing surely comes before what stands before it, and the model allows it.
  bool proves(const std::vector<OperationId>& order) {
    const auto run = states_->start_run();
    std::vector<std::size_t> times(history_.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      ++times[order[i]];
      for (std::size_t k = 0; k < i; ++k) {
        if (surely_before(order[i], order[k])) return false;
      }
      if (!run->apply(call_of(history_, model_, order[i]), result_of(history_, model_, order[i])))
        return false;
    }
    for (OperationId id = 0; id < history_.size(); ++id) {
      if (times[id] > 1 || (times[id] == 0 && !history_.is_pending(id))) return false;
    }
    return true;
  }

 private:
  bool search(StateId state) {
    bool is_complete = true;
    for (OperationId id = 0; id < history_.size(); ++id) is_complete &= taken_[id] || history_.is_pending(id);
    if (is_complete) return true;
    for (OperationId id = 0; id < history_.size(); ++id) {
      if (taken_[id] || !may_come(id)) continue;
      std::vector<StateId> next;
      states_->step(state, call_of(history_, model_, id), result_of(history_, model_, id), next);
      taken_[id] = true;
      for (const StateId to : next) {
        if (search(to)) return true;
      }
      taken_[id] = false;
    }
    return false;
  }
  [[nodiscard]] bool may_come(OperationId id) const {
    for (OperationId other = 0; other < history_.size(); ++other) {
      if (other != id && !taken_[other] && surely_before(other, id)) return false;
    }
    return true;
  }

  const History& history_;
  const Model& model_;
  Time error_;
  std::unique_ptr<States> states_;
  std::vector<bool> taken_;
};

}  // namespace plumb::test
