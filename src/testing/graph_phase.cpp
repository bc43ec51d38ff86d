#include "testing/graph_phase.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/message.hpp"

namespace plumb::testing {
namespace {

constexpr OperationSet bit_of(std::size_t operation) { return OperationSet{1} << operation; }

// Quasi linearizability is judged of whole orders, one by one.
class RelaxedWitnesses final : public Witnesses {
 public:
  using Accepts = std::function<bool(const std::vector<std::size_t>& order)>;
  RelaxedWitnesses(OperationSet returned, Accepts accepts)
      : returned_(returned), accepts_(std::move(accepts)) {}

  std::optional<Witness> find(const Predecessors& predecessors,
                              std::optional<std::size_t> /*blocks*/) override {
    order_.clear();
    return extend(predecessors, 0) ? std::optional(Witness{.order = order_}) : std::nullopt;
  }
  OperationSet bound(const Predecessors&, std::optional<std::size_t> /*blocks*/, const Witness&) override {
    return returned_;
  }

 private:
  bool extend(const Predecessors& predecessors, OperationSet done) {
    if (done == returned_) {
      const auto [known, fresh] = accepted_.try_emplace(order_);
      if (fresh) known->second = accepts_(order_);
      return known->second;
    }
    for (OperationSet left = returned_ & ~done; left != 0; left &= left - 1) {
      const auto operation = static_cast<std::size_t>(std::countr_zero(left));
      if ((predecessors[operation] & ~done) != 0) continue;
      order_.push_back(operation);
      if (extend(predecessors, done | bit_of(operation))) return true;
      order_.pop_back();
    }
    return false;
  }

  OperationSet returned_;
  Accepts accepts_;
  std::vector<std::size_t> order_;
  std::map<std::vector<std::size_t>, bool> accepted_;
};

}  // namespace

Exploration GraphPhase::run(const ExploreOptions& options) {
  Exploration found = explore(options, engine::ExplorationMode::kConcurrent);
  ordered_ = of_client_.has_value();
  if (of_client_) view_.observed = *of_client_;
  return found;
}

std::string GraphPhase::learnt() const {
  MessageWriter to;
  to.text(JudgingPhase::learnt()).number(met_.size());
  for (const auto& [key, settled] : met_) to.number(key.low).number(key.high).number(settled ? 1 : 0);
  return to.take();
}

void GraphPhase::learn(std::string_view learnt) {
  MessageReader from(learnt);
  JudgingPhase::learn(from.text());
  for (std::uint64_t left = from.number(); left > 0 && from.ok(); --left) {
    Hash128 key;
    key.low = from.number();
    key.high = from.number();
    met_[key] |= from.number() != 0;
  }
}

std::optional<std::string> GraphPhase::judge_history(const engine::FinishedExecution& execution) {
  execution_ = &execution;
  if (execution.is_deadlock() && !view_.has_open()) return judge_closed_deadlock();
  const std::vector<ClientRelations> relations = execution.client_relations();
  const Hash128 key = key_of(relations);
  if (census_ != nullptr) census_->note(key);
  const auto [known, is_new] = met_.try_emplace(key, false);
  if (is_new && coverage_ != nullptr) coverage_->note(view_.observed, relations);
  bool& settled = known->second;
  if (settled) return std::nullopt;
  if (view_.test.claims_synchronisation()) {
    if (auto sentence = judge_claims(relations)) return sentence;
  }
  std::unique_ptr<SerialSteps> steps;
  if (!judges_whole_orders()) {
    steps = specification();
    if (!steps) return judge_what_does_not_fit();
  }
  bool by_relations = true;
  const auto violation = refute(relations, steps.get(), by_relations);
  if (violation && is_beyond_judging()) return std::nullopt;
  if (violation) return tell(*violation);
  settled = by_relations && most_edges_ == Strengthening::kAnyNumber;
  return std::nullopt;
}

// The one operation that was given what this one returned; none where there is no other, or several.
std::optional<std::size_t> GraphPhase::giver_of(std::size_t taker) const {
  const auto invocation = [&](std::size_t each) -> const test::Invocation& {
    return view_.test.invocations()[view_.layout.invocation(each)];
  };
  const Value result = view_.observed.result(taker);
  std::optional<std::size_t> giver;
  for (OperationSet left = view_.observed.called(); left != 0; left &= left - 1) {
    const auto each = static_cast<std::size_t>(std::countr_zero(left));
    if (each == taker || std::ranges::find(invocation(each).args, result) == invocation(each).args.end())
      continue;
    if (giver) return std::nullopt;
    giver = each;
  }
  const bool is_claimed =
      giver && !result.is_null() &&
      view_.test.is_to_synchronise(invocation(*giver).operation, invocation(taker).operation);
  return is_claimed ? giver : std::nullopt;
}

std::optional<std::string> GraphPhase::judge_claims(std::span<const ClientRelations> relations) {
  if (coverage_ != nullptr) coverage_->note_claims();
  for (OperationSet left = view_.observed.returned(); left != 0; left &= left - 1) {
    const auto taker = static_cast<std::size_t>(std::countr_zero(left));
    const auto giver = giver_of(taker);
    if (giver && coverage_ != nullptr) coverage_->note_hand_over(*giver, taker);
    if (!giver || (relations[*giver].reaches & bit_of(taker)) != 0) continue;
    is_told_ = true;
    return found(
        ViolationKind::kRace,
        fmt::format("{0} does not synchronise with {1}, which returned what it was given: what "
                    "happened before {0} need not be visible after {1}, and data that a client hands "
                    "over so has a race",
                    view_.label(*giver), view_.label(taker)));
  }
  return std::nullopt;
}

// Equal where the results are, and all that decides what clients can know, but for what sequentially consistent events forbid.
Hash128 GraphPhase::key_of(std::span<const ClientRelations> relations) {
  const ObservedHistory& observed = view_.observed;
  key_.clear();
  const auto append = [&](const auto& word) {
    key_.append(reinterpret_cast<const char*>(&word), sizeof word);
  };
  append(observed.called());
  append(observed.returned());
  for (OperationSet left = observed.called(); left != 0; left &= left - 1) {
    const auto operation = static_cast<std::size_t>(std::countr_zero(left));
    append(relations[operation]);
    if (observed.returned(operation)) append(result_keys_.of(observed.result(operation)));
  }
  return hash128(key_);
}

// With the fewest edges; by whole orders if there are no steps. `by_relations`: they have decided it alone.
std::optional<ClientViolation> GraphPhase::refute(std::span<const ClientRelations> relations,
                                                  SerialSteps* steps, bool& by_relations) {
  const ObservedHistory& observed = view_.observed;
  const auto undecided_before = std::exchange(undecided_, std::nullopt);
  const auto is_over = [this, over = std::make_shared<bool>(false)] {
    *over = *over || view_.limits.asked_to_stop() || view_.limits.late();
    return *over;
  };
  std::unique_ptr<Witnesses> witnesses;
  if (steps == nullptr) {
    witnesses = std::make_unique<RelaxedWitnesses>(observed.returned(), [&](const auto& order) {
      ObservedHistory as_run(view_.layout);
      for (const std::size_t each : order) {
        as_run.call(each);
        as_run.ret(each, observed.result(each));
      }
      std::swap(as_run, view_.observed);
      const bool accepted = !judge_by_model().has_value();
      std::swap(as_run, view_.observed);
      return accepted;
    });
  } else {
    witnesses = std::make_unique<StepWitnesses>(*steps, observed.called(), observed.returned(),
                                                view_.failures.of(observed), is_over);
  }
  const auto allows = [this](std::span<const ClientEdge> edges) { return execution_->allows(edges); };
  Strengthening strengthening(relations, observed.called(), observed.returned(), *witnesses, allows, is_over);
  auto violation = strengthening.find(most_edges_);
  if (!violation && strengthening.was_stopped()) undecided_ = "an execution was not judged to the end";
  by_relations = !strengthening.asked_more_than_relations();
  const bool decided = is_decided() && !undecided_;
  if (!undecided_) undecided_ = undecided_before;
  if (!decided) return std::nullopt;
  for (std::size_t most = 0; violation && most < violation->edges.size(); ++most) {
    if (auto fewer = strengthening.find(most)) violation = std::move(fewer);
  }
  return violation;
}

std::string GraphPhase::tell(const ClientViolation& violation) {
  if (is_told_) return "the same with other memory orders";  // that are tried, for a suggestion
  is_told_ = true;
  client_ = violation.edges;
  of_client_ = in_order(view_.observed, view_.layout, violation.predecessors);
  if (of_client_) view_.observed = *of_client_;
  if (view_.has_open()) return tell_blocked(violation.blocked.value_or(view_.first_open()));
  if (view_.test.chosen_model() != nullptr && (of_client_ || violation.predecessors.empty())) {
    if (auto sentence = judge_by_model()) return *sentence;
  }
  const std::string what = view_.test.chosen_model() != nullptr
                               ? fmt::format("the model {} has", view_.test.chosen_model()->name())
                               : "no serial run has";
  return found(
      ViolationKind::kNotLinearizable,
      view_.test.chosen_model() != nullptr
          ? what + " no order of these operations with these results that keeps what clients can know"
          : what + " these results in an order that keeps what was observed");
}

std::optional<ObservedHistory> in_order(const ObservedHistory& observed, const Layout& layout,
                                        const Predecessors& predecessors) {
  const auto before = [&](std::size_t operation) {
    return operation < predecessors.size() ? predecessors[operation] : 0;
  };
  ObservedHistory ordered(layout);
  const auto return_all = [&](OperationSet which) {
    for (; which != 0; which &= which - 1) {
      const auto operation = static_cast<std::size_t>(std::countr_zero(which));
      ordered.ret(operation, observed.result(operation));
    }
  };
  // The one that waits for the fewest is called next: its predecessors have to return.
  for (OperationSet left = observed.called(); left != 0;) {
    std::size_t next = 0;
    int fewest = std::numeric_limits<int>::max();
    for (OperationSet each = left; each != 0; each &= each - 1) {
      const auto operation = static_cast<std::size_t>(std::countr_zero(each));
      const int waits = std::popcount(before(operation) & ~ordered.returned());
      if (waits < fewest) {
        fewest = waits;
        next = operation;
      }
    }
    if ((before(next) & ~ordered.called()) != 0) return std::nullopt;
    return_all(before(next) & ~ordered.returned());
    ordered.call(next);
    left &= ~bit_of(next);
    if (ordered.before(next) != before(next)) return std::nullopt;
  }
  return_all(observed.returned() & ~ordered.returned());
  return ordered;
}

}  // namespace plumb::testing
