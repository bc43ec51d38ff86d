#include "testing/lenient_model.hpp"

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "testing/silent_failures.hpp"

namespace plumb::testing {
namespace {

// What an operation stands for.
struct Meaning {
  enum class Kind : std::uint8_t {
    kItself,
    kMayFail,    // or it has changed nothing
    kCannotFail  // but has failed
  };
  Kind kind = Kind::kItself;
  std::uint32_t operation = 0;  // of the inner model
};

// The states of another model, in which some operations stand a second time: calls that failed.
class LenientStates final : public States {
 public:
  LenientStates(std::unique_ptr<States> inner, std::span<const Meaning> meant)
      : inner_(std::move(inner)), meant_(meant) {}

  StateId initial() override { return inner_->initial(); }
  void step(StateId from, const Call& call, std::optional<Value> result,
            std::vector<StateId>& next) override {
    const Meaning::Kind kind = meant_[call.operation].kind;
    if (kind == Meaning::Kind::kCannotFail) return;
    if (kind == Meaning::Kind::kMayFail) next.push_back(from);
    inner_->step(from, meant(call), result, next);
  }
  std::vector<Value> results(StateId from, const Call& call) override {
    return inner_->results(from, meant(call));
  }
  bool keep_only(std::span<StateId* const> ids) override { return inner_->keep_only(ids); }
  std::optional<std::vector<Value>> items(StateId state) const override { return inner_->items(state); }
  std::string describe(StateId state) const override { return inner_->describe(state); }
  const Values& values() const override { return inner_->values(); }
  std::size_t count() const override { return inner_->count(); }
  std::size_t memory() const override { return inner_->memory(); }

 private:
  [[nodiscard]] Call meant(Call call) const {
    call.operation = meant_[call.operation].operation;
    return call;
  }

  std::unique_ptr<States> inner_;
  std::span<const Meaning> meant_;
};

class LenientModel final : public Model {
 public:
  explicit LenientModel(const Model& inner)
      : inner_(inner), operations_(inner.operations().begin(), inner.operations().end()) {
    for (std::uint32_t i = 0; i < operations_.size(); ++i) meant_.push_back({.operation = i});
  }

  // The name of the operation's second.
  std::string add(std::uint32_t operation, Meaning::Kind kind) {
    OperationSpec second = operations_[operation];
    second.name += kind == Meaning::Kind::kMayFail ? " (may fail)" : " (failed)";
    second.aliases.clear();
    second.effect = Effect::kMayChange;
    second.role = Role::kNone;
    meant_.push_back({kind, operation});
    operations_.push_back(std::move(second));
    return operations_.back().name;
  }

  std::string_view name() const override { return inner_.name(); }
  std::string_view summary() const override { return inner_.summary(); }
  std::span<const OperationSpec> operations() const override { return operations_; }
  std::optional<Value> key(const Call& call) const override { return inner_.key(meant(call)); }
  bool is_keyed() const override { return inner_.is_keyed(); }
  bool depends_on_process() const override { return inner_.depends_on_process(); }
  std::optional<std::string> validate(const Call& call, std::optional<Value> result,
                                      const Values& values) const override {
    return inner_.validate(meant(call), result, values);
  }
  bool validates() const override { return inner_.validates(); }
  Result<std::unique_ptr<States>> states(const Values& values, Value initial) const override {
    auto inner = inner_.states(values, initial);
    if (!inner) return inner.error();
    return std::unique_ptr<States>(std::make_unique<LenientStates>(std::move(*inner), meant_));
  }

 private:
  [[nodiscard]] Call meant(Call call) const {
    call.operation = meant_[call.operation].operation;
    return call;
  }

  const Model& inner_;
  std::vector<OperationSpec> operations_;
  std::vector<Meaning> meant_;  // of each operation
};

// Operations that overlap another one.
std::vector<bool> contended(const History& history) {
  std::vector<bool> contended(history.size());
  std::size_t open = 0;
  std::uint64_t sum = 0;  // of those that are open: which one it is, where there is one
  for (const Event event : history.events()) {
    const OperationId it = event.operation();
    if (event.is_return()) {
      --open;
      sum -= it;
      continue;
    }
    if (open == 1) contended[sum] = true;  // more than one have met before
    contended[it] = open > 0;
    ++open;
    sum += it;
  }
  return contended;
}

// What becomes of calls of one function of the history.
struct Leniency {
  std::optional<test::SpuriousFailure> may_fail;  // the result is one of the new history's values
  bool changes_nothing = false;
  std::string second = {};   // the operation that stands for it, where it may have changed something
  std::string refused = {};  // and where it must not have failed; empty: the model knows what that means
};

class Rewriter {
 public:
  Rewriter(const History& history, const Model& model, const TestCase& test)
      : history_(history), model_(std::make_shared<LenientModel>(model)) {
    for (const std::string& name : history.functions()) functions_.push_back(leniency_of(name, model, test));
  }

  Lenient run() {
    const std::vector<bool> met = contended(history_);
    std::size_t left_out = 0;
    for (OperationId i = 0; i < history_.size(); ++i) {
      const Leniency& how = functions_[history_.function(i)];
      const Value result = builder_.values().import(history_.values(), history_.result(i));
      const bool failed = how.may_fail && !history_.is_pending(i) && result == how.may_fail->result;
      const bool permitted = failed && (met[i] || !how.may_fail->only_contended);
      if (permitted && how.changes_nothing) {
        ++left_out;
        continue;
      }
      const bool refused = failed && !permitted && !how.refused.empty();
      add(i, result, permitted ? how.second : refused ? how.refused : history_.function_name(i));
    }
    builder_.set_model(history_.model());
    builder_.set_name(history_.name());
    builder_.set_initial(builder_.values().import(history_.values(), history_.initial()));
    auto made = builder_.finish();
    return {.history = std::move(made).value(), .model = std::move(model_), .left_out = left_out};
  }

 private:
  Leniency leniency_of(const std::string& name, const Model& model, const TestCase& test) {
    Leniency how;
    const auto operation = find_operation(model, name);
    for (const test::Operation& each : test.operations()) {
      if (each.name != name || !each.may_fail || !operation) continue;
      how.may_fail = each.may_fail;
      how.may_fail->result = builder_.values().import(test.values(), each.may_fail->result);
      how.changes_nothing = leaves_state(model.operations()[*operation].effect, each.may_fail->result);
      const bool is_silent = silent_failure(model, each).has_value();
      how.changes_nothing = how.changes_nothing || is_silent;
      if (!how.changes_nothing) how.second = model_->add(*operation, Meaning::Kind::kMayFail);
      if (is_silent && how.may_fail->only_contended)
        how.refused = model_->add(*operation, Meaning::Kind::kCannotFail);
    }
    return how;
  }

  void add(OperationId i, Value result, const std::string& function) {
    std::vector<Value> args;
    for (const Value arg : history_.args(i)) args.push_back(builder_.values().import(history_.values(), arg));
    const Value process = builder_.values().import(history_.values(), history_.process(i));
    const OperationId added = builder_.add(process, builder_.function(function), args,
                                           {.result = result, .has_result = history_.has_result(i)},
                                           history_.call(i), history_.ret(i), history_.place(i));
    if (history_.has_objects())
      builder_.set_object(added, builder_.values().import(history_.values(), history_.object(i)));
  }

  const History& history_;
  HistoryBuilder builder_;
  std::shared_ptr<LenientModel> model_;
  std::vector<Leniency> functions_;  // by function
};

}  // namespace

Lenient lenient(History history, const Model& model, const TestCase& test) {
  if (!test.any_may_fail())
    return {.history = std::move(history), .model = {std::shared_ptr<const Model>(), &model}};
  Lenient made = Rewriter(history, model, test).run();
  // Nothing stands for another: the model itself, with its monitors and sentences.
  if (made.model->operations().size() == model.operations().size())
    made.model = {std::shared_ptr<const Model>(), &model};
  return made;
}

Status check_failures_change_nothing(const Model& model, const TestCase& test) {
  for (const test::Operation& each : test.operations()) {
    const auto operation = find_operation(model, each.name);
    // Relaxed orders are judged with what overlapped forgotten.
    if (each.may_fail && each.may_fail->only_contended)
      return Error{
          fmt::format("{}() may fail when contended, says the test, and operations are relaxed: with "
                      "relax() only may_fail() is possible",
                      each.name)};
    if (!each.may_fail || !operation || silent_failure(model, each) ||
        leaves_state(model.operations()[*operation].effect, each.may_fail->result))
      continue;
    return Error{fmt::format(
        "{}() may fail, says the test, and its operations are relaxed, but the model {} does not say that "
        "{} changes nothing when it returns {}: one or the other (in a model of your own: .unless_false(), "
        ".unless_null(), .reads())",
        each.name, model.name(), each.name, test.values().to_json(each.may_fail->result))};
  }
  return Ok{};
}

}  // namespace plumb::testing
