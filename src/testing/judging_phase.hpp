// What the phases that judge histories have in common: the specification. It is the object itself, run serially, or a model.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <plumb/check.hpp>

#include "testing/coverage.hpp"
#include "testing/reorderings.hpp"
#include "testing/result_keys.hpp"
#include "testing/scenario_observer.hpp"
#include "testing/serial_tree.hpp"
#include "testing/walk_census.hpp"

namespace plumb::testing {

// How the checkers judge histories of this test.
[[nodiscard]] CheckOptions check_options(const TestCase& test);

class JudgingPhase : public ScenarioObserver {
 public:
  // `ends_serially`: all threads of the object have ended in phase 1.
  JudgingPhase(const ScenarioView& view, SerialTree& tree, bool ends_serially)
      : ScenarioObserver(view),
        tree_(tree),
        result_keys_(view.test.values()),
        ends_serially_(ends_serially) {}
  // There was no phase 1: serial histories are run when histories ask for them.
  void grow_tree() { grows_ = true; }
  // Is told of every execution; of those that show something new.
  void count_in(WalkCensus* census) { census_ = census; }
  void cover(CoverageCensus& coverage) { coverage_ = &coverage; }

  // Walks are told of each execution by itself.
  engine::SpareCores* spare_cores() override { return census_ == nullptr ? view_.limits.cores : nullptr; }
  std::string learnt() const override;
  void learn(std::string_view learnt) override;

  // A checker could not say: why.
  [[nodiscard]] const std::optional<std::string>& undecided() const { return undecided_; }
  [[nodiscard]] std::optional<std::size_t> blocked() const {
    return blocked_;
  }  // the operation that may not block

 protected:
  // What is right, with the results that were observed. Null: see judge_what_does_not_fit(). Until the history
  // is judged, is_decided() says whether all that it asked for could be run.
  [[nodiscard]] std::unique_ptr<SerialSteps> specification();
  [[nodiscard]] bool is_decided();
  // Of a deadlock in which no operation is open.
  [[nodiscard]] std::optional<std::string> judge_closed_deadlock();
  // The checkers judge a whole history.
  [[nodiscard]] std::optional<std::string> judge_by_model();
  // There is no specification of it: the error is the test's, whether or not an operation of the history is open.
  [[nodiscard]] std::optional<std::string> judge_what_does_not_fit();
  // Quasi linearizability is judged of whole orders, once all that was called has returned.
  [[nodiscard]] bool judges_whole_orders() const {
    return !view_.test.relaxed().empty() && !view_.has_open();
  }
  // Refuted by serial steps; but a relaxed test has weaker ones, and nobody knows those after which an operation may block. Undecided
  // then.
  [[nodiscard]] bool is_beyond_judging();
  [[nodiscard]] std::string tell_blocked(std::size_t operation);

  SerialTree& tree_;
  const engine::FinishedExecution* execution_ = nullptr;  // that is judged
  std::optional<std::string> undecided_;
  WalkCensus* census_ = nullptr;
  CoverageCensus* coverage_ = nullptr;
  ResultKeys result_keys_;
  std::string key_;

 private:
  [[nodiscard]] std::string needed_distance(const History& history, CheckOptions options) const;
  // What the operation does after those that lead to the node, run serially beside the execution that is judged.
  void grow(SerialTree::Node node, std::size_t operation);

  bool ends_serially_;
  bool grows_ = false;
  bool cannot_grow_ = false;  // a serial run that the history needs did not come to an end
  std::optional<History> history_;
  std::optional<std::size_t> blocked_;
};

}  // namespace plumb::testing
