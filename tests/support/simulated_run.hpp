// Runs for a watcher, as long as wanted: processes that call, take effect and return, some of them slowly;
// linearizable, unless an operation that took effect is said to have failed.
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/rng.hpp"
#include "support/watched_run.hpp"

namespace plumb::test {

struct RunShape {
  std::size_t processes = 3;
  std::size_t slow = 0;  // of these
  std::size_t operations = 7;
  double ends_badly = 0;  // each: fails, is lost
};

class SimulatedRun {
 public:
  using Start = std::function<Op(Rng&)>;           // f and args of the next operation
  using Effect = std::function<Value(const Op&)>;  // what it returns; changes the state

  SimulatedRun(const RunShape& shape, Rng& rng, Start start, Effect effect)
      : shape_(shape),
        rng_(rng),
        start_(std::move(start)),
        effect_(std::move(effect)),
        processes_(shape.processes) {
    for (Process& process : processes_) process.name = next_name_++;
  }

  WatchedRun make() {
    while (run_.script.operations.size() < shape_.operations) step();
    for (Process& process : processes_) {
      while (process.running) move(process);
    }
    return std::move(run_);
  }

 private:
  struct Process {
    std::int64_t name = 0;
    std::optional<std::size_t> running;
    bool took_effect = false;
  };

  void step() {
    const std::size_t who = rng_.below(processes_.size());
    Process& process = processes_[who];
    if (process.running) {
      if (who >= shape_.slow || rng_.below(20) == 0) move(process);
      return;
    }
    Op op = start_(rng_);
    op.process = Value::small(process.name);
    process.running = run_.script.operations.size();
    process.took_effect = false;
    run_.script.operations.push_back(std::move(op));
    run_.steps.push_back({WatchedRun::kCall, *process.running});
  }

  void move(Process& process) {
    const std::size_t i = *process.running;
    if (!process.took_effect && rng_.below(2) == 0) {
      process.took_effect = true;
      run_.script.operations[i].result = effect_(run_.script.operations[i]);
      return;
    }
    WatchedRun::Kind kind = WatchedRun::kOk;
    if (rng_.chance(shape_.ends_badly)) {
      kind = WatchedRun::kFail;
    } else if (rng_.chance(shape_.ends_badly)) {
      kind = WatchedRun::kInfo;
      process.name = next_name_++;
    } else if (!process.took_effect) {
      return;
    }
    run_.steps.push_back({kind, i});
    process.running.reset();
  }

  RunShape shape_;
  Rng& rng_;
  Start start_;
  Effect effect_;
  std::vector<Process> processes_;
  std::int64_t next_name_ = 0;
  WatchedRun run_;
};

}  // namespace plumb::test
