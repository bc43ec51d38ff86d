#include "testing/set_monitor.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include <plumb/detail/mix.hpp>

namespace plumb::testing {

SetMonitor::SetMonitor(const SerialTree& tree, const Layout& layout, const SpuriousFailures& failures,
                       bool forbids_waiting, CoverageCensus* coverage)
    : failures_(failures),
      forbids_waiting_(forbids_waiting),
      coverage_(coverage),
      operations_(layout.size()) {
  join_equal_subtrees(tree);
}

// Children have larger numbers than their parents, so from the last node on all that a node leads to is known.
void SetMonitor::join_equal_subtrees(const SerialTree& tree) {
  std::map<std::vector<Next>, Number> known;
  std::vector<Number> joined(tree.size());
  std::vector<Next> all(operations_);
  for (auto node = static_cast<SerialTree::Node>(tree.size()); node-- > 0;) {
    for (std::size_t operation = 0; operation < operations_; ++operation) {
      const SerialTree::Node child = tree.child(node, operation);
      all[operation] =
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

SetMonitor::State SetMonitor::initial() { return number({.all = {{.state = root_, .effects = {}}}}); }

SetMonitor::State SetMonitor::number(Set set) {
  if (set.all.empty()) return kViolation;
  const auto [entry, is_new] = numbers_.emplace(std::move(set), static_cast<State>(sets_.size()));
  if (is_new) sets_.push_back(&entry->first);
  return entry->second;
}

// Where the answer stands, or is to be written.
SetMonitor::Answer& SetMonitor::answer_to(const Question& question) {
  const std::uint64_t hash = detail::mix(detail::mix(question.open, question.result),
                                         std::uint64_t{question.before} << 32U | question.operation);
  for (std::size_t at = hash;; ++at) {
    Answer& answer = answers_[at & (answers_.size() - 1)];
    if (!answer.is_known || answer.question == question) return answer;
  }
}

SetMonitor::State SetMonitor::returned(State before, std::uint64_t open, std::uint32_t operation,
                                       std::uint64_t result) {
  const Question question{before, operation, open, result};
  Answer& answer = answer_to(question);
  if (answer.is_known) return answer.state;
  if (coverage_ != nullptr)
    coverage_->note_return(open, operation, Value::from_bits(static_cast<std::uint32_t>(result)));
  const State state = number(after(*sets_[before], open, operation, static_cast<std::uint32_t>(result)));
  answer = {.question = question, .state = state, .is_known = true};
  if (++known_answers_ * 2 <= answers_.size()) return state;
  std::vector<Answer> old(answers_.size() * 4);
  old.swap(answers_);
  for (const Answer& each : old) {
    if (each.is_known) answer_to(each.question) = each;
  }
  return state;
}

std::optional<std::uint32_t> SetMonitor::failing(const Set& before, std::uint64_t open,
                                                 std::uint32_t operation) const {
  const auto result = failures_.result(operation);
  if (!result) return std::nullopt;
  const bool met = std::popcount(open) > 1 || (before.contended >> operation & 1U) != 0;
  return met || !failures_.only_contended(operation) ? std::optional(result->bits()) : std::nullopt;
}

// Any of the open operations may take effect, in any order; the one that returns must have, with this result.
SetMonitor::Set SetMonitor::after(const Set& before, std::uint64_t open, std::uint32_t operation,
                                  std::uint32_t result) const {
  std::set<Configuration> reached(before.all.begin(), before.all.end());
  std::vector<Configuration> to_do(before.all);
  while (!to_do.empty()) {
    const Configuration from = std::move(to_do.back());
    to_do.pop_back();
    for (std::uint64_t left = open; left != 0; left &= left - 1) {
      const auto effect = static_cast<std::uint32_t>(std::countr_zero(left));
      if (std::ranges::any_of(from.effects, [&](const auto& known) { return known.first == effect; }))
        continue;
      const auto take = [&](Number state, std::uint32_t returns) {
        if (effect == operation && returns != result) return;
        Configuration to{state, from.effects};
        to.effects.emplace_back(effect, returns);
        std::ranges::sort(to.effects);
        if (reached.insert(to).second) to_do.push_back(std::move(to));
      };
      if (const auto failed = failing(before, open, effect)) take(from.state, *failed);
      const Next& then = next(from.state, effect);
      if (then.state != kNone && !then.blocks) take(then.state, then.result);
    }
  }
  Set after;
  for (std::uint64_t left = open & ~(std::uint64_t{1} << operation); left != 0; left &= left - 1) {
    if (failures_.only_contended(static_cast<std::size_t>(std::countr_zero(left))))
      after.contended |= left & -left;
  }
  for (Configuration each : reached) {
    const auto it =
        std::ranges::find_if(each.effects, [&](const auto& known) { return known.first == operation; });
    if (it == each.effects.end() || it->second != result) continue;
    each.effects.erase(it);
    after.all.push_back(std::move(each));
  }
  std::ranges::sort(after.all);
  return after;
}

// Each of them must block, in some order of those that returned (definition 2 of the paper). Where none is open, it is not the object's
// operations that stand still, and that is always to be looked at.
bool SetMonitor::may_stop(State state, std::uint64_t open) {
  if (open == 0) return false;
  if (coverage_ != nullptr) coverage_->note_waiting(open);
  for (; open != 0; open &= open - 1) {
    const auto operation = static_cast<std::size_t>(std::countr_zero(open));
    const bool blocks = std::ranges::any_of(sets_[state]->all, [&](const Configuration& each) {
      return each.effects.empty() && next(each.state, operation).blocks;
    });
    if (!blocks) return false;
  }
  return true;
}

}  // namespace plumb::testing
