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

// All that comes before it was taken. A read comes before the write behind the one that it reads: that write waits for it.
bool can_come_next(const Graph& graph, EventId id, const Clock& taken) {
  const Event& event = graph[id];
  const auto is_taken = [&](EventId other) { return other.is_initial() || contains(taken, other); };
  if (!is_taken(event.source)) return false;
  if (!is_write(event) || event.place == 0) return true;
  const Location& location = graph.location(event.location);
  const EventId previous = location.at(event.place - 1);
  return is_taken(previous) && std::all_of(location.reads.begin(), location.reads.end(), [&](EventId read) {
           return graph[read].source != previous || is_taken(read);
         });
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

// Takes one event after the other, each when all that comes before it in po, rf, co and fr was taken: that takes all of them exactly if
// there is no cycle.
bool is_sequentially_consistent(const Graph& graph) {
  Clock taken{};
  int left = graph.event_count();
  for (bool more = true; more;) {
    more = false;
    for (int thread = 0; thread < graph.thread_count(); ++thread) {
      while (taken[thread] < graph.length(thread) &&
             can_come_next(graph, event_id(thread, static_cast<std::size_t>(taken[thread])), taken)) {
        ++taken[thread];
        --left;
        more = true;
      }
    }
  }
  return left == 0;
}

std::unique_ptr<Consistency> make_sequential() { return std::make_unique<Sequential>(); }

}  // namespace plumb::engine::graph
