#include "explore/graph/weak_reads.hpp"

namespace plumb::engine::graph {
namespace {

WeakRead::Access access_of(const Graph& graph, EventId id) {
  const Event& event = graph[id];
  return {.thread = id.thread,
          .event = id.index,
          .order = effective_order(event),
          .value = event.value,
          .pc = event.pc};
}

// A read that happens before, took its value from what comes after `newer`, and did not learn of that.
void find_missing_link(const Graph& graph, const Clock& before, EventId newer, WeakRead& about) {
  for (int thread = 0; thread < graph.thread_count(); ++thread) {
    for (std::size_t i = 0; static_cast<int>(i) < before[thread]; ++i) {
      const EventId load = event_id(thread, i);
      const EventId store = graph[load].source;
      if (!is_read(graph[load]) || store.is_initial() || store.thread == load.thread ||
          !contains(graph.clocks(store).before, newer) || contains(graph.clocks(load).before, newer))
        continue;
      about.link_store = access_of(graph, store);
      about.link_load = access_of(graph, load);
      about.link_releases = contains(graph.clocks(store).released, newer);
      return;
    }
  }
}

}  // namespace

WeakRead released_before(const Graph& graph, EventId gate) {
  const EventId end = graph[gate].source;
  if (end.is_initial() || end.thread == gate.thread) return {};
  const Clock& before = graph.clocks(event_id(gate.thread, gate.index - 1U)).before;
  return {.source = access_of(graph, end),
          .synchronises = graph.clocks(gate).before[end.thread] > before[end.thread]};
}

WeakRead weak_read(const Graph& graph, EventId id, const std::function<bool(EventId)>& has_passed) {
  WeakRead about;
  const Event& read = graph[id];
  const Location& location = graph.location(read.location);
  const Clock& before = graph.clocks(event_id(id.thread, id.index - 1U)).before;
  if (!read.source.is_initial()) {
    about.source = access_of(graph, read.source);
    const int other = read.source.thread;
    about.synchronises = other != id.thread && acquires(effective_order(read)) &&
                         graph.clocks(id).before[other] > before[other];
  }
  EventId newest = kInitial;
  for (int place = location.last_place(); place > graph.place_read(read); --place) {
    const EventId write = location.at(place);
    if (write.thread == id.thread || !has_passed(write)) continue;
    ++about.unseen;
    if (newest.is_initial()) newest = write;
  }
  if (newest.is_initial()) return about;
  about.newer = access_of(graph, newest);
  find_missing_link(graph, before, newest, about);
  return about;
}

}  // namespace plumb::engine::graph
