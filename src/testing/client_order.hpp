// The order of operations that edges of a client lead to, while edges are added and taken back, the last first: R = D ; (m ; D)*, where D is
// happens-before and the edges, and m leads from calls to returns. That is a closure, kept as one: what an edge adds begins with it, since a
// way that takes it twice leads no further than the second part of it alone.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "explore/observer.hpp"

namespace plumb::testing {

class ClientOrder {
 public:
  using OperationSet = engine::OperationSet;
  using Relation = OperationSet engine::ClientRelations::*;

  // `via` is m; R must have no pair that `bad` has the other way round.
  ClientOrder(std::span<const engine::ClientRelations> relations, OperationSet returned, Relation via,
              Relation bad)
      : relations_(relations),
        returned_(returned),
        via_(via),
        ends_(relations.size()),
        forbidden_(relations.size()) {
    for (std::size_t to = 0; to < relations.size(); ++to)
      each_of(relations[to].*bad, [&](std::size_t from) { forbidden_[from] |= bit_of(to); });
    each_of(returned, [&](std::size_t from) {
      each_of(relations[from].before, [&](std::size_t to) {
        extend({static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to)});
      });
    });
    each_of(returned, [&](std::size_t from) {
      is_consistent_ = is_consistent_ && (ends_[from].reached & forbidden_[from]) == 0;
    });
    saved_.clear();
  }

  // False: it cannot be. Nothing is added then.
  bool add(const engine::ClientEdge& edge) {
    if (!is_consistent_ || !allows(edge)) return false;
    marks_.push_back(saved_.size());
    extend(edge);
    return true;
  }
  void take_back() {
    for (; saved_.size() > marks_.back(); saved_.pop_back())
      ends_[saved_.back().first] = saved_.back().second;
    marks_.pop_back();
  }
  // Without any edge of the client.
  [[nodiscard]] bool is_consistent() const { return is_consistent_; }
  // The calls that come after the return.
  [[nodiscard]] OperationSet reached(std::size_t operation) const { return ends_[operation].reached; }

 private:
  static constexpr OperationSet bit_of(std::size_t operation) { return OperationSet{1} << operation; }
  template <class F>
  static void each_of(OperationSet set, const F& call) {
    for (; set != 0; set &= set - 1) call(static_cast<std::size_t>(std::countr_zero(set)));
  }

  // What the edge adds to those that come to its return.
  [[nodiscard]] OperationSet reached_by(const engine::ClientEdge& edge) const {
    OperationSet more = bit_of(edge.to);
    each_of(relations_[edge.to].*via_, [&](std::size_t next) { more |= ends_[next].reached; });
    return more;
  }
  [[nodiscard]] bool comes_to(std::size_t from, const engine::ClientEdge& edge) const {
    return from == edge.from || (ends_[from].onward & bit_of(edge.from)) != 0;
  }
  [[nodiscard]] bool allows(const engine::ClientEdge& edge) const {
    const OperationSet more = reached_by(edge);
    for (OperationSet left = returned_; left != 0; left &= left - 1) {
      const auto from = static_cast<std::size_t>(std::countr_zero(left));
      if ((more & forbidden_[from]) != 0 && comes_to(from, edge)) return false;
    }
    return true;
  }
  void extend(const engine::ClientEdge& edge) {
    const OperationSet more = reached_by(edge);
    OperationSet onward = 0;
    each_of(more, [&](std::size_t to) { onward |= relations_[to].*via_; });
    each_of(returned_, [&](std::size_t from) {
      if (!comes_to(from, edge)) return;
      Ends& ends = ends_[from];
      if ((more & ~ends.reached) == 0) return;
      saved_.emplace_back(from, ends);
      ends.reached |= more;
      ends.onward |= onward;
    });
  }

  struct Ends {
    OperationSet reached = 0;  // calls
    OperationSet onward = 0;   // the returns that those come before
  };

  std::span<const engine::ClientRelations> relations_;
  OperationSet returned_;
  Relation via_;
  std::vector<Ends> ends_;                           // by the operation that returns
  std::vector<OperationSet> forbidden_;              // what must not be reached
  std::vector<std::pair<std::size_t, Ends>> saved_;  // as they were before edges were added
  std::vector<std::size_t> marks_;                   // how many of these there were before each edge
  bool is_consistent_ = true;
};

}  // namespace plumb::testing
