// Revisits: which earlier reads may take their value from a write that was just added, and the graphs that this leads to.
#include <algorithm>

#include "explore/graph/search.hpp"

namespace plumb::engine::graph {
namespace {

// How many events of the thread were added up to then.
int length_at(const Graph& graph, int thread, std::uint32_t stamp) {
  const auto& events = graph.events_of(thread);
  std::size_t length = events.size();
  while (length > 0 && events[length - 1].stamp > stamp) --length;
  return static_cast<int>(length);
}

}  // namespace

// The write comes last and stands nowhere yet. A read may take its value if nothing that would go with it was chosen otherwise than it
// would be the first time, had it been added now: then this is the one way to come to that graph. Events are looked at from the last one
// back, since what forbids one read's revisit forbids those of all reads before it.
void Search::collect_revisits(EventId write, std::uint32_t before, bool with_read) {
  if (chooser_ != nullptr) return;
  const Graph& now = graph();
  const std::uint16_t number = now[write].location;
  const Clock& causes = now.clocks(write).causes;
  const auto& reads = now.location(number).reads;
  auto open =
      std::count_if(reads.begin(), reads.end(), [&](EventId read) { return !contains(causes, read); });
  if (open == 0) return;
  State& state = top();
  bool first = true;
  for (auto at = now.by_stamp().rbegin(); open > 0 && at != now.by_stamp().rend(); ++at) {
    if (contains(causes, *at)) continue;
    if (!is_maximal(*at, causes)) break;
    if (!is_read(now[*at]) || now[*at].location != number) continue;
    --open;
    if (first) {
      Saved saved{.write = {now[write], now.clocks(write)}, .thread = write.thread};
      if (with_read) {
        const EventId read = event_id(write.thread, write.index - 1U);
        saved.read = {now[read], now.clocks(read)};
      }
      state.saved.push_back(saved);
    }
    state.items.push_back({.kind = Item::Kind::kRevisit,
                           .with_read = with_read,
                           .is_last_use = first,
                           .event = *at,
                           .before = before});
    first = false;
  }
}

// Among the events that were there before it, and those that led to the write: nobody reads it, and it is, or reads, the newest write.
bool Search::is_maximal(EventId id, const Clock& causes) const {
  const Graph& now = graph();
  const Event& event = now[id];
  if (event.kind == EventKind::kChoice) return event.value == 0;
  if (event.location == kNoLocation) return true;
  const Location& location = now.location(event.location);
  const auto is_there = [&](EventId other) {
    return now[other].stamp <= event.stamp || contains(causes, other);
  };
  if (is_write(event)) {
    for (const EventId read : location.reads) {
      if (now[read].source == id && is_there(read)) return false;
    }
  }
  const EventId mine = is_write(event) ? id : event.source;
  for (int place = location.last_place(); place > 0; --place) {
    const EventId write = location.at(place);
    if (is_there(write)) return write == mine;
  }
  return mine.is_initial();
}

// The graph that it is taken from may have other items of the read that goes with the write: that read stays.
bool Search::take_revisit(const Item& item) {
  State& from = top();
  const Saved& saved = from.saved.back();
  from.graph.cut(item.with_read ? item.before + 1 : item.before);
  const std::uint32_t stamp = from.graph[item.event].stamp;
  const Clock& causes = saved.write.clocks.causes;
  Graph::Lengths lengths{};
  for (int thread = 0; thread < from.graph.thread_count(); ++thread) {
    const int own = thread == saved.thread ? (item.with_read ? 2 : 1) : 0;  // they are added below
    lengths[static_cast<std::size_t>(thread)] =
        std::max(length_at(from.graph, thread, stamp), static_cast<int>(causes[thread]) - own);
  }
  const Saved kept = saved;
  if (item.is_last_use) from.saved.pop_back();
  if (from.items.empty()) {  // nobody needs that graph any more
    from.graph.keep(lengths);
  } else {
    push_state().graph.copy(from.graph, lengths);
  }
  Graph& now = graph();
  if (item.with_read) now.append(kept.thread, kept.read.event, kept.read.clocks);
  const EventId write = now.append(kept.thread, kept.write.event, kept.write.clocks);
  now.set_source(item.event, write);
  if (place_revisiting_write(item.event, write)) return complete_update(item.event.thread);
  --depth_;
  return false;
}

// Every consistent place of the write is a graph: one for now, and an item for each of the others.
bool Search::place_revisiting_write(EventId read, EventId write) {
  Graph& now = graph();
  const std::uint16_t number = now[write].location;
  const Location& location = now.location(number);
  int highest = location.last_place();
  int lowest = 0;
  if (now[write].kind == EventKind::kUpdateWrite) {
    lowest = highest = now.place_read(now[event_id(write.thread, write.index - 1U)]);
  } else {
    lowest = consistency_->places(now, write, number, false).lowest;
  }
  lowest = std::max(lowest, consistency_->places(now, read, number, false).lowest);
  options_.clear();
  for (int place = highest; place >= lowest; --place) {
    if (now.is_taken(location, place)) continue;
    if (place != location.last_place() && !is_within_bound(1)) continue;
    now.insert(write, place);
    const auto after = consistency_->after_revisit(now, read, write);
    now.remove(write);
    if (after.consistent) options_.push_back({place, after.sequential});
  }
  if (options_.empty()) return false;
  for (std::size_t i = 1; i < options_.size(); ++i) {
    top().items.push_back({.kind = Item::Kind::kPlace,
                           .sequential = options_[i].sequential,
                           .event = write,
                           .taken = static_cast<std::uint64_t>(options_[i].place)});
  }
  now[write].older = options_.front().place != location.last_place();
  now.insert(write, options_.front().place);
  now[write].sequential = options_.front().sequential;
  return true;
}

}  // namespace plumb::engine::graph
