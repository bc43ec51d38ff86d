#include "testing/observation_file.hpp"

#include <algorithm>

namespace plumb::testing {
namespace {

// Every path of the tree without calls left out, from its root to a leaf or to an operation that blocks.
class Paths {
 public:
  Paths(const SerialTree& tree, const Layout& layout)
      : tree_(tree), layout_(layout), next_(layout.processes(), 0) {}

  std::vector<SerialHistory> all() {
    visit(SerialTree::kRoot);
    return std::move(all_);
  }

 private:
  void visit(SerialTree::Node node) {
    bool is_leaf = true;
    for (std::size_t process = 0; process < layout_.processes(); ++process) {
      if (next_[process] == layout_.count(process)) continue;
      const std::size_t operation = layout_.first(process) + next_[process];
      const SerialTree::Node child = tree_.child(node, operation);
      if (child == SerialTree::kNone) continue;
      is_leaf = false;
      ++next_[process];
      path_.order.push_back(operation);
      if (tree_.blocks(child)) {
        path_.results.emplace_back();
        all_.push_back(path_);
      } else {
        path_.results.emplace_back(tree_.result(child));
        visit(child);
      }
      path_.results.pop_back();
      path_.order.pop_back();
      --next_[process];
    }
    if (is_leaf) all_.push_back(path_);
  }

  const SerialTree& tree_;
  const Layout& layout_;
  std::vector<std::size_t> next_;  // operation of each process
  SerialHistory path_;
  std::vector<SerialHistory> all_;
};

}  // namespace

ObservationFormat observation_format(std::string_view path) {
  return path.ends_with(".json") ? ObservationFormat::kJson : ObservationFormat::kXml;
}

std::string write_observations(const TestCase& test, const Scenario& scenario, const SerialTree& tree,
                               ObservationFormat format) {
  return format == ObservationFormat::kJson ? write_json_observations(test, scenario, tree)
                                            : write_xml_observations(test, scenario, tree);
}

Result<std::vector<ObservationSet>> read_observations(std::string_view text, const TestCase& test,
                                                      ObservationFormat format) {
  return format == ObservationFormat::kJson ? read_json_observations(text, test)
                                            : read_xml_observations(text, test);
}

std::vector<SerialHistory> histories_of(const SerialTree& tree, const Layout& layout) {
  return Paths(tree, layout).all();
}

std::optional<InvocationId> find_invocation(const TestCase& test, std::string_view name,
                                            std::span<const Value> args) {
  const auto& invocations = test.invocations();
  for (std::size_t i = 0; i < invocations.size(); ++i) {
    if (test.operations()[invocations[i].operation].name == name &&
        std::ranges::equal(invocations[i].args, args))
      return static_cast<InvocationId>(i);
  }
  return std::nullopt;
}

bool can_be_run(const Scenario& scenario) {
  return !scenario.threads.empty() && scenario.threads.size() <= kMaxTestThreads &&
         scenario.size() <= kMaxOperations;
}

}  // namespace plumb::testing
