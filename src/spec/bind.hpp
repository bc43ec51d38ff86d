// A history as a model sees it: which of the model's operations each function is, and that every argument and
// result is of a type the model knows. What does not fit is an input error with its place.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plumb/history.hpp>
#include <plumb/model.hpp>

#include "spec/models.hpp"

namespace plumb {

// What is wrong with the name, the arguments, or the result of one operation, if anything: for histories that are not
// whole yet, too. `name` is the function as the input has it.
[[nodiscard]] std::string unknown_operation(const Model& model, const std::string& name);
[[nodiscard]] std::optional<std::string> wrong_arguments(const OperationSpec& spec, std::string_view name,
                                                         std::span<const Value> args, const Values& values);
[[nodiscard]] std::optional<std::string> wrong_result(const OperationSpec& spec, std::string_view name,
                                                      HistoryBuilder::Completed completed,
                                                      const Values& values);

class BoundHistory {
 public:
  [[nodiscard]] static Result<BoundHistory> bind(const History& history, const Model& model);
  // The same where a model claims a family (Model::claim): if the claim holds and the history keeps to what the family
  // does, it is bound to the built-in model of that family, by the roles of the operations. A wrong claim is an error.
  [[nodiscard]] static Result<BoundHistory> bind_as_family(const History& history, const Model& model);

  [[nodiscard]] const History& history() const { return *history_; }
  [[nodiscard]] const Model& model() const { return *model_; }
  // As it is bound to the model that was given, which claims to behave as model(); itself where there is no claim.
  [[nodiscard]] const BoundHistory& own() const { return own_ ? *own_ : *this; }
  [[nodiscard]] bool is_by_claim() const { return own_ != nullptr; }
  // Why a claim is of no use to this history; empty where there is none, or it is.
  [[nodiscard]] const std::string& outside_family() const { return outside_family_; }

  // How the object begins: what the header says, or what a class that claims a family begins with.
  [[nodiscard]] Value initial() const { return initial_; }
  [[nodiscard]] Result<std::unique_ptr<States>> states() const {
    return model_->states(history_->values(), initial_);
  }

  [[nodiscard]] const OperationSpec& spec(OperationId i) const { return specs_[operation(i)]; }
  [[nodiscard]] std::uint32_t operation(OperationId i) const { return operation_of_[history_->function(i)]; }
  // What the object is for sure, and what an operation does in it. A claim of the model is no matter here: see
  // spec/claim.hpp.
  [[nodiscard]] Family family() const { return family_; }
  [[nodiscard]] Role role(OperationId i) const { return role_of_[history_->function(i)]; }
  // Some operation may be a peek; false: none is.
  [[nodiscard]] bool may_peek() const { return std::ranges::any_of(role_of_, is_peek); }
  [[nodiscard]] Call call(OperationId i) const {
    return {operation(i), history_->process(i), history_->args(i)};
  }
  // What it returned; none for a pending operation. Null for an operation that returns nothing, whatever was
  // recorded.
  [[nodiscard]] std::optional<Value> result(OperationId i) const {
    if (history_->is_pending(i)) return std::nullopt;
    return spec(i).returns == Returns::kNothing ? kNull : history_->result(i);
  }
  // It can be left out of a search when pending, and linearized as soon as it fits otherwise.
  [[nodiscard]] bool leaves_state(OperationId i) const {
    return plumb::leaves_state(spec(i).effect, result(i));
  }

 private:
  BoundHistory(const History& history, const Model& model)
      : history_(&history),
        model_(&model),
        family_(known_family(model)),
        initial_(history.initial()),
        specs_(model.operations()) {}
  BoundHistory(const BoundHistory& own, const TestedClaim& claim);
  [[nodiscard]] Status bind_functions();
  [[nodiscard]] Status check_types() const;
  [[nodiscard]] std::optional<std::string> wrong_types(OperationId i) const;
  [[nodiscard]] Error wrong_operation(OperationId i, const std::string& what) const;

  const History* history_;
  const Model* model_;
  Family family_;
  Value initial_;
  std::span<const OperationSpec> specs_;
  std::vector<std::uint32_t> operation_of_;  // by FunctionId
  std::vector<Role> role_of_;                // likewise
  std::shared_ptr<const BoundHistory> own_;
  std::string outside_family_;
};

}  // namespace plumb
