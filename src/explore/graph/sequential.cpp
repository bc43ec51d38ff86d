// Sequential consistency of graphs: po, rf, co and fr together have no cycle.
#include <algorithm>

#include "explore/graph/consistency.hpp"

namespace plumb::engine::graph {
namespace {

void add(Clock& clock, EventId event) {
  clock[event.thread] = std::max(clock[event.thread], static_cast<Tick>(event.index + 1));
}

// The write comes after the one before it in coherence order, and after all that read that one.
void add_before_write(const Graph& graph, EventId id, Clock& need) {
  const Event& write = graph[id];
  if (write.place == 0) return;
  const Location& location = graph.location(write.location);
  const EventId previous = location.at(write.place - 1);
  if (!previous.is_initial()) add(need, previous);
  for (const EventId read : location.reads) {
    if (graph[read].source == previous) add(need, read);
  }
}

int highest_place_in(const Location& location, const Clock& clock) {
  int place = location.last_place();
  while (place > 0 && !contains(clock, location.at(place))) --place;
  return place;
}

class Sequential final : public Consistency {
 public:
  Places places(const Graph& graph, EventId event, std::uint16_t number, bool) override {
    const Location& location = graph.location(number);
    if (location.writes.empty()) return {};
    const Clock& causes = graph.clocks(event_id(event.thread, event.index - 1U)).causes;
    const int lowest = highest_place_in(location, sequential_past(graph, causes));
    return {lowest, lowest};
  }
  bool holds(const Graph&) override { return true; }
  AfterRevisit after_revisit(const Graph& graph, EventId read, EventId write) override {
    const Location& location = graph.location(graph[read].location);
    const Clock past = sequential_past(graph, graph.clocks(read).causes);
    return {.consistent = highest_place_in(location, past) <= graph.place(write)};
  }
};

}  // namespace

Clock sequential_past(const Graph& graph, Clock need) {
  Clock done{};
  for (bool more = true; more;) {
    more = false;
    for (int thread = 0; thread < graph.thread_count(); ++thread) {
      while (done[thread] < need[thread]) {
        more = true;
        const EventId id = event_id(thread, static_cast<std::size_t>(done[thread]++));
        need.join(graph.clocks(id).causes);
        if (is_write(graph[id])) add_before_write(graph, id, need);
      }
    }
  }
  return need;
}

bool is_sequentially_consistent(const Graph& graph) {
  const auto stands_right = [&](const Location& location, EventId id, int place) {
    if (place == location.last_place()) return true;
    Clock self{};
    add(self, id);
    return highest_place_in(location, sequential_past(graph, self)) <= place;
  };
  for (std::size_t i = 0; i < graph.location_count(); ++i) {
    const Location& location = graph.location(static_cast<std::uint16_t>(i));
    for (const EventId write : location.writes) {
      if (!stands_right(location, write, graph.place(write))) return false;
    }
    for (const EventId read : location.reads) {
      if (!stands_right(location, read, graph.place_read(graph[read]))) return false;
    }
  }
  return true;
}

std::unique_ptr<Consistency> make_rc11();

std::unique_ptr<Consistency> consistency_of(Model model) {
  if (model == Model::kSequential) return std::make_unique<Sequential>();
  return make_rc11();
}

}  // namespace plumb::engine::graph
