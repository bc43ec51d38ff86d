#include "explore/graph/search.hpp"

#include <algorithm>

namespace plumb::engine::graph {
namespace {

Event write_of(const Event& read, std::uint64_t value) {
  Event write = read;
  write.kind = EventKind::kUpdateWrite;
  write.source = kInitial;
  write.value = value;
  return write;
}

// How many events of the thread were added up to then.
int length_at(const Graph& graph, int thread, std::uint32_t stamp) {
  const auto& events = graph.events_of(thread);
  std::size_t length = events.size();
  while (length > 0 && events[length - 1].stamp > stamp) --length;
  return static_cast<int>(length);
}

}  // namespace

Search::Search(Model model) : consistency_(consistency_of(model)) { restart(); }

void Search::restart() {
  depth_ = 0;
  push_state().graph.clear();
}

Search::State& Search::push_state() {
  if (depth_ == states_.size()) states_.push_back(std::make_unique<State>());
  State& state = *states_[depth_++];
  state.items.clear();
  state.saved.clear();
  most_states_ = std::max(most_states_, depth_);
  return state;
}

bool Search::is_sequential() const {
  const Graph& now = graph();
  return now.by_stamp().empty() || now[now.by_stamp().back()].sequential;
}

EventId Search::append(int thread, const Event& event) {
  const bool sequential = is_sequential();
  const EventId id = graph().append(thread, event);
  graph()[id].sequential = sequential;
  return id;
}

// Of options_, whose last is the newest; all others become items of the event unless there is a Chooser.
std::size_t Search::pick_option() {
  if (chooser_ == nullptr) return options_.size() - 1;
  behind_.clear();
  for (const Option& option : options_) behind_.push_back(options_.back().place - option.place);
  return chooser_->pick(behind_);
}

void Search::add_read(int thread, const Event& access) {
  Graph& now = graph();
  const EventId read = event_id(thread, static_cast<std::size_t>(now.length(thread)));
  const Places places = consistency_->places(now, read, access.location, is_sequential());
  const std::uint32_t before = now.next_stamp() - 1;
  append(thread, access);
  find_sources(read, places, before);
  const Option chosen = options_[pick_option()];
  if (chooser_ == nullptr) {
    for (const Option& option : options_) {
      if (option.place == chosen.place) continue;
      top().items.push_back({.kind = Item::Kind::kSource,
                             .sequential = option.sequential,
                             .event = read,
                             .taken = static_cast<std::uint64_t>(option.place)});
    }
  }
  now.set_source(read, now.location(access.location).at(chosen.place));
  now[read].sequential = chosen.sequential;
  if (now[read].succeeds) add_update_write(thread, Forward::kYes, now.next_stamp() - 1, false);
}

// A read-modify-write that would have to write where another did is tried for its revisits only: one of the two comes first, and
// the other then reads its value.
void Search::find_sources(EventId read, const Places& places, std::uint32_t before) {
  Graph& now = graph();
  const Location& location = now.location(now[read].location);
  const bool sequential = now[read].sequential;
  options_.clear();
  for (int place = places.lowest; place < location.last_place(); ++place) {
    const bool sure = place >= places.sure;
    now.set_source(read, location.at(place));
    if (!sure && !consistency_->holds(now)) continue;
    if (now[read].succeeds &&
        (now.is_taken(location, place) || (!sure && !write_is_consistent(read, place)))) {
      const std::uint32_t stamp = now.next_stamp();
      add_update_write(read.thread, Forward::kOnlyRevisits, before, true);
      now.pop(read.thread);
      now.set_next_stamp(stamp);
      continue;
    }
    options_.push_back({place, sure && sequential});
  }
  options_.push_back({location.last_place(), sequential});
}

// The read is consistent there; whether its write is, too.
bool Search::write_is_consistent(EventId read, int place) {
  Graph& now = graph();
  const std::uint32_t stamp = now.next_stamp();
  const EventId write = now.append(read.thread, write_of(now[read], 0));
  now.set_write_clocks(write);
  now.insert(write, place);
  const bool consistent = consistency_->holds(now);
  now.pop(read.thread);
  now.set_next_stamp(stamp);
  return consistent;
}

// The last event of the thread is a read that succeeds. False: its write has no place.
bool Search::add_update_write(int thread, Forward forward, std::uint32_t before, bool with_read) {
  Graph& now = graph();
  const EventId read = now.last(thread);
  const EventId write = append(thread, write_of(now[read], wide_.updated(now[read], now[read].value)));
  now.set_write_clocks(write);
  collect_revisits(write, before, with_read);
  if (forward == Forward::kOnlyRevisits) return false;
  const Location& location = now.location(now[write].location);
  const int place = now.place_read(now[read]);
  if (now.is_taken(location, place)) return false;
  now.insert(write, place);
  const bool last = place + 1 == location.last_place();
  return last || is_sequential() || consistency_->holds(now);
}

void Search::add_write(int thread, const Event& access) {
  Graph& now = graph();
  const EventId write = event_id(thread, static_cast<std::size_t>(now.length(thread)));
  const Places places = consistency_->places(now, write, access.location, is_sequential());
  const std::uint32_t before = now.next_stamp() - 1;
  append(thread, access);
  now.set_write_clocks(write);
  collect_revisits(write, before, false);
  find_places(write, places);
  const Option chosen = options_[pick_option()];
  if (chooser_ == nullptr) {
    for (const Option& option : options_) {
      if (option.place == chosen.place) continue;
      top().items.push_back({.kind = Item::Kind::kPlace,
                             .sequential = option.sequential,
                             .event = write,
                             .taken = static_cast<std::uint64_t>(option.place)});
    }
  }
  now.insert(write, chosen.place);
  now[write].sequential = chosen.sequential;
}

void Search::find_places(EventId write, const Places& places) {
  Graph& now = graph();
  const Location& location = now.location(now[write].location);
  const bool sequential = now[write].sequential;
  const int last = location.last_place();
  options_.clear();
  for (int place = places.lowest; place < last; ++place) {
    if (now.is_taken(location, place)) continue;
    const bool sure = place >= places.sure;
    if (!sure) {
      now.insert(write, place);
      const bool consistent = consistency_->holds(now);
      now.remove(write);
      if (!consistent) continue;
    }
    options_.push_back({place, sure && sequential});
  }
  options_.push_back({last, sequential});
}

void Search::add_plain_write(int thread, const Event& access) {
  const EventId write = append(thread, access);
  graph().set_write_clocks(write);
  graph().insert(write, graph().location(access.location).last_place());
}

void Search::add_choice(int thread, const Event& choice) {
  const EventId id = append(thread, choice);
  graph().set_other_clocks(id);
  if (chooser_ != nullptr) {
    behind_.clear();
    for (auto outcome = static_cast<int>(choice.operand); outcome-- > 0;) behind_.push_back(outcome);
    graph()[id].value = static_cast<std::uint64_t>(behind_[chooser_->pick(behind_)]);
    return;
  }
  for (std::uint64_t outcome = 1; outcome < choice.operand; ++outcome) {
    top().items.push_back(
        {.kind = Item::Kind::kOutcome, .sequential = graph()[id].sequential, .event = id, .taken = outcome});
  }
}

void Search::add_other(int thread, const Event& event) { graph().set_other_clocks(append(thread, event)); }

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

bool Search::next() {
  while (depth_ > 0) {
    State& state = top();
    if (state.items.empty()) {
      --depth_;
      continue;
    }
    const Item item = state.items.back();
    state.items.pop_back();
    if (take(item)) return true;
  }
  return false;
}

bool Search::take(const Item& item) {
  switch (item.kind) {
    case Item::Kind::kSource:
      return take_source(item);
    case Item::Kind::kPlace:
      return take_place(item);
    case Item::Kind::kOutcome:
      return take_outcome(item);
    case Item::Kind::kRevisit:
      break;
  }
  return take_revisit(item);
}

bool Search::take_source(const Item& item) {
  Graph& now = graph();
  now.cut(now[item.event].stamp);
  now.set_source(item.event, now.location(now[item.event].location).at(static_cast<int>(item.taken)));
  now[item.event].sequential = item.sequential;
  return complete_update(item.event.thread);
}

bool Search::take_place(const Item& item) {
  Graph& now = graph();
  now.cut(now[item.event].stamp);
  now.remove(item.event);
  now.insert(item.event, static_cast<int>(item.taken));
  now[item.event].sequential = item.sequential;
  return complete_updates();
}

bool Search::take_outcome(const Item& item) {
  graph().cut(graph()[item.event].stamp);
  graph()[item.event].value = item.taken;
  return true;
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
  State& state = push_state();
  state.graph.copy(from.graph, lengths);
  if (item.with_read) state.graph.append(kept.thread, kept.read.event, kept.read.clocks);
  const EventId write = state.graph.append(kept.thread, kept.write.event, kept.write.clocks);
  state.graph.set_source(item.event, write);
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
  now.insert(write, options_.front().place);
  now[write].sequential = options_.front().sequential;
  return true;
}

// A read-modify-write that now reads something else makes its write anew.
bool Search::complete_update(int thread) {
  Graph& now = graph();
  const Event& last = now[now.last(thread)];
  if (last.kind != EventKind::kUpdateRead || !last.succeeds) return true;
  return add_update_write(thread, Forward::kYes, now.next_stamp() - 1, false);
}

bool Search::complete_updates() {
  for (int thread = 0; thread < graph().thread_count(); ++thread) {
    if (graph().length(thread) > 0 && !complete_update(thread)) return false;
  }
  return true;
}

}  // namespace plumb::engine::graph
