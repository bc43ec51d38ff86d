// What clients of the operations under test can know of their order. Operation A is before B where the return of A happens before the call of B:
// in the graph itself, or by synchronisation of the client's own, a release after A and an acquire before B, which is an edge from that
// return to that call. A client may add any edges with which the graph stays consistent.
//
// Calls and returns are no events, but places between those of a thread: where they stand, and what happens before and after them, follows
// from the events around them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plumb/explore.hpp>

#include "explore/graph/graph.hpp"
#include "explore/observer.hpp"

namespace plumb::engine::graph {

// Where an operation stands in its thread.
struct OperationPlace {
  int thread = -1;         // none: it was not called
  int call = 0;            // how many events its thread had when it was called
  int ret = -1;            // and when it returned; none: it did not
  std::uint32_t turn = 0;  // operations of one thread, in order

  [[nodiscard]] bool is_called() const { return thread >= 0; }
  [[nodiscard]] bool has_returned() const { return ret >= 0; }
};
using OperationPlaces = std::vector<OperationPlace>;  // by operation

[[nodiscard]] std::vector<ClientRelations> client_relations(const Graph& graph,
                                                            const OperationPlaces& operations);

// Whether the memory model allows the graph with a client of these edges: it is made, with a release store to a location of its own after each
// return that an edge leaves, and an acquire load that reads it before the call, and checked as a whole.
[[nodiscard]] bool allows_client(MemoryModel model, const Graph& graph, const OperationPlaces& operations,
                                 std::span<const ClientEdge> edges);

}  // namespace plumb::engine::graph
