#include "explore/states/explore_states.hpp"

#include <algorithm>
#include <array>

#include "explore/unwatched.hpp"
#include "runtime/closed_code.hpp"
#include "runtime/watchdog.hpp"

namespace plumb::engine {
namespace {

// Of a program without operations: it may do anything, but stand still.
class NoMonitor final : public Monitor {
 public:
  State initial() override { return 0; }
  State returned(State before, std::uint64_t, std::uint32_t, std::uint64_t) override { return before; }
  bool may_stop(State, std::uint64_t) override { return false; }
};

// Why states cannot be searched, as far as it is known beforehand.
std::string obstacle(const ProgramRunner& runner, const ExploreOptions& options, const Observer* observer,
                     const Monitor* monitor, const Exploration& so_far) {
  if (options.real_threads || !runtime::fibers_supported()) return "threads of the system run, no fibers";
  if (options.executions) return "the number of executions is limited";
  if (options.count_traces) return "traces are to be counted";
  if (runner.observed()) return "outcomes are those of executions, not of states";
  if (observer != nullptr && monitor == nullptr) return "results are judged only when an execution has ended";
  if (!so_far.unwatched_writes.empty()) return "code without the hooks changes what operations share";
  return "";
}

constexpr unsigned kNoSuchBound = StateSearch::kMostPreemptions + 1;
bool g_both_ways = false;

// The machine that a program is run by, watched over.
class WatchedMachine {
 public:
  WatchedMachine(ProgramRunner& runner, const Limits& limits, const Watch& watch)
      : runner_(runner),
        machine_([&runner] { runner.run_body(); }, limits),
        libraries_(unwatched_libraries()),
        watchdog_(machine_, watch.terms()) {
    runner_.set_host(machine_);
  }
  ~WatchedMachine() { runner_.set_host(runner_.execution()); }
  WatchedMachine(const WatchedMachine&) = delete;
  WatchedMachine& operator=(const WatchedMachine&) = delete;

  StateSearchResult search(Monitor& monitor, const StateSearchOptions& how) {
    return StateSearch(machine_, monitor, how).run();
  }

 private:
  ProgramRunner& runner_;
  Machine machine_;
  runtime::ClosedCode libraries_;
  runtime::Watchdog watchdog_;
};

// Whether it comes to the very same states without snapshots.
bool is_same_without_snapshots(WatchedMachine& machine, Monitor& monitor, StateSearchOptions how) {
  std::array<StateKeys, 2> keys;
  for (const bool again : {false, true}) {
    how.by_running_again = again;
    how.keys = &keys.at(again ? 1 : 0);
    if (machine.search(monitor, how).end != StateSearchResult::End::kExhausted) return false;
  }
  return keys[0] == keys[1];
}

}  // namespace

void search_states_both_ways(bool both) { g_both_ways = both; }

std::optional<std::vector<std::uint8_t>> search_states(ProgramRunner& runner, const ExploreOptions& options,
                                                       const Limits& limits, Observer* observer,
                                                       const Watch& watch, Exploration& result) {
  NoMonitor none;
  Monitor* const monitor = observer != nullptr ? observer->monitor() : &none;
  result.beyond_states = obstacle(runner, options, observer, monitor, result);
  if (!result.beyond_states.empty()) return std::nullopt;
  StateSearchOptions how{.memory = options.memory, .stop = runtime::Watchdog::over_flag()};
  if (options.preemptions && options.preemptions->most())
    how.preemptions = static_cast<int>(std::min(*options.preemptions->most(), kNoSuchBound));
  StateSearchResult found;
  bool is_same = true;
  {
    WatchedMachine machine(runner, limits, watch);
    found = machine.search(*monitor, how);
    if (g_both_ways && found.end == StateSearchResult::End::kExhausted)
      is_same = is_same_without_snapshots(machine, *monitor, how);
  }
  if (!is_same) {
    result.beyond_states = "to run a path again leads to other states than to restore them";
    return std::nullopt;
  }
  result.executions = found.ends;
  result.pruned = found.cuts;
  result.steps = found.steps;
  result.states = found.states;
  using End = StateSearchResult::End;
  switch (found.end) {
    case End::kExhausted:
      result.exhausted = true;
      result.ended_by = SearchEnd::kExhausted;
      result.verdict = Outcome::kHolds;
      break;
    case End::kCannotSave:
      result.beyond_states = found.why;
      break;
    case End::kStopped:
    case End::kInterrupted:
      result.ended_by = watch.ended_by();
      break;
    case End::kPath:
      return std::move(found.path);
  }
  return std::nullopt;
}

}  // namespace plumb::engine
