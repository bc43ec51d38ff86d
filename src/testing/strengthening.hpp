// Linearizability under a weak memory model. There is no time that all threads share: operation A is before B only where the return of A
// happens before the call of B, by the synchronisation of the class itself or of its client. So the operations are run by a client that
// synchronises nothing, and each execution is then strengthened: edges from a return to a call are added, as long as the memory model
// allows the execution with them, until no serial witness is left.
//
//   search(D):  l := a legal order of the operations that contains happens-before and D;  none: a violation, D is its evidence
//               for each pair (A, B) that l has as B before A, not excluded:
//                 if D with A -> B is consistent: search that; then exclude the pair
//               for each call C that l leaves out only because it is contended: the same for each pair of C and what overlaps it
//
// l is legal for every D that contradicts none of its pairs, unless D orders so much that such a C is no longer contended. What was searched
// is remembered by the relation R (below) that D leads to. Where that gets long, only pairs of operations are taken whose order matters:
// the others have been seen to be legal in every place (Witnesses::bound).
//
// A client with release stores and acquire loads makes exactly such edges; every other client's order is contained in that of one.
//
// D is consistent if neither hb ; eco nor po and rf become cyclic. Of the execution that is decided by three relations between calls and
// returns: with m = hb, p = po and rf, k = hb? ; eco ; hb?, each from call(B) to return(A), and R = D ; (m ; D)*, R' = D ; (p ; D)*,
// it is if no (A, B) in R has k(B, A) and none in R' has p(B, A). What sequentially consistent events forbid beyond that is asked
// of the engine, where a violation would depend on it.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "base/hash.hpp"
#include "explore/observer.hpp"
#include "testing/client_order.hpp"
#include "testing/reorderings.hpp"

namespace plumb::testing {

using engine::ClientEdge;
using engine::ClientRelations;
using engine::OperationSet;

// Which operations an operation comes after, by operation.
using Predecessors = std::vector<OperationSet>;

// The judging has to end: it is too late, or the user wants it. Once true, it stays so.
using IsOver = std::function<bool()>;

struct Witness {
  std::vector<std::size_t> order;
  OperationSet contended = 0;  // left out, as they may be only while they are contended
};

// The specification, as far as it is asked for orders.
class Witnesses {
 public:
  Witnesses() = default;
  Witnesses(const Witnesses&) = delete;
  Witnesses& operator=(const Witnesses&) = delete;
  virtual ~Witnesses() = default;

  // An order of all that returned, each after its predecessors, with the results that were observed. `blocks`: after it this operation
  // has to block. Empty: there is none.
  [[nodiscard]] virtual std::optional<Witness> find(const Predecessors& predecessors,
                                                    std::optional<std::size_t> blocks) = 0;
  // Of the witness that was found: operations such that every order is one, too, that has them as the witness does and all others
  // anywhere behind their predecessors, as long as the witness's calls are contended.
  [[nodiscard]] virtual OperationSet bound(const Predecessors& predecessors,
                                           std::optional<std::size_t> blocks, const Witness& witness) = 0;
};

// By serial steps, one operation after the other. Calls that failed, and may have done so without a cause, may be left out; those that
// need to be contended for that are so as long as another operation is neither before nor after them.
class StepWitnesses final : public Witnesses {
 public:
  // Over: none is found from then on, which then says nothing.
  StepWitnesses(SerialSteps& steps, OperationSet called, OperationSet returned,
                const MayBeLeftOut& failed = {}, IsOver is_over = {})
      : steps_(steps), called_(called), returned_(returned), failed_(failed), is_over_(std::move(is_over)) {}
  std::optional<Witness> find(const Predecessors& predecessors, std::optional<std::size_t> blocks) override;
  OperationSet bound(const Predecessors& predecessors, std::optional<std::size_t> blocks,
                     const Witness& witness) override;

 private:
  bool extend(const Predecessors& predecessors, std::optional<std::size_t> blocks, OperationSet done,
              StateId state);
  [[nodiscard]] bool is_contended(const Predecessors& predecessors, std::size_t operation) const;
  // Whether all orders that keep these predecessors are right, with these calls left out. False: or it was not found out.
  [[nodiscard]] bool are_all_right(const Predecessors& predecessors, std::optional<std::size_t> blocks,
                                   OperationSet left_out);

  SerialSteps& steps_;
  OperationSet called_;
  OperationSet returned_;
  MayBeLeftOut failed_;
  IsOver is_over_;
  bool stopped_ = false;
  OperationSet may_be_left_out_ = 0;  // with these predecessors
  OperationSet left_out_ = 0;         // in order_, without which it would not be right
  std::vector<std::size_t> order_;
  std::vector<StateId> next_;                      // what is still to be tried, of all that are in the order
  using Place = std::pair<OperationSet, StateId>;  // what is done, and what that led to
  absl::flat_hash_set<Place> tried_;               // from which nothing leads on
};

struct ClientViolation {
  std::vector<ClientEdge> edges;       // of the client; none: what the class itself synchronises is enough
  Predecessors predecessors;           // with them
  std::optional<std::size_t> blocked;  // nothing: the results are wrong; else this operation must not block
};

class Strengthening {
 public:
  // Whether the memory model allows a client with these edges: see FinishedExecution::allows.
  using Allows = std::function<bool(std::span<const ClientEdge> edges)>;
  static constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max();

  // Of an execution with these relations. All must live longer.
  Strengthening(std::span<const ClientRelations> relations, OperationSet called, OperationSet returned,
                Witnesses& witnesses, Allows allows, IsOver is_over = {});

  // So many relations are searched before it is asked which operations' order matters, which takes longer than a few of them.
  void ask_what_matters_after(std::size_t relations) { most_short_ = relations; }
  // A violation that needs at most so many edges.
  [[nodiscard]] std::optional<ClientViolation> find(std::size_t most_edges = kAnyNumber);
  // Some clients were left out by what sequentially consistent events forbid: then the relations alone do not decide.
  [[nodiscard]] bool asked_more_than_relations() const { return denied_; }
  // It was over before all was searched: that nothing was found says nothing.
  [[nodiscard]] bool was_stopped() const { return stopped_; }

  // Whether the relations allow these edges.
  [[nodiscard]] bool is_consistent(std::span<const ClientEdge> edges);
  // The order of operations that they lead to.
  [[nodiscard]] Predecessors predecessors(std::span<const ClientEdge> edges);

 private:
  static constexpr std::size_t kShort = 64;

  bool search_all(std::size_t most_edges);
  bool search(std::size_t most_edges);
  [[nodiscard]] bool gives_up();
  // The edges of which a violation with more than those so far has one.
  [[nodiscard]] std::vector<ClientEdge> edges_against(const Witness& witness);
  [[nodiscard]] Hash128 key_of_reached() const;
  bool add(const ClientEdge& edge);
  void take_back();
  void set_predecessors();
  template <class F>
  auto with(std::span<const ClientEdge> edges, const F& ask);

  OperationSet called_;
  OperationSet returned_;
  Witnesses& witnesses_;
  Allows allows_;
  IsOver is_over_;
  bool stopped_ = false;
  std::optional<std::size_t> blocks_;  // the operation that is asked about
  ClientOrder order_;                  // R
  ClientOrder causal_order_;           // R'
  Predecessors predecessors_;
  std::vector<ClientEdge> edges_;                                  // D
  std::vector<ClientEdge> excluded_;                               // all sets with one of them were searched
  absl::flat_hash_map<Hash128, std::size_t, HashOfKey> searched_;  // by R: with at most so many more edges
  std::size_t nodes_ = 0;                                          // of this search
  std::size_t most_short_ = kShort;
  bool is_long_ = false;  // it looks for what need not be searched
  bool given_up_ = false;
  bool denied_ = false;
};

}  // namespace plumb::testing
