// Phase 2 under a weak memory model: the scenario through its execution graphs. Its threads are run by a client that synchronises nothing;
// each execution is strengthened (strengthening.hpp) until no serial witness is left, or no client can know more.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "testing/judging_phase.hpp"
#include "testing/strengthening.hpp"

namespace plumb::testing {

class GraphPhase final : public JudgingPhase {
 public:
  using JudgingPhase::JudgingPhase;

  // Only violations that a client with so many edges can see.
  void limit_edges(std::size_t most) { most_edges_ = most; }

  // What was observed is left as a history in which everything overlaps that the client of a violation does not order, where there
  // is such a history.
  [[nodiscard]] Exploration run(const ExploreOptions& options);

  // Of what was found: the synchronisation that a client needs to see it.
  [[nodiscard]] const std::vector<ClientEdge>& client() const { return client_; }
  // The history that was left is that of the client.
  [[nodiscard]] bool has_history_of_client() const { return ordered_; }
  std::string learnt() const override;
  void learn(std::string_view learnt) override;
  // Distinct ones: by results, and what clients can know.
  [[nodiscard]] std::size_t histories() const { return met_.size(); }

 private:
  std::optional<std::string> judge_history(const engine::FinishedExecution& execution) override;
  // What is claimed of operations that hand a value over.
  [[nodiscard]] std::optional<std::string> judge_claims(std::span<const ClientRelations> relations);
  [[nodiscard]] std::optional<std::size_t> giver_of(std::size_t taker) const;
  [[nodiscard]] Hash128 key_of(std::span<const ClientRelations> relations);
  [[nodiscard]] std::optional<ClientViolation> refute(std::span<const ClientRelations> relations,
                                                      SerialSteps* steps, bool& by_relations);
  [[nodiscard]] std::string tell(const ClientViolation& violation);

  std::size_t most_edges_ = Strengthening::kAnyNumber;
  // By key; true: nothing is wrong with any that has it.
  absl::flat_hash_map<Hash128, bool, HashOfKey> met_;
  std::vector<ClientEdge> client_;
  std::optional<ObservedHistory> of_client_;
  bool ordered_ = false;
  bool is_told_ = false;  // what is found from then on is found in trials
};

// A history in which an operation returns before another is called exactly where that one comes after it; none: orders that no clock
// could show.
[[nodiscard]] std::optional<ObservedHistory> in_order(const ObservedHistory& observed, const Layout& layout,
                                                      const Predecessors& predecessors);

}  // namespace plumb::testing
