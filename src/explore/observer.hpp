// For those that look at whole executions, and not only at what goes wrong inside one: Line-Up. The program says where operations
// under test begin and end; the observer judges each execution after its end, also one that is a deadlock.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/explore.hpp"

namespace plumb {
class ProgramRunner;
}

namespace plumb::engine {

class Monitor;
class SpareCores;

struct OperationEvent {
  std::uint32_t operation = 0;
  bool returns = false;  // else it is called
};

// What comes before the call and the return of an operation in every order of independent steps: calls and returns of
// operations, as bits.
struct Predecessors {
  std::uint64_t calls = 0;
  std::uint64_t returns = 0;
};
struct HappensBefore {
  Predecessors call;
  Predecessors ret;
};

// Under a weak memory model: which operations' calls and returns come before which others in the execution graph.
using OperationSet = std::uint64_t;  // as bits
struct ClientRelations {
  OperationSet before = 0;   // its return happens before their calls
  OperationSet reaches = 0;  // its call happens before their returns
  OperationSet causes = 0;   // the same by po and rf alone
  OperationSet precedes =
      0;  // by rf, mo and rb: something after its call comes before something before their returns
};
// A client's own synchronisation: it knows that one operation has returned, and then calls the other.
struct ClientEdge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;

  bool operator==(const ClientEdge&) const = default;
};

// The first step of an execution at which an operation may have to wait for another thread: a lock, a condition …
struct Waiting {
  std::uint32_t operation = 0;
  const char* what = nullptr;  // null: there was none
};

// An execution that has come to its end, until the next one begins.
class FinishedExecution {
 public:
  FinishedExecution(ProgramRunner& runner, bool deadlock) : runner_(runner), deadlock_(deadlock) {}

  [[nodiscard]] bool is_deadlock() const { return deadlock_; }
  // Of a deadlock: some threads were spinning.
  [[nodiscard]] bool ended_in_spin_loop() const;
  // Of a deadlock: the program itself was in run(), and waited for threads that never ended.
  [[nodiscard]] bool waits_for_threads() const;
  [[nodiscard]] Waiting waiting_step() const;
  // By operation. Worked out when it is asked for.
  [[nodiscard]] const std::vector<HappensBefore>& happens_before() const;

  // The same under a weak memory model, where orders are not those of steps.
  [[nodiscard]] std::vector<ClientRelations> client_relations() const;
  // Whether the memory model allows the execution with a client that has these edges. What the relations say of them is enough, but for
  // executions with sequentially consistent events in two threads.
  [[nodiscard]] bool allows(std::span<const ClientEdge> edges) const;
  [[nodiscard]] bool has_seq_cst_in_two_threads() const;

  // Another execution, serially: operations are called by threads in this order, each after the one before has returned. What was
  // observed of this one has to be kept by the observer.
  enum class SerialEnd : std::uint8_t { kDone, kBlocked, kFailed };
  [[nodiscard]] SerialEnd run_serially(std::vector<int> threads) const;

 private:
  ProgramRunner& runner_;
  bool deadlock_;
};

class Observer {
 public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer() = default;

  // A sentence makes the execution a finding (of kind kCheck) and ends the search.
  virtual std::optional<std::string> judge(const FinishedExecution& execution) = 0;
  // Then: the finding is one of this order of calls and returns, another one of the same steps. The engine
  // runs that, and asks once more. Empty: it is one of the execution as it was run.
  virtual std::span<const OperationEvent> other_order() const { return {}; }
  virtual std::optional<std::string> judge_other_order(const FinishedExecution& execution) {
    return judge(execution);
  }
  // That order could not be run: the program does not only depend on what the engine sees.
  virtual void cannot_run_other_order() {}
  // Judges results while they come, where that can be done: what a search of states needs. Null: only whole executions are judged.
  virtual Monitor* monitor() { return nullptr; }
  // False: what was found is enough, the trace (which takes longer than many an exploration) is not asked for.
  virtual bool wants_trace() const { return true; }
  // Processors that may search a part, in forks of this process. Null: the observer is to see every execution itself. What one process
  // has learnt of its part, the observer of the process that it was forked from takes over.
  virtual SpareCores* spare_cores() { return nullptr; }
  [[nodiscard]] virtual std::string learnt() const { return {}; }
  virtual void learn(std::string_view learnt) { (void)learnt; }
  // True ends the search after this execution: the end was asked for.
  virtual bool enough() { return false; }
  // How a message calls a thread, and the operation it is in. Also asked by the thread that watches over the execution.
  virtual std::string who(int thread, std::optional<std::uint32_t> operation) const;
  // The operation of the program that this one calls: "put()".
  virtual std::string operation_name(std::uint32_t operation) const {
    return "operation " + std::to_string(operation);
  }
  // The execution has to end and cannot be interrupted; told by the thread that watches. The process ends when this returns.
  virtual void cannot_be_ended(const std::string&) {}
};

enum class ExplorationMode : std::uint8_t {
  kConcurrent,
  kSerial,  // none is called while another is open
  kSolo,    // one thread runs alone from a random entry on: can its operation end by itself?
};

Exploration explore(const std::function<void(Program&)>& program, const ExploreOptions& options,
                    Observer& observer, ExplorationMode mode);

// To be called by threads of the program. `operation` is for the trace; equal results are equal numbers.
void call_operation(std::uint32_t operation);
void return_from_operation(std::uint32_t operation, std::uint64_t result);
// Whether calls and returns are to be written down: else a monitor is told of them.
bool records_history();

}  // namespace plumb::engine
