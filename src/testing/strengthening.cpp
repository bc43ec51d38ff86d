#include "testing/strengthening.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "testing/scenario.hpp"

namespace plumb::testing {
namespace {

constexpr OperationSet bit_of(std::size_t operation) { return OperationSet{1} << operation; }

template <class F>
void each_of(OperationSet set, const F& call) {
  for (; set != 0; set &= set - 1) call(static_cast<std::size_t>(std::countr_zero(set)));
}

bool is_over_by_now(const IsOver& is_over) { return is_over && is_over(); }

constexpr std::size_t kMostPlaces = 10'000;  // that are looked at to know that all orders are right
constexpr std::size_t kMostRemembered = 1'000'000;

}  // namespace

std::optional<Witness> StepWitnesses::find(const Predecessors& predecessors,
                                           std::optional<std::size_t> blocks) {
  order_.clear();
  next_.clear();
  tried_.clear();
  left_out_ = 0;
  may_be_left_out_ = failed_.always;
  each_of(failed_.if_contended, [&](std::size_t operation) {
    if (is_contended(predecessors, operation)) may_be_left_out_ |= bit_of(operation);
  });
  if (!extend(predecessors, blocks, 0, steps_.initial())) return std::nullopt;
  return Witness{.order = order_, .contended = left_out_ & failed_.if_contended};
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
  stopped_ = stopped_ || is_over_by_now(is_over_);
  if (stopped_ || tried_.contains({done, state})) return false;
  const std::size_t first = next_.size();
  for (OperationSet left = returned_ & ~done; left != 0; left &= left - 1) {
    const auto operation = static_cast<std::size_t>(std::countr_zero(left));
    if ((predecessors[operation] & returned_ & ~done) != 0) continue;
    steps_.step(state, operation, next_);
    order_.push_back(operation);
    for (std::size_t i = first; i < next_.size(); ++i) {
      if (extend(predecessors, blocks, done | bit_of(operation), next_[i])) return true;
    }
    next_.resize(first);
    if ((may_be_left_out_ & bit_of(operation)) != 0) {
      left_out_ |= bit_of(operation);
      if (extend(predecessors, blocks, done | bit_of(operation), state)) return true;
      left_out_ &= ~bit_of(operation);
    }
    order_.pop_back();
  }
  tried_.insert({done, state});
  return false;
}

// All together first: often nothing matters. Else one after the other.
OperationSet StepWitnesses::bound(const Predecessors& predecessors, std::optional<std::size_t> blocks,
                                  const Witness& witness) {
  const auto is_enough = [&](OperationSet kept) {
    Predecessors with = predecessors;
    OperationSet sooner = 0;
    for (const std::size_t each : witness.order) {
      if ((kept & bit_of(each)) == 0) continue;
      with[each] |= sooner;
      sooner |= bit_of(each);
    }
    return are_all_right(with, blocks, failed_.always | witness.contended);
  };
  if (is_enough(0)) return 0;
  OperationSet bound = returned_;
  each_of(returned_, [&](std::size_t each) {
    if (is_enough(bound & ~bit_of(each))) bound &= ~bit_of(each);
  });
  return bound;
}

// Where an operation may lead to several states, only the first is followed.
bool StepWitnesses::are_all_right(const Predecessors& predecessors, std::optional<std::size_t> blocks,
                                  OperationSet left_out) {
  std::vector<Place> to_do = {{0, steps_.initial()}};
  absl::flat_hash_set<Place> met(to_do.begin(), to_do.end());
  std::vector<StateId> next;
  while (!to_do.empty()) {
    const auto [done, state] = to_do.back();
    to_do.pop_back();
    if (done == returned_ && blocks && !steps_.blocks(state, *blocks)) return false;
    if (met.size() > kMostPlaces || is_over_by_now(is_over_)) return false;
    for (OperationSet left = returned_ & ~done; left != 0; left &= left - 1) {
      const auto operation = static_cast<std::size_t>(std::countr_zero(left));
      if ((predecessors[operation] & returned_ & ~done) != 0) continue;
      next.clear();
      if ((left_out & bit_of(operation)) != 0) {
        next.push_back(state);
      } else {
        steps_.step(state, operation, next);
      }
      if (next.empty()) return false;
      const Place after{done | bit_of(operation), next.front()};
      if (met.insert(after).second) to_do.push_back(after);
    }
  }
  return true;
}

Strengthening::Strengthening(std::span<const ClientRelations> relations, OperationSet called,
                             OperationSet returned, Witnesses& witnesses, Allows allows, IsOver is_over)
    : called_(called),
      returned_(returned),
      witnesses_(witnesses),
      allows_(std::move(allows)),
      is_over_(std::move(is_over)),
      order_(relations, returned, &ClientRelations::reaches, &ClientRelations::precedes),
      causal_order_(relations, returned, &ClientRelations::causes, &ClientRelations::causes),
      predecessors_(relations.size()) {}

std::optional<ClientViolation> Strengthening::find(std::size_t most_edges) {
  const OperationSet open = called_ & ~returned_;
  std::optional<ClientViolation> found;
  const auto ask = [&](std::optional<std::size_t> blocks) {
    blocks_ = blocks;
    if (found || stopped_ || !search_all(most_edges)) return;
    for (std::size_t i = 0; i < edges_.size(); ++i) take_back();
    found = ClientViolation{.edges = edges_, .predecessors = predecessors_, .blocked = blocks};
  };
  if (open == 0) {
    ask(std::nullopt);
  } else {
    each_of(open, ask);
  }
  return found;
}

// What turns out to take long begins anew, and asks what matters.
bool Strengthening::search_all(std::size_t most_edges) {
  searched_.clear();
  for (const bool is_long : {false, true}) {
    is_long_ = is_long;
    given_up_ = false;
    nodes_ = 0;
    edges_.clear();
    excluded_.clear();
    if (search(most_edges)) return true;
    if (!given_up_ || stopped_) return false;
  }
  return false;
}

bool Strengthening::gives_up() {
  stopped_ = stopped_ || is_over_by_now(is_over_);
  given_up_ = given_up_ || stopped_ || (!is_long_ && nodes_ > most_short_);
  return given_up_;
}

// All that was searched with them before counts, whatever is excluded now: what is excluded was
// searched, too.
bool Strengthening::search(std::size_t most_edges) {
  ++nodes_;
  const std::size_t more = most_edges == kAnyNumber ? kAnyNumber : most_edges - edges_.size();
  const Hash128 key = key_of_reached();
  if (const auto known = searched_.find(key); known != searched_.end() && known->second >= more) return false;
  set_predecessors();
  const auto witness = witnesses_.find(predecessors_, blocks_);
  if (gives_up()) return false;
  if (!witness) {
    if (edges_.empty() || allows_(edges_)) return true;
    denied_ = true;
    return false;
  }
  if (more == 0) return false;
  const std::size_t mark = excluded_.size();
  for (const ClientEdge& edge : edges_against(*witness)) {
    if (std::ranges::find(excluded_, edge) != excluded_.end()) continue;
    edges_.push_back(edge);
    if (add(edge)) {
      if (search(most_edges)) return true;
      take_back();
    }
    edges_.pop_back();
    if (given_up_) return false;
    excluded_.push_back(edge);
  }
  excluded_.resize(mark);
  if (searched_.size() < kMostRemembered) searched_.insert_or_assign(key, more);
  return false;
}

std::vector<ClientEdge> Strengthening::edges_against(const Witness& witness) {
  const OperationSet bound = is_long_ ? witnesses_.bound(predecessors_, blocks_, witness) : returned_;
  std::vector<ClientEdge> edges;
  const auto add = [&](std::size_t from, std::size_t to) {
    edges.push_back({.from = static_cast<std::uint32_t>(from), .to = static_cast<std::uint32_t>(to)});
  };
  OperationSet sooner = 0;
  for (const std::size_t later : witness.order) {
    if ((bound & bit_of(later)) == 0) continue;
    // The other way round they are in order already.
    each_of(sooner & ~predecessors_[later], [&](std::size_t each) { add(later, each); });
    sooner |= bit_of(later);
  }
  each_of(witness.contended, [&](std::size_t left_out) {
    each_of(called_ & ~predecessors_[left_out] & ~bit_of(left_out), [&](std::size_t other) {
      if ((predecessors_[other] & bit_of(left_out)) != 0) return;
      add(left_out, other);
      if ((returned_ & bit_of(other)) != 0) add(other, left_out);
    });
  });
  return edges;
}

// Nothing is reached from those that have not returned.
Hash128 Strengthening::key_of_reached() const {
  std::array<OperationSet, kMaxOperations> reached{};
  each_of(returned_, [&](std::size_t from) { reached[from] = order_.reached(from); });
  return hash128(
      {reinterpret_cast<const char*>(reached.data()), predecessors_.size() * sizeof(OperationSet)});
}

// False: no client has it.
bool Strengthening::add(const ClientEdge& edge) {
  if (!causal_order_.add(edge)) return false;
  if (order_.add(edge)) return true;
  causal_order_.take_back();
  return false;
}
void Strengthening::take_back() {
  order_.take_back();
  causal_order_.take_back();
}

void Strengthening::set_predecessors() {
  std::ranges::fill(predecessors_, 0);
  each_of(returned_, [&](std::size_t from) {
    each_of(order_.reached(from), [&](std::size_t to) { predecessors_[to] |= bit_of(from); });
  });
}

// What is asked with these edges.
template <class F>
auto Strengthening::with(std::span<const ClientEdge> edges, const F& ask) {
  std::size_t added = 0;
  while (added < edges.size() && add(edges[added])) ++added;
  const bool is_consistent = order_.is_consistent() && causal_order_.is_consistent();
  auto answer = ask(is_consistent && added == edges.size());
  for (; added > 0; --added) take_back();
  return answer;
}

bool Strengthening::is_consistent(std::span<const ClientEdge> edges) {
  return with(edges, [](bool consistent) { return consistent; });
}

Predecessors Strengthening::predecessors(std::span<const ClientEdge> edges) {
  return with(edges, [this](bool consistent) {
    if (!consistent) return Predecessors{};
    set_predecessors();
    return predecessors_;
  });
}

}  // namespace plumb::testing
