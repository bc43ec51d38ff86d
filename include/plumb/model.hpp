// The seam between histories and engines: what a sequential object does.
//
// A Model is a description: its operations, what they take and return, how a history splits into parts that
// can be checked one by one. A States object holds the states that one search has visited, interned: equal states
// have one id, so engines store and compare integers. A model is shared between threads; a States object
// belongs to one search.
//
// To write a model of your own, see <plumb/object_model.hpp>: a plain C++ class with one method per operation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plumb/family.hpp>
#include <plumb/history.hpp>
#include <plumb/result.hpp>
#include <plumb/value.hpp>

namespace plumb {

// What an operation returns. Anything given for kNothing is ignored.
enum class Returns : std::uint8_t { kNothing, kBool, kInteger, kString, kAny };
// What an operation's arguments may be. kNotNull is for values that come out again where null means "empty".
enum class Takes : std::uint8_t { kAny, kNotNull, kInteger, kString, kArray };

// Which executions of an operation leave the state as it is, judged by their result alone. Engines linearize
// such an operation as soon as it fits, and drop it when it is pending: the claim must hold in every state.
enum class Effect : std::uint8_t {
  kMayChange,     // write, enqueue
  kNeverChanges,  // read, contains
  kUnlessFalse,   // cas, add to a set: a false result changed nothing
  kUnlessNull,    // dequeue, pop: a null result changed nothing
};

struct OperationSpec {
  std::string name;
  std::vector<std::string> aliases = {};
  std::vector<Takes> takes = {};  // one entry per argument
  Returns returns = Returns::kNothing;
  Effect effect = Effect::kMayChange;
  Role role = Role::kNone;   // in the model's family
  std::size_t optional = 0;  // how many of the last arguments may be left out
  bool extends = false;      // only adds to what is there (append): see States::may_lead_to
};

// An operation as a model sees it: which of its operations, by which process, with which arguments.
struct Call {
  std::uint32_t operation = 0;  // index into Model::operations()
  Value process;
  std::span<const Value> args;
};

using StateId = std::uint32_t;

// Counts the changes of the interface below: a model in a shared object must have been compiled with the same
// one.
inline constexpr unsigned kModelInterface = 7;

// An operation of the history, for a model that looks ahead. Moments are counted in returns.
struct Lookahead {
  Call call;
  std::optional<Value> result;
  std::uint32_t returns_before = 0;  // how many operations have returned when it is called
  std::uint32_t ret = 0;             // which return is its own
};

// One operation of an order.
struct Step {
  Call call;
  Value result;
  bool returned = true;  // false: a pending operation, with any result
};

// The object run once, from its initial state, one operation after the other: to replay an order.
class Run {  // one thread at a time
 public:
  virtual ~Run() = default;
  // False if the operation cannot come next with this result (any result when there is none); then the run is over.
  virtual bool apply(const Call& call, std::optional<Value> result) = 0;
  // Several, one after the other. Long orders are replayed by this.
  virtual bool apply_all(std::span<const Step> steps) {
    for (const Step& step : steps) {
      if (!apply(step.call, step.returned ? std::optional(step.result) : std::nullopt)) return false;
    }
    return true;
  }
};

class States {  // one thread at a time; each search makes its own
 public:
  virtual ~States() = default;

  [[nodiscard]] virtual StateId initial() = 0;

  // Appends to `next` every state that `call` may lead to from `from` when it returns `result` (any result
  // when there is none: a pending operation). Appends nothing when it cannot return that there.
  virtual void step(StateId from, const Call& call, std::optional<Value> result,
                    std::vector<StateId>& next) = 0;

  // Every result that `call` could return in `from`; none if it cannot happen there. The values are in
  // values().
  [[nodiscard]] virtual std::vector<Value> results(StateId from, const Call& call) = 0;

  // False only if no number of operations that extend leads from `from` to a state in which `call` returns `result`. A
  // search asks it of the operation that returns next, to leave dead ends early.
  [[nodiscard]] virtual bool may_lead_to(StateId from, const Call& call, Value result) {
    (void)from, (void)call, (void)result;
    return true;
  }

  // For models that look ahead (Model::looks_ahead): what will happen up to the return `until`; later returns must not be
  // used. Then, whether a state is certainly a dead end.
  virtual void look_ahead(std::span<const Lookahead> operations, std::uint32_t until) {
    (void)operations, (void)until;
  }
  [[nodiscard]] virtual bool is_dead_end(StateId state) {
    (void)state;
    return false;
  }

  // A fresh run. It keeps no states, which makes a long one cheap.
  [[nodiscard]] virtual std::unique_ptr<Run> start_run();

  // Forgets every state but these and the initial one, and updates the ids. False if it cannot.
  virtual bool keep_only(std::span<StateId* const> ids) {
    (void)ids;
    return false;
  }
  // A state that is a list: its items, as an initial value would name them.
  [[nodiscard]] virtual std::optional<std::vector<Value>> items(StateId state) const {
    (void)state;
    return std::nullopt;
  }

  // The state as a person would write it: "[1, 2]", "held by 3".
  [[nodiscard]] virtual std::string describe(StateId state) const = 0;
  [[nodiscard]] virtual const Values& values() const = 0;
  [[nodiscard]] virtual std::size_t count() const = 0;
  [[nodiscard]] virtual std::size_t memory() const = 0;
};

class Model {  // many threads may use one
 public:
  virtual ~Model() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual std::string_view summary() const = 0;
  [[nodiscard]] virtual std::span<const OperationSpec> operations() const = 0;

  // What it is, or behaves as; its operations have roles in it.
  [[nodiscard]] virtual Family family() const { return Family::kNone; }
  // Where that is only claimed, and has to be tested before it is believed: the claim. Null for what is known.
  [[nodiscard]] virtual const Claim* claim() const { return nullptr; }
  // Of a model with a claim: whether the family's rules hold for this value, as an argument or a result. Where they do not
  // (it may be written in several ways, or is ordered otherwise), the model alone judges the history.
  [[nodiscard]] virtual bool is_plain(Value value, const Values& values) const {
    (void)value, (void)values;
    return true;
  }

  // Operations with different keys do not affect each other: each key is checked on its own
  // (P-compositionality). Nothing when the whole object is one part.
  [[nodiscard]] virtual std::optional<Value> key(const Call& call) const = 0;
  [[nodiscard]] virtual bool is_keyed() const = 0;
  // States::look_ahead and States::is_dead_end are of use.
  [[nodiscard]] virtual bool looks_ahead() const { return false; }
  // The process is part of what an operation means (the holder of a mutex).
  [[nodiscard]] virtual bool depends_on_process() const = 0;

  // What Takes and Returns cannot say about an operation (the items of an array): nothing when it is in
  // order, otherwise what was expected. `result` is none for a pending operation.
  [[nodiscard]] virtual std::optional<std::string> validate(const Call& call, std::optional<Value> result,
                                                            const Values& values) const {
    (void)call, (void)result, (void)values;
    return std::nullopt;
  }
  // False: validate() has nothing to say about any operation, and is not asked.
  [[nodiscard]] virtual bool validates() const { return true; }

  // `values` is the table of the history; `initial` is the value its header gives, or null. Fails when the
  // initial value is none of this model's.
  [[nodiscard]] virtual Result<std::unique_ptr<States>> states(const Values& values, Value initial) const = 0;
};

// The index of the operation that `name` (or an alias) means, if there is one.
[[nodiscard]] std::optional<std::uint32_t> find_operation(const Model& model, std::string_view name);

// Whether an execution that returned `result` never changes the state.
[[nodiscard]] constexpr bool leaves_state(Effect effect, std::optional<Value> result) {
  switch (effect) {
    case Effect::kMayChange:
      return false;
    case Effect::kNeverChanges:
      return true;
    case Effect::kUnlessFalse:
      return result.has_value() && *result == kFalse;
    case Effect::kUnlessNull:
      return result.has_value() && result->is_null();
  }
  return false;
}

// The built-in models, in the order of the documentation.
[[nodiscard]] std::span<const Model* const> built_in_models();
// A built-in model by name; otherwise an error that names the nearest one.
[[nodiscard]] Result<const Model*> find_model(std::string_view name);

}  // namespace plumb
