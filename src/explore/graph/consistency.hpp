// Which graphs a memory model allows, asked where an event is added: it comes last in program order, so most of each model is a lower bound
// for its place in the coherence order. RC11 (Lahav, Vafeiadis, Kang, Hur, Dreyer, PLDI 2017, with the release sequences of C++20) and
// sequential consistency; docs/memory.md has the axioms.
#pragma once

#include <memory>
#include <vector>

#include <plumb/explore.hpp>

#include "explore/graph/graph.hpp"

namespace plumb::engine::graph {

using Model = MemoryModel;

// Where the access that comes next in a thread may stand (a write: right behind the place; a read: it reads what is there).
struct Places {
  int lowest = 0;  // below it coherence is violated
  int sure =
      0;  // from here on the graph stays as consistent as it is; between the two holds() has to be asked
};

class Consistency {
 public:
  Consistency() = default;
  Consistency(const Consistency&) = delete;
  Consistency& operator=(const Consistency&) = delete;
  virtual ~Consistency() = default;

  // For the event with this id, from what comes before it in its thread. `sequential`: that of the graph so far.
  virtual Places places(const Graph& graph, EventId event, std::uint16_t location, bool sequential) = 0;
  // What the coherence order alone does not show.
  virtual bool holds(const Graph& graph) = 0;
  // The read was given the write as its source, which stands somewhere; both come last in their threads.
  struct AfterRevisit {
    bool consistent = true;
    bool sequential = true;
  };
  virtual AfterRevisit after_revisit(const Graph& graph, EventId read, EventId write) = 0;
};

// Each in a file of its own.
#define PLUMB_MEMORY_MODEL(name, word, maker, what, token) std::unique_ptr<Consistency> maker();
#include "explore/graph/memory_models.def"
#undef PLUMB_MEMORY_MODEL

std::unique_ptr<Consistency> consistency_of(Model model);

// All that comes before the events of a clock in po, rf, co and fr.
Clock sequential_past(const Graph& graph, Clock need);
bool is_sequentially_consistent(const Graph& graph);

}  // namespace plumb::engine::graph
