// The search of states, under sequential consistency: depth first over the steps of threads, with a deepening bound on preemptions or without
// one, and cut at states that were met before. It goes back by restoring a snapshot, or by running the path once more from the beginning,
// which comes to the same and is there to be compared with.
//
// A state is the program's memory, registers and stacks and what the monitor knows (machine.hpp, monitor.hpp): all that the future depends
// on, but for races. So where the search went on from an equal state, with the same thread and at least as many preemptions left, all
// that may follow was searched, or is being searched: nothing new is behind it. Which thread ran before matters only in what it costs to
// continue with another.
//
// For races it matters, too, which touches of memory threads do not know of yet. They are no part of the key: beside each state stands
// the set of those that it was searched with, and where there are others now it is searched again, with all of them together, since what
// each leads to does not depend on the others (race_state.hpp). What is found then may belong to a touch that is not on this path: where the
// path alone does not show it, the search begins anew, with touches in the key, and comes to the path that does. So it does where there
// are too many sets of touches to be kept.
//
// A thread that comes back to a state where it was before, while no other ran, waits: alone it would do the same forever. To go on with
// another is no preemption then, as it is none where a thread is blocked. Where all that are enabled do so, no thread can go on. And where
// several come back together, without a preemption and none being left out that could go on all the time, they may do so forever.
//
// What is found is a path, and no verdict: the engine of schedules runs it (execution.hpp), tells what is wrong, and if that is nothing, then
// something that is in no snapshot makes a difference.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "explore/states/machine.hpp"
#include "explore/states/monitor.hpp"
#include "explore/states/race_sets.hpp"
#include "explore/states/snapshots.hpp"
#include "explore/states/way_table.hpp"

namespace plumb::engine {

using StateKeys = std::unordered_set<StateKey, StateKeyHash>;

struct StateSearchOptions {
  std::optional<int> preemptions = std::nullopt;  // at most so many; none: any number
  std::size_t memory = std::size_t{256} << 20U;   // bytes for states
  const std::atomic<bool>* stop = nullptr;        // ends the search
  bool by_running_again = false;                  // instead of snapshots
  StateKeys* keys = nullptr;                      // all that were met, for comparisons
};

struct StateSearchResult {
  enum class End : std::uint8_t { kExhausted, kPath, kCannotSave, kStopped, kInterrupted };
  End end = End::kExhausted;
  std::vector<std::uint8_t> path;  // to what is to be looked at
  std::string why;                 // it cannot be saved
  std::uint64_t states = 0;
  std::uint64_t steps = 0;  // new ones
  std::uint64_t ends = 0;   // executions that came to their end
  std::uint64_t cuts = 0;   // that were given up at a state that was met before
};

class StateSearch {
 public:
  static constexpr int kMostPreemptions = static_cast<int>(WayTable::kMostLeft);

  StateSearch(Machine& machine, Monitor& monitor, const StateSearchOptions& options);
  StateSearchResult run();

 private:
  // A state at which there is more than one way to go on, and its snapshot is kept.
  struct Node {
    StateKey key = {};
    ThreadSet left = 0;  // threads, or outcomes
    bool outcomes = false;
    bool chooses = false;
    int current = -1;
    int running = -1;  // to go on with another is a preemption
    int used = 0;      // preemptions
    Monitor::State monitor = 0;
    RaceSets::Number touches = RaceSets::kEmpty;
    std::size_t path = 0;
    std::size_t run_begin = 0;
    std::size_t run_end = 0;
  };
  // How the state came about in which the machine is.
  struct Arrival {
    int current = -1;  // the thread that took the last step
    int used = 0;      // preemptions
    bool chose = false;
  };

  // False: it ended early.
  bool begin();
  bool search_anew();
  bool search();
  bool go_on(Arrival arrival);
  bool go_back();
  bool take(int thread);
  bool take_outcome(int outcome);
  bool judge(Machine::Event event);
  bool at_end(ThreadSet enabled);
  void save(const Node& node);
  void restore(const Node& node);
  [[nodiscard]] unsigned left_after(int running, int used, int thread) const;
  bool look_at(Node& node);
  [[nodiscard]] ThreadSet not_searched(Node& node, ThreadSet threads);
  bool fails();
  bool begin_with_touches();
  [[nodiscard]] bool waits(const StateKey& key, int thread);
  bool cut(const StateKey& key, int used);
  bool end(StateSearchResult::End why);

  Machine& machine_;
  Monitor& monitor_;
  StateSearchOptions options_;
  WayTable ways_;
  RaceSets races_;
  bool joins_touches_ = true;         // of the ways to a state; else they are a part of the key
  bool has_joined_ = false;           // so that in some state there were some that are not of its path
  bool begins_with_touches_ = false;  // in the key, from now on
  Snapshots snapshots_;
  Node first_;
  std::vector<Node> nodes_;
  Monitor::State state_ = 0;  // of the monitor
  int bound_ = -1;
  bool bound_cuts_ = false;  // the present bound left something out
  // The states on the way to the present one; from `run_begin_` on, one thread ran alone.
  struct Passed {
    StateKey key;
    std::size_t path = 0;
    ThreadSet enabled = 0;
    int used = 0;
  };
  std::vector<Passed> run_;
  std::size_t run_begin_ = 0;
  std::unordered_map<StateKey, ThreadSet, StateKeyHash>
      waiting_;  // threads that come back to a state by themselves
  StateSearchResult result_;
};

}  // namespace plumb::engine
