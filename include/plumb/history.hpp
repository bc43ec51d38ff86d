// A history: what a system did. Columns, one entry per operation, in the order of the input.
//
// Invariants, established by HistoryBuilder::finish and relied on everywhere:
//  - call(i) <= ret(i) for completed operations; a process runs one operation at a time;
//  - events() holds every call and, for completed operations, every return, by time; at equal times calls
//    come before returns.
//    So `ret(a)` comes before `call(b)` in events() exactly when ret(a) < call(b), i.e. a happens
//    before b.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plumb/result.hpp>
#include <plumb/value.hpp>

namespace plumb {

using OperationId = std::uint32_t;  // position in the input, from 0
using FunctionId = std::uint16_t;   // index into History::functions()
using Time = std::int64_t;

inline constexpr Time kNever = std::numeric_limits<Time>::max();  // the return time of a pending operation

// One end of an operation.
class Event {
 public:
  constexpr Event() = default;
  static constexpr Event call(OperationId op) { return Event(op << 1U); }
  static constexpr Event ret(OperationId op) { return Event((op << 1U) | 1U); }
  [[nodiscard]] constexpr OperationId operation() const { return bits_ >> 1U; }
  [[nodiscard]] constexpr bool is_return() const { return (bits_ & 1U) != 0; }
  friend constexpr bool operator==(Event, Event) = default;

 private:
  explicit constexpr Event(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t bits_ = 0;
};

// What an operation is, apart from its values.
struct OperationHead {
  FunctionId function = 0;
  std::uint8_t arity = 0;  // how many arguments it has
  bool has_result = false;
};

// A run of operations as columns, one entry per operation; the arguments follow one another.
struct Columns {
  std::span<const Value> process;
  std::span<const OperationHead> head;
  std::span<const Value> arguments;
  std::span<const Value> result;
  std::span<const Time> call;
  std::span<const Time> ret;
  std::span<const Value> object;  // empty: none of them names one
};

class History {  // never changes once it is built: many threads may read one
 public:
  static constexpr std::size_t kMaxOperations = (std::size_t{1} << 31U) - 1;

  [[nodiscard]] std::size_t size() const { return process_.size(); }
  [[nodiscard]] bool empty() const { return process_.empty(); }
  [[nodiscard]] std::size_t pending() const { return pending_; }
  [[nodiscard]] std::size_t processes() const { return processes_; }

  [[nodiscard]] Value process(OperationId i) const { return process_[i]; }
  [[nodiscard]] FunctionId function(OperationId i) const { return head_[i].function; }
  [[nodiscard]] std::span<const Value> args(OperationId i) const {
    return {arguments_.data() + first_argument_[i], head_[i].arity};
  }
  [[nodiscard]] bool is_pending(OperationId i) const { return ret_[i] == kNever; }
  [[nodiscard]] bool has_result(OperationId i) const { return head_[i].has_result; }
  [[nodiscard]] Value result(OperationId i) const { return result_[i]; }  // null where there is none
  [[nodiscard]] Time call(OperationId i) const { return call_[i]; }
  [[nodiscard]] Time ret(OperationId i) const { return ret_[i]; }
  [[nodiscard]] Place place(OperationId i) const { return place_.empty() ? Place{} : place_[i]; }
  [[nodiscard]] bool has_objects() const { return !object_.empty(); }
  // False: call and ret count the events, since no more than their order is known.
  [[nodiscard]] bool has_clock_times() const { return !counted_; }
  // Of how many machines the clocks are that timed it, where the format says so; otherwise 0.
  [[nodiscard]] std::size_t clocks() const { return clocks_; }
  [[nodiscard]] Value object(OperationId i) const { return object_.empty() ? kNull : object_[i]; }

  // The operations from `begin` up to `end`, without a copy.
  [[nodiscard]] Columns columns(std::size_t begin, std::size_t end) const;

  [[nodiscard]] std::span<const Event> events() const { return events_; }
  [[nodiscard]] std::span<const std::string> functions() const { return functions_; }
  [[nodiscard]] const std::string& function_name(OperationId i) const { return functions_[function(i)]; }
  [[nodiscard]] const Values& values() const { return *values_; }

  // What the file says about itself; empty or null where it does not.
  [[nodiscard]] const std::string& model() const { return model_; }
  [[nodiscard]] Value initial() const { return initial_; }
  [[nodiscard]] const std::string& name() const { return name_; }  // an id the file gives to this history

  // "process 3: enqueue(1) -> null", for messages.
  [[nodiscard]] std::string describe(OperationId i) const;
  [[nodiscard]] std::size_t memory() const;

 private:
  friend class HistoryBuilder;
  std::vector<Value> process_;
  std::vector<OperationHead> head_;
  std::vector<std::uint32_t> first_argument_;
  std::vector<Value> arguments_;  // in the order of the operations, without gaps
  std::vector<Value> result_;
  std::vector<Time> call_;
  std::vector<Time> ret_;
  std::vector<Place> place_;   // empty when no place is known
  std::vector<Value> object_;  // empty when no operation names one
  std::vector<Event> events_;
  std::vector<std::string> functions_;
  std::shared_ptr<Values> values_;
  std::string model_;
  std::string name_;
  Value initial_;
  std::size_t pending_ = 0;
  std::size_t processes_ = 0;
  std::size_t clocks_ = 0;
  bool counted_ = false;
};

// Makes a history, operation by operation (`add`) or event by event (`call`, then `complete` or `fail`).
// Event by event, the position of the event is its time.
class HistoryBuilder {  // one thread at a time
 public:
  static constexpr std::size_t kMaxFunctions = 65'535;  // distinct names; codecs report more as an error
  static constexpr std::size_t kMaxArguments = 255;     // of one operation; likewise

  HistoryBuilder();
  explicit HistoryBuilder(std::shared_ptr<Values> values);  // several histories of one file share a table

  Values& values() { return *history_.values_; }
  [[nodiscard]] std::shared_ptr<Values> shared_values() const { return history_.values_; }
  [[nodiscard]] std::size_t size() const { return history_.size(); }
  FunctionId function(std::string_view name);
  void reserve(std::size_t operations);

  struct Completed {
    Value result;
    bool has_result = true;
  };

  // A whole operation. `ret` is kNever for a pending one.
  OperationId add(Value process, FunctionId function, std::span<const Value> args, Completed completed,
                  Time call, Time ret, Place place = {});
  void set_object(OperationId op, Value object);

  // Many whole operations at once, without places. Functions and values must belong to this
  // builder, and the arities must add up to the arguments; times and processes are
  // checked by `finish`.
  void append(const Columns& columns);
  void reserve_columns(std::size_t operations, std::size_t arguments);  // room for what `append` will bring

  // Event by event.
  Result<OperationId> call(Value process, FunctionId function, std::span<const Value> args, Place place = {});
  Result<OperationId> complete(Value process, Completed completed, Place place = {});
  Status fail(Value process, Place place = {});  // it did not happen: dropped
  Status lose(Value process, Place place = {});  // pending, forever; the process is gone
  [[nodiscard]] bool is_open(Value process) const;
  [[nodiscard]] OperationId open_operation(Value process) const;  // only where is_open
  [[nodiscard]] std::span<const Value> args(OperationId op) const { return history_.args(op); }
  [[nodiscard]] const std::string& function_name(OperationId op) const { return history_.function_name(op); }

  void set_model(std::string name) { history_.model_ = std::move(name); }
  void set_initial(Value initial) { history_.initial_ = initial; }
  void set_name(std::string name) { history_.name_ = std::move(name); }
  void set_clocks(std::size_t clocks) { history_.clocks_ = clocks; }

  // Validates and orders the events. The builder is empty afterwards.
  Result<History> finish();

 private:
  struct Open;
  void drop_failed();
  void drop_failed_arguments(const std::vector<bool>& gone);
  Status check_times() const;
  Status check_processes();

  History history_;
  Time now_ = 0;
  std::vector<OperationId> failed_;
  std::shared_ptr<Open> open_;
};

}  // namespace plumb
