// The program as its author sees it (plumb::Program), and what runs it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "explore/execution.hpp"
#include "explore/happens_before.hpp"
#include "explore/host.hpp"
#include "explore/namer.hpp"
#include "explore/observer.hpp"
#include "explore/strategy.hpp"
#include "plumb/explore.hpp"

namespace plumb::engine {
class GraphExecution;
}

namespace plumb {

// The one exploration that runs; the functions of Program, which threads call, find it here.
class ProgramRunner {
 public:
  ProgramRunner(const std::function<void(Program&)>& program, const engine::Limits& limits, bool surveys,
                MemoryModel model);
  ~ProgramRunner() { current_ = nullptr; }
  ProgramRunner(const ProgramRunner&) = delete;
  ProgramRunner& operator=(const ProgramRunner&) = delete;

  static ProgramRunner& current() { return *current_; }
  engine::Execution& execution() { return *execution_; }
  const engine::Execution& execution() const { return *execution_; }
  engine::GraphExecution& graph_execution();  // the same, under a weak memory model
  [[nodiscard]] MemoryModel memory_model() const { return memory_model_; }
  // What the program observed in the last execution.
  void observe(const std::string& outcome);
  const std::optional<std::string>& observed() const { return observed_; }
  // What the program is run by: that execution, unless something else was set.
  engine::Host& host() { return *host_; }
  void set_host(engine::Host& host) { host_ = &host; }
  void run_body() { body(); }
  std::vector<engine::Name>& names() { return names_; }
  // Of the last execution, when the observer is asked.
  engine::HappensBeforeGraph& graph() { return graph_; }
  // An execution that is no part of the search, surveyed if some are to be.
  engine::Execution::End run_beside(engine::Strategy& strategy, const engine::Observer* observer,
                                    std::vector<UnwatchedWrite>& unwatched);
  // For the observer that judges an execution: another one beside it, serially, its operations called by threads in this order.
  engine::Execution::End run_serially(std::vector<int> threads);
  // Then the execution itself once more, as if nothing had been run since. False: it was interrupted.
  bool run_again();
  // Of the last execution of the search.
  [[nodiscard]] const engine::Schedule& schedule() const {
    return set_aside_ ? *set_aside_ : execution_->schedule();
  }
  void begin_judging() {
    set_aside_.reset();
    interrupted_ = false;
  }
  [[nodiscard]] bool was_interrupted() const { return interrupted_; }  // one that was run beside it
  [[nodiscard]] bool surveys() const { return surveys_; }
  [[nodiscard]] std::uint64_t steps() const { return execution_->steps() - steps_beside_; }  // of the search

 private:
  void body();

  static ProgramRunner* current_;
  const std::function<void(Program&)>& program_;
  std::unique_ptr<engine::Execution> execution_;
  engine::Host* host_ = nullptr;  // that, unless something else was set
  std::optional<std::string> observed_;
  std::vector<engine::Name> names_;
  engine::HappensBeforeGraph graph_;
  bool surveys_;  // some executions
  MemoryModel memory_model_;
  std::optional<engine::Schedule>
      set_aside_;  // of an execution that is judged, when others were run beside it
  bool interrupted_ = false;
  std::uint64_t steps_beside_ = 0;
};

}  // namespace plumb
