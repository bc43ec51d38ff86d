// Quasi linearizability as docs/relaxed.md defines it, word for word; shares no code with the
// library, only the model.
//
// Every order of all completed operations, and any of the pending ones, that respects happens-before; of
// each, every sequence that permutes the operations of a class among the places of the class, none by
// more than k; is one legal?
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include <plumb/check.hpp>

#include "support/oracle.hpp"

namespace plumb::test {

class QuasiOracle {
 public:
  // k by operation of the model; 0: the operations of this kind stay where they are.
  QuasiOracle(const History& history, const Model& model, std::vector<std::uint32_t> k)
      : history_(history), positions_(history), k_(std::move(k)), states_(states_of(history, model)) {
    for (OperationId i = 0; i < history.size(); ++i) {
      calls_.push_back(call_of(history, model, i));
      results_.push_back(result_of(history, model, i));
    }
    done_.resize(history.size());
  }

  bool accepts() {
    sequence();
    return found_;
  }

 private:
  void sequence() {
    const bool complete = std::ranges::all_of(
        history_.events(), [&](Event e) { return !e.is_return() || done_[e.operation()]; });
    if (complete) {
      legal_places_.assign(order_.size(), false);
      permute(0, states_->initial());
    }
    for (OperationId i = 0; i < history_.size() && !found_; ++i) {
      if (done_[i] || !may_come_next(i)) continue;
      done_[i] = true;
      order_.push_back(i);
      sequence();
      order_.pop_back();
      done_[i] = false;
    }
  }

  // Nothing that is still to come returned before it was called.
  [[nodiscard]] bool may_come_next(OperationId i) const {
    for (OperationId other = 0; other < history_.size(); ++other) {
      if (!done_[other] && positions_.ret[other] < positions_.call[i]) return false;
    }
    return true;
  }

  // Of the class that has this place in order_, the number of the place within the class.
  [[nodiscard]] std::uint32_t place_in_class(std::size_t place) const {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < place; ++i)
      number += calls_[order_[i]].operation == calls_[order_[place]].operation ? 1 : 0;
    return number;
  }

  void permute(std::size_t place, StateId state) {
    if (place == order_.size()) found_ = true;
    for (std::size_t from = 0; from < order_.size() && place < order_.size() && !found_; ++from) {
      const std::uint32_t kind = calls_[order_[place]].operation;
      if (legal_places_[from] || calls_[order_[from]].operation != kind) continue;
      const std::uint32_t a = place_in_class(place);
      const std::uint32_t b = place_in_class(from);
      if (std::max(a, b) - std::min(a, b) > k_[kind]) continue;
      std::vector<StateId> next;
      states_->step(state, calls_[order_[from]], results_[order_[from]], next);
      legal_places_[from] = true;
      for (const StateId after : next) permute(place + 1, after);
      legal_places_[from] = false;
    }
  }

  const History& history_;
  Positions positions_;
  std::vector<std::uint32_t> k_;
  std::unique_ptr<States> states_;
  std::vector<Call> calls_;
  std::vector<std::optional<Value>> results_;
  std::vector<bool> done_;
  std::vector<OperationId> order_;
  std::vector<bool>
      legal_places_;  // by place of order_: whose operation stands in the legal sequence already
  bool found_ = false;
};

// The two orders of an accepted history, gone through once more.
inline void expect_close_orders(const History& history, const Model& model, const Verdict& verdict) {
  ASSERT_EQ(verdict.linearization.size(), verdict.legal.size());
  const Positions positions(history);
  const auto states = states_of(history, model);
  const auto run = states->start_run();
  std::size_t latest = 0;
  std::size_t completed = 0;
  std::vector<std::vector<OperationId>> sequenced(model.operations().size());
  std::vector<std::vector<OperationId>> legal(model.operations().size());
  for (std::size_t i = 0; i < verdict.legal.size(); ++i) {
    const OperationId s = verdict.linearization[i];
    const OperationId l = verdict.legal[i];
    const Call call = call_of(history, model, l);
    ASSERT_EQ(call_of(history, model, s).operation, call.operation);
    sequenced[call.operation].push_back(s);
    legal[call.operation].push_back(l);
    latest = std::max(latest, positions.call[s]);
    ASSERT_GT(positions.ret[s], latest) << "happens-before is not respected";
    ASSERT_TRUE(run->apply(call, result_of(history, model, l))) << "not legal";
    completed += history.is_pending(s) ? 0 : 1;
  }
  ASSERT_EQ(completed, history.size() - history.pending());
  std::vector<std::uint32_t> k(model.operations().size());
  for (const Relaxation& one : verdict.relax) k[find_operation(model, one.operation).value()] = *one.k;
  for (std::size_t kind = 0; kind < k.size(); ++kind) {
    for (std::size_t i = 0; i < legal[kind].size(); ++i) {
      const auto it = std::ranges::find(sequenced[kind], legal[kind][i]);
      ASSERT_NE(it, sequenced[kind].end());
      const auto from = static_cast<std::size_t>(it - sequenced[kind].begin());
      ASSERT_LE(std::max(from, i) - std::min(from, i), k[kind]);
    }
  }
}

}  // namespace plumb::test
