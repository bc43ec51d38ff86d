// The classes of java.util.concurrent: any of their methods that need not wait. What they return, the model says; that it
// is what Java returns is tested with recordings of the real classes.
#include <algorithm>
#include <map>
#include <vector>

#include "spec/java_classes.hpp"
#include "spec/workload.hpp"

namespace plumb {
namespace {

constexpr std::int64_t kCapacity = 4;

class JavaWorkload final : public Workload {
 public:
  JavaWorkload(const Setting& setting, const JavaClass& type) : s_(setting), model_(**find_model(type.name)) {
    for (std::uint32_t i = 0; i < model_.operations().size(); ++i) {
      if (is_chosen(model_.operations()[i])) chosen_.push_back(i);
    }
    for (std::int64_t a = 0; a < elements(); ++a) {
      for (std::int64_t b = 0; b < elements(); ++b) know(std::array{Value::small(a), Value::small(b)});
    }
    know({});
    if (type.has_capacity) initial_ = s_.values.array(std::array{Value::small(kCapacity)});
    states_ = model_.states(own_, type.has_capacity ? Value::small(kCapacity) : kNull).value();
    state_ = states_->initial();
  }

  Value initial() const override { return initial_; }

  std::optional<Request> choose(std::size_t slot, const Progress&) override {
    const std::uint32_t operation = chosen_[s_.rng.below(chosen_.size())];
    const auto& takes = model_.operations()[operation].takes;
    switch (takes.size()) {
      case 0:
        return Request{slot, operation};
      case 1:
        return Request{slot, operation, {argument(takes[0])}};
      default:
        return Request{slot, operation, {argument(takes[0]), argument(takes[1])}};
    }
  }

  std::optional<Value> apply(OperationId, const Request& request) override {
    std::vector<Value> args;
    for (const Value arg : request.args.all()) {
      const auto list = own_lists_.find(arg.bits());
      args.push_back(list == own_lists_.end() ? arg : list->second);
    }
    const Call call{request.operation, kNull, args};
    const Value result = states_->results(state_, call).front();
    next_.clear();
    states_->step(state_, call, result, next_);
    state_ = next_.front();
    return s_.values.import(states_->values(), result);
  }

  // Something is found that nobody ever put in.
  void spoil(Script& script) override {
    const auto key = find_operation(model_, "containsKey");
    const std::uint32_t contains = key ? *key : find_operation(model_, "contains").value();
    script.record(script.run_anywhere(contains, {s_.values.integer(elements())}), kTrue);
  }

 private:
  [[nodiscard]] std::int64_t elements() const {
    constexpr std::size_t kMost = 64;
    return static_cast<std::int64_t>(std::min(s_.options.values, kMost));
  }

  static bool is_chosen(const OperationSpec& spec) {
    const bool waits =
        spec.name.starts_with("take") || (spec.name.starts_with("put") && spec.takes.size() == 1);
    return !waits && spec.takes.size() <= 2 && spec.optional == 0;
  }

  Value argument(Takes takes) {
    if (takes == Takes::kArray) return lists_[s_.rng.below(lists_.size())];
    return Value::small(static_cast<std::int64_t>(s_.rng.below(static_cast<std::uint64_t>(elements()))));
  }

  // The history's table grows, so the states stand on one of their own.
  void know(std::span<const Value> list) {
    lists_.push_back(s_.values.array(list));
    own_lists_[lists_.back().bits()] = own_.array(list);
  }

  Setting s_;
  const Model& model_;
  Value initial_;
  std::vector<std::uint32_t> chosen_;  // operations
  std::vector<Value> lists_;
  std::map<std::uint32_t, Value> own_lists_;
  Values own_;
  std::unique_ptr<States> states_;
  StateId state_ = 0;
  std::vector<StateId> next_;
};

}  // namespace

std::unique_ptr<Workload> java_workload(const Setting& setting) {
  const auto types = java_classes();
  const auto type = std::ranges::find(types, setting.options.model, &JavaClass::name);
  return type == types.end() ? nullptr : std::make_unique<JavaWorkload>(setting, *type);
}

}  // namespace plumb
