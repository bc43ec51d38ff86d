// What every way to run a test has in common: the test, its time, who works for it, and what is known so far.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/jobs.hpp"
#include "journal/shard.hpp"
#include "plumb/test.hpp"
#include "testing/line_up.hpp"
#include "testing/scenario_runner.hpp"
#include "testing/test_journal.hpp"
#include "testing/time_shares.hpp"
#include "testing/worker_board.hpp"
#include "work/worker_pool.hpp"

namespace plumb::testing {

// Which part of a test this process does, and what is known from elsewhere.
struct Sharing {
  work::WorkerPool* pool = nullptr;  // runs the scenarios; null: processes of this machine
  Shard shard = {};
  TestJournal* journal = nullptr;  // or null
};

struct RunContext {
  RunContext(TestCase& test, const TestOptions& options, const Sharing& sharing);
  RunContext(const RunContext&) = delete;
  RunContext& operator=(const RunContext&) = delete;

  TestCase& test;
  const TestOptions& options;
  TimeShares time;
  work::WorkerPool* pool;
  Shard shard;
  TestJournal* journal;
  Seconds before{};  // that the test took before this process went on with it
  ScenarioRunner runner;
  WorkerBoard board;
  TestResult result;
  std::uint64_t returned = 0;  // operations of the test: in some serial run
  std::uint64_t spun_forever = 0;
  bool has_weak_orders = false;
  std::uint64_t orders_met = 0;     // of those that are changed, as bits
  CoverageNotes coverage;           // under the first memory model
  std::set<std::size_t> held_back;  // scenarios that were exhausted but for rounds of loops, under any model
  bool is_over = false;             // nothing more is to be handed out, though there is time

  [[nodiscard]] unsigned jobs() const { return workers_for(options.jobs); }
  [[nodiscard]] bool asked() const { return options.stop != nullptr && options.stop->load(); }
  [[nodiscard]] bool stopped() const { return asked() || time.spent(); }

  [[nodiscard]] bool is_shard() const { return shard.count > 1; }
  // All is known that will be: nothing is run but what was found, for its report.
  [[nodiscard]] bool merges() const { return journal != nullptr && journal->merges(); }
  // What is known of this test's scenarios under a memory model.
  [[nodiscard]] std::vector<const ScenarioPiece*> known(MemoryModel memory_model) const;
  // Into the journal.
  void keep(const ScenarioRequest& asked, const ScenarioResult& outcome, Seconds took);
  // The outcome of a scenario that no journal has.
  [[nodiscard]] ScenarioResult missing(std::size_t number);

  void go_on();  // after what was over: with other scenarios, or under another memory model
  // As many processes of this machine. `more`: asked before a scenario is handed out; null: there always is one.
  [[nodiscard]] work::WorkerPool workers(std::size_t count, std::function<bool()> more = {});
  // Of a scenario that had to be given up.
  [[nodiscard]] ScenarioResult without_end(std::string standing) const;
  // What a process has found that died: a crash, unless it had to end.
  [[nodiscard]] ScenarioResult of_dead(std::size_t number, int how) const;
  // Adds the outcome of a scenario to the figures of the result.
  void add(std::size_t number, const ScenarioResult& outcome);
};

// Which scenarios cannot be run under a memory model, and why; empty: there is none.
[[nodiscard]] std::string refused_text(const RunContext& context,
                                       const std::map<std::size_t, ScenarioResult>& refused);

}  // namespace plumb::testing
