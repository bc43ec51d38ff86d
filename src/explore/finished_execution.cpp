// What observers can ask of an execution that has come to its end.
#include "explore/graph/graph_execution.hpp"
#include "explore/observer.hpp"
#include "explore/program_runner.hpp"

namespace plumb::engine {

const std::vector<HappensBefore>& FinishedExecution::happens_before() const {
  const Execution& execution = runner_.execution();
  runner_.graph().set(execution.executed_steps(), execution.data_choices());
  return runner_.graph().happens_before();
}
FinishedExecution::SerialEnd FinishedExecution::run_serially(std::vector<int> threads) const {
  const Execution::End end = runner_.run_serially(std::move(threads));
  return end == Execution::End::kDone       ? SerialEnd::kDone
         : end == Execution::End::kDeadlock ? SerialEnd::kBlocked
                                            : SerialEnd::kFailed;
}
std::vector<ClientRelations> FinishedExecution::client_relations() const {
  const GraphExecution& execution = runner_.graph_execution();
  return graph::client_relations(execution.last_graph(), execution.operation_places());
}
bool FinishedExecution::allows(std::span<const ClientEdge> edges) const {
  const GraphExecution& execution = runner_.graph_execution();
  return graph::allows_client(runner_.memory_model(), execution.last_graph(), execution.operation_places(),
                              edges);
}
bool FinishedExecution::has_seq_cst_in_two_threads() const {
  return runner_.graph_execution().last_graph().has_seq_cst_in_two_threads();
}
bool FinishedExecution::ended_in_spin_loop() const { return runner_.execution().ended_in_spin_loop(); }
bool FinishedExecution::waits_for_threads() const { return runner_.execution().waits_for_threads(); }
Waiting FinishedExecution::waiting_step() const { return runner_.execution().waiting(); }

}  // namespace plumb::engine
