#include "explore/graph/weak_reads.hpp"

#include <algorithm>
#include <vector>

namespace plumb::engine::graph {
namespace {

WeakRead::Access access_of(const Graph& graph, EventId id) {
  const Event& event = graph[id];
  return {.thread = id.thread,
          .event = id.index,
          .order = effective_order(event),
          .value = event.value,
          .is_fence = is_fence(event.kind),
          .pc = event.pc};
}

// By its own order, or by a fence behind it that happens before, too.
bool acquires_by_then(const Graph& graph, EventId load, const Clock& before) {
  if (acquires(effective_order(graph[load]))) return true;
  for (int i = load.index + 1; i < before[load.thread]; ++i) {
    const Event& event = graph[event_id(load.thread, static_cast<std::size_t>(i))];
    if (event.kind == EventKind::kFence && acquires(event.order)) return true;
  }
  return false;
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
      about.link_acquires = acquires_by_then(graph, load, before);
      return;
    }
  }
}

// What happens before the event, without itself.
Clock known_before(const Graph& graph, EventId id) {
  return id.index == 0 ? Clock{} : graph.clocks(event_id(id.thread, id.index - 1U)).before;
}

// What gives the write to who acquires it: the write itself, or the last fence before it that releases; none.
EventId releaser_of(const Graph& graph, EventId write) {
  if (releases(graph[write].order)) return write;
  for (int i = write.index - 1; i >= 0; --i) {
    const EventId id = event_id(write.thread, static_cast<std::size_t>(i));
    if (graph[id].kind == EventKind::kFence && releases(graph[id].order)) return id;
  }
  return kInitial;
}

// The same of the release sequences that the write continues, of other threads and unknown so far.
void add_releasers(const Graph& graph, EventId write, int reader, const Clock& known,
                   std::vector<EventId>& all) {
  while (!write.is_initial() && graph[write].kind != EventKind::kPlainWrite) {
    const EventId releaser = releaser_of(graph, write);
    if (!releaser.is_initial() && releaser.thread != reader && !contains(known, releaser))
      all.push_back(releaser);
    const Event& event = graph[write];
    if (event.kind != EventKind::kUpdateWrite || event.update == Update::kPart) return;
    write = graph[event_id(write.thread, write.index - 1U)].source;
  }
}

// Those that do not happen before another one.
std::vector<WeakRead::Access> last_of(const Graph& graph, const std::vector<EventId>& releasers) {
  std::vector<WeakRead::Access> last;
  for (auto each = releasers.begin(); each != releasers.end(); ++each) {
    const bool is_implied = std::ranges::any_of(releasers, [&](EventId other) {
      return other != *each && contains(graph.clocks(other).before, *each);
    });
    if (!is_implied && std::find(releasers.begin(), each, *each) == each)
      last.push_back(access_of(graph, *each));
  }
  return last;
}

}  // namespace

WeakRead released_before(const Graph& graph, EventId gate) {
  const EventId end = graph[gate].source;
  if (end.is_initial() || end.thread == gate.thread) return {};
  WeakRead about{.source = access_of(graph, end)};
  if (graph.clocks(gate).before[end.thread] > known_before(graph, gate)[end.thread])
    about.synchronises_with.push_back(about.source);
  return about;
}

WeakRead fence_passed(const Graph& graph, EventId fence) {
  WeakRead about{.made = fence.index};
  if (!acquires(graph[fence].order)) return about;
  const Clock known = known_before(graph, fence);
  std::vector<EventId> releasers;
  for (std::size_t i = 0; i < fence.index; ++i) {
    const Event& read = graph[event_id(fence.thread, i)];
    if (is_read(read)) add_releasers(graph, read.source, fence.thread, known, releasers);
  }
  about.synchronises_with = last_of(graph, releasers);
  return about;
}

WeakRead weak_read(const Graph& graph, EventId id, const std::function<bool(EventId)>& has_passed) {
  WeakRead about;
  const Event& read = graph[id];
  const Location& location = graph.location(read.location);
  const Clock before = known_before(graph, id);
  if (!read.source.is_initial()) about.source = access_of(graph, read.source);
  if (acquires(effective_order(read))) {
    std::vector<EventId> releasers;
    add_releasers(graph, read.source, id.thread, before, releasers);
    about.synchronises_with = last_of(graph, releasers);
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
