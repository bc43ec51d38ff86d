#include "testing/set_monitor.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include <plumb/detail/mix.hpp>

namespace plumb::testing {

SetMonitor::SetMonitor(const SerialTree& tree, const Layout& layout, bool forbids_waiting)
    : layout_(layout), forbids_waiting_(forbids_waiting), processes_(tree.processes()) {
  join_equal_subtrees(tree);
}

// Children have larger numbers than their parents, so from the last node on all that a node leads to is known.
void SetMonitor::join_equal_subtrees(const SerialTree& tree) {
  std::map<std::vector<Next>, Number> known;
  std::vector<Number> joined(tree.size());
  std::vector<Next> all(processes_);
  for (auto node = static_cast<SerialTree::Node>(tree.size()); node-- > 0;) {
    for (std::size_t process = 0; process < processes_; ++process) {
      const SerialTree::Node child = tree.child(node, process);
      all[process] =
          child == SerialTree::kNone
              ? Next{}
              : Next{joined[child], tree.blocks(child) ? 0 : tree.result(child).bits(), tree.blocks(child)};
    }
    const auto [entry, is_new] = known.emplace(all, static_cast<Number>(known.size()));
    if (is_new) next_.insert(next_.end(), all.begin(), all.end());
    joined[node] = entry->second;
  }
  root_ = joined[SerialTree::kRoot];
}

std::size_t SetMonitor::QuestionHash::operator()(const Question& question) const {
  return detail::mix(detail::mix(question.open, question.result),
                     std::uint64_t{question.before} << 32U | question.operation);
}

SetMonitor::State SetMonitor::initial() { return number({{.state = root_, .effects = {}}}); }

SetMonitor::State SetMonitor::number(Set set) {
  if (set.empty()) return kViolation;
  const auto [entry, is_new] = numbers_.emplace(std::move(set), static_cast<State>(sets_.size()));
  if (is_new) sets_.push_back(&entry->first);
  return entry->second;
}

SetMonitor::State SetMonitor::returned(State before, std::uint64_t open, std::uint32_t operation,
                                       std::uint64_t result) {
  const Question question{before, operation, open, result};
  if (const auto known = answers_.find(question); known != answers_.end()) return known->second;
  const State answer = number(after(*sets_[before], open, operation, static_cast<std::uint32_t>(result)));
  answers_.emplace(question, answer);
  return answer;
}

// Any of the open operations may take effect, in any order; the one that returns must have, with this result.
SetMonitor::Set SetMonitor::after(const Set& before, std::uint64_t open, std::uint32_t operation,
                                  std::uint32_t result) const {
  std::set<Configuration> reached(before.begin(), before.end());
  std::vector<Configuration> to_do(before);
  while (!to_do.empty()) {
    const Configuration from = std::move(to_do.back());
    to_do.pop_back();
    for (std::uint64_t left = open; left != 0; left &= left - 1) {
      const auto effect = static_cast<std::uint32_t>(std::countr_zero(left));
      const bool has =
          std::ranges::any_of(from.effects, [&](const auto& known) { return known.first == effect; });
      const Next& then = next(from.state, layout_.process(effect));
      if (has || then.state == kNone || then.blocks) continue;
      if (effect == operation && then.result != result) continue;
      Configuration to{then.state, from.effects};
      to.effects.emplace_back(effect, then.result);
      std::ranges::sort(to.effects);
      if (reached.insert(to).second) to_do.push_back(std::move(to));
    }
  }
  Set after;
  for (Configuration each : reached) {
    const auto it =
        std::ranges::find_if(each.effects, [&](const auto& known) { return known.first == operation; });
    if (it == each.effects.end() || it->second != result) continue;
    each.effects.erase(it);
    after.push_back(std::move(each));
  }
  std::ranges::sort(after);
  return after;
}

// Each of them must block, in some order of those that returned (definition 2 of the paper). Where none is open, it is not the object's
// operations that stand still, and that is always to be looked at.
bool SetMonitor::may_stop(State state, std::uint64_t open) {
  if (open == 0) return false;
  for (; open != 0; open &= open - 1) {
    const auto operation = static_cast<std::size_t>(std::countr_zero(open));
    const bool blocks = std::ranges::any_of(*sets_[state], [&](const Configuration& each) {
      return each.effects.empty() && next(each.state, layout_.process(operation)).blocks;
    });
    if (!blocks) return false;
  }
  return true;
}

}  // namespace plumb::testing
