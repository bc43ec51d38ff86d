#include "testing/strengthening.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace plumb::testing {
namespace {

constexpr OperationSet bit_of(std::size_t operation) { return OperationSet{1} << operation; }

template <class F>
void each_of(OperationSet set, const F& call) {
  for (; set != 0; set &= set - 1) call(static_cast<std::size_t>(std::countr_zero(set)));
}

}  // namespace

std::optional<std::vector<std::size_t>> StepWitnesses::find(const Predecessors& predecessors,
                                                            std::optional<std::size_t> blocks) {
  order_.clear();
  tried_.clear();
  left_out_ = failed_.always;
  each_of(failed_.if_contended, [&](std::size_t operation) {
    if (is_contended(predecessors, operation)) left_out_ |= bit_of(operation);
  });
  if (!extend(predecessors, blocks, 0, steps_.initial())) return std::nullopt;
  return order_;
}

bool StepWitnesses::is_contended(const Predecessors& predecessors, std::size_t operation) const {
  OperationSet others = called_ & ~predecessors[operation] & ~bit_of(operation);
  for (; others != 0; others &= others - 1) {
    if ((predecessors[static_cast<std::size_t>(std::countr_zero(others))] & bit_of(operation)) == 0)
      return true;
  }
  return false;
}

bool StepWitnesses::extend(const Predecessors& predecessors, std::optional<std::size_t> blocks,
                           OperationSet done, StateId state) {
  if (done == returned_) return !blocks || steps_.blocks(state, *blocks);
  if (std::ranges::find(tried_, Tried{done, state}) != tried_.end()) return false;
  std::vector<StateId> next;
  for (OperationSet left = returned_ & ~done; left != 0; left &= left - 1) {
    const auto operation = static_cast<std::size_t>(std::countr_zero(left));
    if ((predecessors[operation] & returned_ & ~done) != 0) continue;
    next.clear();
    if ((left_out_ & bit_of(operation)) != 0) next.push_back(state);
    steps_.step(state, operation, next);
    order_.push_back(operation);
    for (const StateId after : next) {
      if (extend(predecessors, blocks, done | bit_of(operation), after)) return true;
    }
    order_.pop_back();
  }
  tried_.push_back({done, state});
  return false;
}

Strengthening::Strengthening(std::span<const ClientRelations> relations, OperationSet called,
                             OperationSet returned, Witnesses& witnesses, Allows allows)
    : relations_(relations),
      called_(called),
      returned_(returned),
      witnesses_(witnesses),
      allows_(std::move(allows)),
      edges_to_(relations.size()),
      reached_(relations.size()),
      predecessors_(relations.size()) {
  for (std::size_t i = 0; i < relations.size(); ++i) edges_to_[i] = relations[i].before;
}

std::optional<ClientViolation> Strengthening::find(std::size_t most_edges) {
  const OperationSet open = called_ & ~returned_;
  std::optional<ClientViolation> found;
  const auto ask = [&](std::optional<std::size_t> blocks) {
    blocks_ = blocks;
    edges_.clear();
    excluded_.clear();
    (void)is_consistent_now();
    if (found || !search(most_edges)) return;
    for (const ClientEdge& edge : edges_) edges_to_[edge.from] = relations_[edge.from].before;
    found = ClientViolation{.edges = edges_, .predecessors = predecessors_, .blocked = blocks};
  };
  if (open == 0) {
    ask(std::nullopt);
  } else {
    each_of(open, ask);
  }
  return found;
}

// reached_ is that of the edges so far.
bool Strengthening::search(std::size_t most_edges) {
  set_predecessors();
  const auto order = witnesses_.find(predecessors_, blocks_);
  if (!order) {
    if (edges_.empty() || allows_(edges_)) return true;
    denied_ = true;
    return false;
  }
  if (edges_.size() >= most_edges) return false;
  const std::size_t mark = excluded_.size();
  for (std::size_t later = 1; later < order->size(); ++later) {
    for (std::size_t sooner = 0; sooner < later; ++sooner) {
      const ClientEdge edge{.from = static_cast<std::uint32_t>((*order)[later]),
                            .to = static_cast<std::uint32_t>((*order)[sooner])};
      if (std::ranges::find(excluded_, edge) != excluded_.end()) continue;
      edges_.push_back(edge);
      edges_to_[edge.from] |= bit_of(edge.to);
      if (is_consistent_now() && search(most_edges)) return true;
      edges_to_[edge.from] &= ~bit_of(edge.to);
      edges_.pop_back();
      excluded_.push_back(edge);
    }
  }
  excluded_.resize(mark);
  return false;
}

// Whether D ; (via ; D)* has no pair that `bad` has the other way round; it is kept as reached_.
bool Strengthening::follows(OperationSet ClientRelations::*via, OperationSet ClientRelations::*bad) {
  for (OperationSet left = returned_; left != 0; left &= left - 1) {
    const auto from = static_cast<std::size_t>(std::countr_zero(left));
    OperationSet reached = edges_to_[from];
    for (OperationSet to_do = reached; to_do != 0;) {
      const auto to = static_cast<std::size_t>(std::countr_zero(to_do));
      to_do &= to_do - 1;
      if ((relations_[to].*bad & bit_of(from)) != 0) return false;
      for (OperationSet next = relations_[to].*via; next != 0; next &= next - 1) {
        const OperationSet more = edges_to_[static_cast<std::size_t>(std::countr_zero(next))] & ~reached;
        reached |= more;
        to_do |= more;
      }
    }
    reached_[from] = reached;
  }
  return true;
}

bool Strengthening::is_consistent_now() {
  return follows(&ClientRelations::causes, &ClientRelations::causes) &&
         follows(&ClientRelations::reaches, &ClientRelations::precedes);
}

void Strengthening::set_predecessors() {
  std::ranges::fill(predecessors_, 0);
  each_of(returned_, [&](std::size_t from) {
    each_of(reached_[from], [&](std::size_t to) { predecessors_[to] |= bit_of(from); });
  });
}

bool Strengthening::is_consistent(std::span<const ClientEdge> edges) {
  const auto saved = edges_to_;
  for (const ClientEdge& edge : edges) edges_to_[edge.from] |= bit_of(edge.to);
  const bool consistent = is_consistent_now();
  edges_to_ = saved;
  return consistent;
}

Predecessors Strengthening::predecessors(std::span<const ClientEdge> edges) {
  if (!is_consistent(edges)) return {};
  set_predecessors();
  return predecessors_;
}

}  // namespace plumb::testing
