// Linearizability under a weak memory model. There is no time that all threads share: operation A is before B only where the return of A
// happens before the call of B, by the synchronisation of the class itself or of its client. So the operations are run by a client that
// synchronises nothing, and each execution is then strengthened: edges from a return to a call are added, as long as the memory model
// allows the execution with them, until no serial witness is left.
//
//   search(D):  l := a legal order of the operations that contains happens-before and D;  none: a violation, D is its evidence
//               for each pair (A, B) that l has as B before A, not excluded:
//                 if D with A -> B is consistent: search that; then exclude the pair
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
#include <vector>

#include "explore/observer.hpp"
#include "testing/reorderings.hpp"

namespace plumb::testing {

using engine::ClientEdge;
using engine::ClientRelations;
using engine::OperationSet;

// Which operations an operation comes after, by operation.
using Predecessors = std::vector<OperationSet>;

// The specification, as far as it is asked for orders.
class Witnesses {
 public:
  Witnesses() = default;
  Witnesses(const Witnesses&) = delete;
  Witnesses& operator=(const Witnesses&) = delete;
  virtual ~Witnesses() = default;

  // An order of all that returned, each after its predecessors, with the results that were observed. `blocks`: after it this operation
  // has to block. Empty: there is none.
  [[nodiscard]] virtual std::optional<std::vector<std::size_t>> find(const Predecessors& predecessors,
                                                                     std::optional<std::size_t> blocks) = 0;
};

// By serial steps, one operation after the other. Calls that failed, and may have done so without a cause, may be left out; those that
// need to be contended for that are so as long as another operation is neither before nor after them.
class StepWitnesses final : public Witnesses {
 public:
  StepWitnesses(SerialSteps& steps, OperationSet called, OperationSet returned,
                const MayBeLeftOut& failed = {})
      : steps_(steps), called_(called), returned_(returned), failed_(failed) {}
  std::optional<std::vector<std::size_t>> find(const Predecessors& predecessors,
                                               std::optional<std::size_t> blocks) override;

 private:
  bool extend(const Predecessors& predecessors, std::optional<std::size_t> blocks, OperationSet done,
              StateId state);
  [[nodiscard]] bool is_contended(const Predecessors& predecessors, std::size_t operation) const;

  SerialSteps& steps_;
  OperationSet called_;
  OperationSet returned_;
  MayBeLeftOut failed_;
  OperationSet left_out_ = 0;  // what may be, with these predecessors
  std::vector<std::size_t> order_;
  struct Tried {
    OperationSet done;
    StateId state;
    bool operator==(const Tried&) const = default;
  };
  std::vector<Tried> tried_;  // from which nothing leads on
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
                Witnesses& witnesses, Allows allows);

  // A violation that needs at most so many edges.
  [[nodiscard]] std::optional<ClientViolation> find(std::size_t most_edges = kAnyNumber);
  // Some clients were left out by what sequentially consistent events forbid: then the relations alone do not decide.
  [[nodiscard]] bool asked_more_than_relations() const { return denied_; }

  // Whether the relations allow these edges.
  [[nodiscard]] bool is_consistent(std::span<const ClientEdge> edges);
  // The order of operations that they lead to.
  [[nodiscard]] Predecessors predecessors(std::span<const ClientEdge> edges);

 private:
  bool search(std::size_t most_edges);
  bool follows(OperationSet ClientRelations::*via, OperationSet ClientRelations::*bad);
  [[nodiscard]] bool is_consistent_now();
  void set_predecessors();

  std::span<const ClientRelations> relations_;
  OperationSet called_;
  OperationSet returned_;
  Witnesses& witnesses_;
  Allows allows_;
  std::optional<std::size_t> blocks_;   // the operation that is asked about
  std::vector<OperationSet> edges_to_;  // happens-before and D, by the operation that returns
  std::vector<OperationSet> reached_;   // R, by the operation that returns
  Predecessors predecessors_;
  std::vector<ClientEdge> edges_;     // D
  std::vector<ClientEdge> excluded_;  // all sets with one of them were searched
  bool denied_ = false;
};

}  // namespace plumb::testing
