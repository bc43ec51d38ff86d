// The states of an object that one search has met, each kept once: for object_model.hpp.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <plumb/detail/object_operation.hpp>
#include <plumb/model.hpp>
#include <plumb/state.hpp>

namespace plumb::object {

// The object run in place, from its initial state: no state is kept, none is copied.
template <class T>
class InPlaceRun final : public plumb::Run {
 public:
  InPlaceRun(std::span<const Operation<T>> operations, Values& values, T initial)
      : operations_(operations), values_(values), object_(std::move(initial)) {}

  bool apply(const Call& call, std::optional<Value> result) override {
    const Operation<T>& operation = operations_[call.operation];
    const auto returned = operation.apply(object_, call, values_, operation.throws);
    return returned && (!result || *result == *returned);
  }

 private:
  std::span<const Operation<T>> operations_;
  Values& values_;
  T object_;
};

// The states that one search has met, each once.
template <class T>
class States final : public plumb::States {
 public:
  States(const Values& values, std::span<const OperationSpec> specs, std::span<const Operation<T>> operations,
         T first)
      : values_(&values), specs_(specs), operations_(operations), index_(0, Hash{&states_}, Equal{&states_}) {
    intern(std::move(first));
  }

  StateId initial() override { return 0; }

  void step(StateId from, const Call& call, std::optional<Value> result,
            std::vector<StateId>& next) override {
    run(from, call);
    for (Successor<T>& successor : successors_) {
      if (result && *result != successor.result) continue;
      const bool same = leaves_state(specs_[call.operation].effect, successor.result);
      next.push_back(same ? from : intern(std::move(successor.after)));
    }
  }

  std::vector<Value> results(StateId from, const Call& call) override {
    run(from, call);
    std::vector<Value> all;
    for (const Successor<T>& successor : successors_) all.push_back(successor.result);
    return all;
  }

  std::unique_ptr<plumb::Run> start_run() override {
    for (const Operation<T>& operation : operations_) {
      if (!operation.apply) return plumb::States::start_run();
    }
    return std::make_unique<InPlaceRun<T>>(operations_, values_, *states_[0]);
  }

  std::string describe(StateId id) const override {
    return state::describe(*states_[id], values_).value_or("state " + std::to_string(id));
  }
  const Values& values() const override { return values_; }
  std::size_t count() const override { return states_.size(); }
  std::size_t memory() const override { return states_.size() * (sizeof(T) + kNode) + values_.memory(); }

 private:
  static constexpr std::size_t kNode = 64;  // about what a set and an allocation add to each
  using Table = std::vector<std::unique_ptr<const T>>;
  struct Hash {
    using is_transparent = void;
    const Table* states;
    std::size_t operator()(StateId id) const { return state::hash(*(*states)[id]); }
    std::size_t operator()(const T& t) const { return state::hash(t); }
  };
  struct Equal {
    using is_transparent = void;
    const Table* states;
    bool operator()(StateId a, StateId b) const { return a == b; }
    bool operator()(StateId a, const T& b) const { return state::equal(*(*states)[a], b); }
    bool operator()(const T& a, StateId b) const { return state::equal(a, *(*states)[b]); }
  };

  void run(StateId from, const Call& call) {
    successors_.clear();
    const Operation<T>& operation = operations_[call.operation];
    operation.run(*states_[from], call, values_, successors_, operation.throws);
  }
  StateId intern(T state) {
    const auto it = index_.find(state);
    if (it != index_.end()) return *it;
    const auto id = static_cast<StateId>(states_.size());
    states_.push_back(std::make_unique<const T>(std::move(state)));
    index_.insert(id);
    return id;
  }

  Values values_;  // what the search makes; stands on the history's table
  std::span<const OperationSpec> specs_;
  std::span<const Operation<T>> operations_;
  Table states_;
  std::unordered_set<StateId, Hash, Equal> index_;
  std::vector<Successor<T>> successors_;
};

}  // namespace plumb::object
