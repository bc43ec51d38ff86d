// From a small struct to a Model: what every built-in model shares.
//
// A model file defines a struct M, made anew for each search, with
//   using State = …;                                   copyable, ==, hashable by absl::Hash
//   static constexpr std::string_view kName, kSummary;
//   static std::vector<OperationSpec> operations();    in the order of M's own enumeration
//   Result<State> initial(Values&, Value given);       given: the value of the history's header, or null
//   std::optional<Value> result(const State&, const Call&, Values&);
//                                                      what the call returns there; none: it cannot happen
//   void update(State&, const Call&, Values&);         its effect, where result() gave a value
//   std::string describe(const State&, const Values&) const;
// and, where they apply,
//   static constexpr Family kFamily;                   see Model::family; then the operations have their roles
//   static Value key(const Call&);                     operations with different keys are independent
//   static constexpr bool kDependsOnProcess = true;
//   bool may_lead_to(const State&, const Call&, Value result, Values&);   see States
//   bool allows(const State&, const Call&, Value recorded, Values&);
//                                                      where a recorded result may say less than result():
//                                                      whether the call may have returned it there
//   static std::optional<std::string> validate(const Call&, std::optional<Value> result, const Values&);
//                                                      see Model::validate
//   void look_ahead(std::span<const Lookahead>, std::uint32_t until); bool is_dead_end(const State&) const;
//                                                      see States
//   struct Sequential;                                 where updating a State in place is slow and every call
//                                                      can happen: made from a State, M and Values, with
//                                                      Value apply(const Call&, Values&)
//   void outcomes(const State&, const Call&, Values&, std::vector<std::pair<Value, State>>&);
//                                                      instead of result and update: a nondeterministic step
#pragma once

#include <bit>
#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_set.h>
#include <absl/hash/hash.h>

#include <plumb/model.hpp>

namespace plumb {

// States as ids. A state of four bytes is its own id; others are kept once each.
template <class State>
class StateTable {
  static_assert(!std::is_same_v<State, StateId>,
                "wrap the number in a struct: it must not be mistaken for an id");
  static constexpr bool kDirect = std::is_trivially_copyable_v<State> && sizeof(State) == sizeof(StateId);

 public:
  StateTable() : index_(0, Hash{&states_}, Equal{&states_}) {}
  StateTable(const StateTable&) = delete;
  StateTable& operator=(const StateTable&) = delete;

  StateId intern(State state) {
    if constexpr (kDirect) {
      return std::bit_cast<StateId>(state);
    } else {
      return *index_.lazy_emplace(state, [&](const auto& construct) {
        const auto id = static_cast<StateId>(states_.size());
        states_.push_back(std::move(state));
        heap_ += heap_bytes(states_.back());
        construct(id);
      });
    }
  }
  // By value where a state is its own id; otherwise a reference that the next intern() may invalidate.
  [[nodiscard]] decltype(auto) operator[](StateId id) const {
    if constexpr (kDirect) {
      return std::bit_cast<State>(id);
    } else {
      return static_cast<const State&>(states_[id]);
    }
  }
  [[nodiscard]] std::size_t count() const { return states_.size(); }
  void clear() {
    index_.clear();
    states_.clear();
    heap_ = 0;
  }
  [[nodiscard]] std::size_t memory() const {
    return states_.capacity() * sizeof(State) + index_.capacity() * (sizeof(StateId) + 1) + heap_;
  }

 private:
  static std::size_t heap_bytes(const State& state) {
    if constexpr (requires { state.heap_bytes(); }) {
      return state.heap_bytes();
    } else if constexpr (requires { state.capacity() * sizeof(state[0]); }) {
      return state.capacity() * sizeof(state[0]);
    } else {
      return 0;
    }
  }
  struct Hash {
    using is_transparent = void;
    const std::vector<State>* states;
    std::size_t operator()(const State& s) const { return absl::Hash<State>()(s); }
    std::size_t operator()(StateId id) const { return absl::Hash<State>()((*states)[id]); }
  };
  struct Equal {
    using is_transparent = void;
    const std::vector<State>* states;
    bool operator()(StateId a, StateId b) const { return a == b; }
    bool operator()(StateId a, const State& b) const { return (*states)[a] == b; }
    bool operator()(const State& a, StateId b) const { return a == (*states)[b]; }
  };
  std::vector<State> states_;
  absl::flat_hash_set<StateId, Hash, Equal> index_;
  std::size_t heap_ = 0;
};

template <class M>
concept Nondeterministic = requires(M m, const typename M::State& s, const Call& c, Values& v,
                                    std::vector<std::pair<Value, typename M::State>>& out) {
  m.outcomes(s, c, v, out);
};
template <class M>
concept Lenient = requires(M m, const typename M::State& s, const Call& c, Value recorded, Values& v) {
  { m.allows(s, c, recorded, v) } -> std::same_as<bool>;
};
template <class M>
concept LooksAhead = requires(M m, const typename M::State& s, std::span<const Lookahead> f) {
  m.look_ahead(f, 0U);
  { m.is_dead_end(s) } -> std::same_as<bool>;
};
template <class M>
concept Keyed = requires(const Call& c) {
  M::key(c);
};

// A deterministic model run in place.
template <class M>
class TypedRun final : public Run {
 public:
  TypedRun(M& model, Values& values, std::span<const OperationSpec> operations, typename M::State initial)
      : model_(model), values_(values), operations_(operations), state_(std::move(initial)) {}

  bool apply(const Call& call, std::optional<Value> result) override {
    if constexpr (Lenient<M>) {
      if (result && !model_.allows(state_, call, *result, values_)) return false;
    }
    const auto returned = model_.result(state_, call, values_);
    if (!returned || (!Lenient<M> && result && *result != *returned)) return false;
    if (!leaves_state(operations_[call.operation].effect, returned)) model_.update(state_, call, values_);
    return true;
  }

 private:
  M& model_;
  Values& values_;
  std::span<const OperationSpec> operations_;
  typename M::State state_;
};

// The same with a representation of the model's own.
template <class M>
class SequentialRun final : public Run {
 public:
  SequentialRun(const M& model, Values& values, const typename M::State& initial)
      : values_(values), object_(initial, model, values) {}

  bool apply(const Call& call, std::optional<Value> result) override {
    const Value returned = object_.apply(call, values_);
    return !result || *result == returned;
  }
  bool apply_all(std::span<const Step> steps) override {
    for (const Step& step : steps) {
      const Value returned = object_.apply(step.call, values_);
      if (returned != step.result && step.returned) return false;
    }
    return true;
  }

 private:
  Values& values_;
  typename M::Sequential object_;
};

// One search's states of M.
template <class M>
class TypedStates final : public States {
 public:
  using State = typename M::State;

  TypedStates(const Values& values, std::span<const OperationSpec> operations, M model = {})
      : model_(std::move(model)), values_(&values), operations_(operations) {}

  // Before anything else.
  Status start(Value given) {
    auto first = model_.initial(values_, given);
    if (!first) return first.error();
    initial_ = table_.intern(std::move(*first));
    return Ok{};
  }

  StateId initial() override { return initial_; }

  void step(StateId from, const Call& call, std::optional<Value> result,
            std::vector<StateId>& next) override {
    if constexpr (Nondeterministic<M>) {
      for (auto& [returned, state] : outcomes(from, call)) {
        if (!result || *result == returned) next.push_back(table_.intern(std::move(state)));
      }
    } else {
      const auto returned = returns(from, call, result);
      if (!returned) return;
      if (leaves_state(operations_[call.operation].effect, returned)) {
        next.push_back(from);
        return;
      }
      State state = table_[from];
      model_.update(state, call, values_);
      next.push_back(table_.intern(std::move(state)));
    }
  }

  std::vector<Value> results(StateId from, const Call& call) override {
    std::vector<Value> all;
    if constexpr (Nondeterministic<M>) {
      for (const auto& [returned, state] : outcomes(from, call)) all.push_back(returned);
    } else {
      if (const auto returned = model_.result(table_[from], call, values_)) all.push_back(*returned);
    }
    return all;
  }

  bool may_lead_to(StateId from, const Call& call, Value result) override {
    if constexpr (requires { model_.may_lead_to(table_[from], call, result, values_); }) {
      return model_.may_lead_to(table_[from], call, result, values_);
    } else {
      return States::may_lead_to(from, call, result);
    }
  }

  void look_ahead(std::span<const Lookahead> operations, std::uint32_t until) override {
    if constexpr (LooksAhead<M>) model_.look_ahead(operations, until);
  }
  bool is_dead_end(StateId state) override {
    if constexpr (LooksAhead<M>) return model_.is_dead_end(table_[state]);
    return false;
  }

  std::unique_ptr<Run> start_run() override {
    if constexpr (Nondeterministic<M>) {
      return States::start_run();
    } else if constexpr (requires { typename M::Sequential; }) {
      return std::make_unique<SequentialRun<M>>(model_, values_, table_[initial_]);
    } else {
      return std::make_unique<TypedRun<M>>(model_, values_, operations_, table_[initial_]);
    }
  }

  bool keep_only(std::span<StateId* const> ids) override {
    std::vector<State> kept = {table_[initial_]};
    for (const StateId* id : ids) kept.push_back(table_[*id]);
    table_.clear();
    initial_ = table_.intern(std::move(kept[0]));
    for (std::size_t i = 0; i < ids.size(); ++i) *ids[i] = table_.intern(std::move(kept[i + 1]));
    return true;
  }
  std::optional<std::vector<Value>> items(StateId state) const override {
    if constexpr (std::is_same_v<State, std::vector<Value>>) return table_[state];
    return (void)state, std::nullopt;
  }

  std::string describe(StateId state) const override { return model_.describe(table_[state], values_); }
  const Values& values() const override { return values_; }
  std::size_t count() const override { return table_.count(); }
  std::size_t memory() const override { return table_.memory() + values_.memory(); }

 private:
  // The result with which `call` happens in `from`; none when it cannot, or not with the recorded one.
  std::optional<Value> returns(StateId from, const Call& call, std::optional<Value> recorded) {
    if constexpr (Lenient<M>) {
      if (recorded) return model_.allows(table_[from], call, *recorded, values_) ? recorded : std::nullopt;
    }
    const auto returned = model_.result(table_[from], call, values_);
    return recorded && returned != recorded ? std::nullopt : returned;
  }

  std::vector<std::pair<Value, State>> outcomes(StateId from, const Call& call) {
    std::vector<std::pair<Value, State>> all;
    model_.outcomes(table_[from], call, values_, all);
    return all;
  }

  M model_;
  Values values_;  // what the search makes; stands on the history's table
  StateTable<State> table_;
  std::span<const OperationSpec> operations_;
  StateId initial_ = 0;
};

template <class M>
class TypedModel final : public Model {
 public:
  std::string_view name() const override { return M::kName; }
  std::string_view summary() const override { return M::kSummary; }
  std::span<const OperationSpec> operations() const override { return operations_; }
  Family family() const override {
    if constexpr (requires { M::kFamily; }) {
      return M::kFamily;
    } else {
      return Family::kNone;
    }
  }

  std::optional<Value> key(const Call& call) const override {
    if constexpr (Keyed<M>) {
      return M::key(call);
    } else {
      (void)call;
      return std::nullopt;
    }
  }
  bool is_keyed() const override { return Keyed<M>; }
  bool looks_ahead() const override { return LooksAhead<M>; }
  bool depends_on_process() const override {
    if constexpr (requires { M::kDependsOnProcess; }) {
      return M::kDependsOnProcess;
    } else {
      return false;
    }
  }

  std::optional<std::string> validate(const Call& call, std::optional<Value> result,
                                      const Values& values) const override {
    if constexpr (requires { M::validate(call, result, values); }) {
      return M::validate(call, result, values);
    } else {
      return Model::validate(call, result, values);
    }
  }
  bool validates() const override {
    return requires(const Call& call, const Values& values) { M::validate(call, std::nullopt, values); };
  }

  Result<std::unique_ptr<States>> states(const Values& values, Value initial) const override {
    auto states = std::make_unique<TypedStates<M>>(values, operations_);
    if (auto status = states->start(initial); !status) return status.error();
    return std::unique_ptr<States>(std::move(states));
  }

 private:
  std::vector<OperationSpec> operations_ = M::operations();
};

// What models of collections share. An initial value is an array of what is inside; null: nothing is.
[[nodiscard]] Result<std::vector<Value>> initial_elements(std::string_view model, const Values& values,
                                                          Value given);
// The same where null cannot be inside, because it stands for "empty".
[[nodiscard]] Result<std::vector<Value>> initial_items(std::string_view model, const Values& values,
                                                       Value given);
[[nodiscard]] std::string list_items(std::span<const Value> items, const Values& values);  // "[1, 2]"

}  // namespace plumb
