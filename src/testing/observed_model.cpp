#include "testing/observed_model.hpp"

#include <map>
#include <vector>

#include <fmt/format.h>

namespace plumb::testing {
namespace {

// A state is a node of the tree, with the calls that were left out on the way.
class ObservedStates final : public States {
 public:
  ObservedStates(const TestCase& test, const Layout& layout, const SerialTree& tree,
                 std::uint64_t may_be_left_out, const Values& values)
      : test_(test), layout_(layout), tree_(tree), may_be_left_out_(may_be_left_out), values_(values) {}

  StateId initial() override { return number({SerialTree::kRoot, 0}); }

  void step(StateId from, const Call& call, std::optional<Value> result,
            std::vector<StateId>& next) override {
    const Place place = places_[from];
    const auto operation = next_of(place, call);
    if (!operation) return;
    if (const std::uint64_t it = std::uint64_t{1} << *operation; (may_be_left_out_ & it) != 0)
      next.push_back(number({place.node, place.left_out | it}));
    const SerialTree::Node child = tree_.child(place.node, *operation);
    if (child == SerialTree::kNone || tree_.blocks(child)) return;
    if (!result || *result == tree_.result(child)) next.push_back(number({child, place.left_out}));
  }

  std::vector<Value> results(StateId from, const Call& call) override {
    const auto operation = next_of(places_[from], call);
    if (!operation) return {};
    const SerialTree::Node child = tree_.child(places_[from].node, *operation);
    if (child == SerialTree::kNone || tree_.blocks(child)) return {};
    return {tree_.result(child)};
  }

  std::string describe(StateId state) const override {
    std::string text;
    for (const std::size_t operation : tree_.path(places_[state].node)) {
      text += fmt::format("{}{}", text.empty() ? "after " : ", ", test_.label(layout_.invocation(operation)));
    }
    return text.empty() ? "new" : text;
  }
  const Values& values() const override { return values_; }
  std::size_t count() const override { return places_.size(); }
  std::size_t memory() const override { return 0; }

 private:
  struct Place {
    SerialTree::Node node;
    std::uint64_t left_out;  // as bits
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 sees a literal 0
    auto operator<=>(const Place&) const = default;
  };

  StateId number(const Place& place) {
    const auto [entry, is_new] = numbers_.emplace(place, static_cast<StateId>(places_.size()));
    if (is_new) places_.push_back(place);
    return entry->second;
  }
  // The first call of the process that was neither made nor left out.
  [[nodiscard]] std::optional<std::size_t> next_of(const Place& place, const Call& call) const {
    std::uint64_t done = place.left_out;
    for (const std::size_t made : tree_.path(place.node)) done |= std::uint64_t{1} << made;
    const auto process = static_cast<std::size_t>(values_.as_integer(call.process));
    for (std::size_t i = 0; i < layout_.count(process); ++i) {
      if (const std::size_t operation = layout_.first(process) + i; (done >> operation & 1U) == 0)
        return operation;
    }
    return std::nullopt;
  }

  const TestCase& test_;
  const Layout& layout_;
  const SerialTree& tree_;
  std::uint64_t may_be_left_out_;
  const Values& values_;
  std::map<Place, StateId> numbers_;
  std::vector<Place> places_;
};

class ObservedModel final : public Model {
 public:
  ObservedModel(const TestCase& test, const Layout& layout, const SerialTree& tree,
                std::uint64_t may_be_left_out)
      : test_(test),
        layout_(layout),
        tree_(tree),
        may_be_left_out_(may_be_left_out),
        name_(fmt::format("{}, run serially", test.name())) {
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
    return std::unique_ptr<States>(
        std::make_unique<ObservedStates>(test_, layout_, tree_, may_be_left_out_, values));
  }

 private:
  const TestCase& test_;
  const Layout& layout_;
  const SerialTree& tree_;
  std::uint64_t may_be_left_out_;
  std::string name_;
  std::vector<OperationSpec> operations_;
};

}  // namespace

std::unique_ptr<Model> observed_model(const TestCase& test, const Layout& layout, const SerialTree& tree,
                                      std::uint64_t may_be_left_out) {
  return std::make_unique<ObservedModel>(test, layout, tree, may_be_left_out);
}

}  // namespace plumb::testing
