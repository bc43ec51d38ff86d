#include "testing/observed_model.hpp"

#include <map>

#include <fmt/format.h>

namespace plumb::testing {
namespace {

class ObservedStates final : public States {
 public:
  ObservedStates(const TestCase& test, const Layout& layout, const SerialTree& tree, const Values& values)
      : test_(test), layout_(layout), tree_(tree), values_(values) {}

  StateId initial() override { return SerialTree::kRoot; }

  void step(StateId from, const Call& call, std::optional<Value> result,
            std::vector<StateId>& next) override {
    const SerialTree::Node child = after(from, call);
    if (child == SerialTree::kNone || tree_.blocks(child)) return;
    if (!result || *result == tree_.result(child)) next.push_back(child);
  }

  std::vector<Value> results(StateId from, const Call& call) override {
    const SerialTree::Node child = after(from, call);
    if (child == SerialTree::kNone || tree_.blocks(child)) return {};
    return {tree_.result(child)};
  }

  std::string describe(StateId state) const override {
    std::string text;
    for (const std::size_t operation : tree_.path(state)) {
      text += fmt::format("{}{}", text.empty() ? "after " : ", ", test_.label(layout_.invocation(operation)));
    }
    return text.empty() ? "new" : text;
  }
  const Values& values() const override { return values_; }
  std::size_t count() const override { return tree_.size(); }
  std::size_t memory() const override { return 0; }

 private:
  [[nodiscard]] SerialTree::Node after(StateId from, const Call& call) const {
    return tree_.child(from, static_cast<std::size_t>(values_.as_integer(call.process)));
  }

  const TestCase& test_;
  const Layout& layout_;
  const SerialTree& tree_;
  const Values& values_;
};

class ObservedModel final : public Model {
 public:
  ObservedModel(const TestCase& test, const Layout& layout, const SerialTree& tree)
      : test_(test), layout_(layout), tree_(tree), name_(fmt::format("{}, run serially", test.name())) {
    for (const auto& operation : test.operations()) {
      operations_.push_back({.name = operation.name,
                             .takes = std::vector<Takes>(operation.parameters, Takes::kAny),
                             .returns = Returns::kAny});
    }
  }

  std::string_view name() const override { return name_; }
  std::string_view summary() const override { return "the object itself, run serially"; }
  std::span<const OperationSpec> operations() const override { return operations_; }
  std::optional<Value> key(const Call&) const override { return std::nullopt; }
  bool is_keyed() const override { return false; }
  bool depends_on_process() const override { return true; }
  Result<std::unique_ptr<States>> states(const Values& values, Value) const override {
    return std::unique_ptr<States>(std::make_unique<ObservedStates>(test_, layout_, tree_, values));
  }

 private:
  const TestCase& test_;
  const Layout& layout_;
  const SerialTree& tree_;
  std::string name_;
  std::vector<OperationSpec> operations_;
};

}  // namespace

std::unique_ptr<Model> observed_model(const TestCase& test, const Layout& layout, const SerialTree& tree) {
  return std::make_unique<ObservedModel>(test, layout, tree);
}

}  // namespace plumb::testing
