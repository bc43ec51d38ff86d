#include "explore/graph/search.hpp"

#include <algorithm>
#include <utility>

namespace plumb::engine::graph {
namespace {

Event write_of(const Event& read, std::uint64_t value) {
  Event write = read;
  write.kind = EventKind::kUpdateWrite;
  write.source = kInitial;
  write.value = value;
  return write;
}

}  // namespace

Search::Search(Model model) : model_(model), consistency_(consistency_of(model)) { restart(); }

void Search::restart() {
  depth_ = 0;
  left_some_out_ = false;
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

void Search::push_options(Item::Kind kind, EventId event, const Option& chosen) {
  if (chooser_ != nullptr || options_.size() == 1 || !is_within_bound(1)) return;
  for (const Option& option : options_) {
    if (option.place == chosen.place) continue;
    top().items.push_back({.kind = kind,
                           .sequential = option.sequential,
                           .event = event,
                           .taken = static_cast<std::uint64_t>(option.place)});
  }
}

// Whether so many events more may have something else than the newest.
bool Search::is_within_bound(unsigned more) {
  if (!bound_) return true;
  const Graph& now = graph();
  const auto older =
      std::count_if(now.by_stamp().begin(), now.by_stamp().end(), [&](EventId id) { return now[id].older; });
  const bool within = static_cast<unsigned>(older) + more <= *bound_;
  left_some_out_ |= !within;
  return within;
}

void Search::add_read(int thread, const Event& access, bool newest) {
  Graph& now = graph();
  const EventId read = event_id(thread, static_cast<std::size_t>(now.length(thread)));
  Places places = consistency_->places(now, read, access.location, is_sequential());
  if (newest) places.lowest = now.location(access.location).last_place();
  const std::uint32_t before = now.next_stamp() - 1;
  append(thread, access);
  find_sources(read, places, before);
  const Option chosen = options_[pick_option()];
  push_options(Item::Kind::kSource, read, chosen);
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
    const bool is_taken = now.is_taken(location, place) && now.would_write(now[read], location.at(place));
    if (sure && !is_taken) {
      options_.push_back({place, sequential});
      continue;
    }
    now.set_source(read, location.at(place));
    if (!sure && !consistency_->holds(now)) continue;
    if (is_taken || (now[read].succeeds && !write_is_consistent(read, place))) {
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
  push_options(Item::Kind::kPlace, write, chosen);
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

// It may be kept for revisits already: then it was kept last. Of an update, which may be kept with other sources, too, the value follows.
void Search::learn_value(EventId write, std::uint64_t value) {
  Graph& now = graph();
  const auto learn = [&](Event& event) {
    event.value = value;
    event.is_unknown = false;
  };
  learn(now[write]);
  if (now[write].kind == EventKind::kUpdateWrite) {
    Event& read = now[event_id(write.thread, write.index - 1U)];
    read.operand = value;
    read.is_unknown = false;
  }
  auto& saved = top().saved;
  for (auto one = saved.rbegin(); one != saved.rend() && one->write.event.is_unknown; ++one) {
    if (one->write.clocks.causes[one->thread] != static_cast<Tick>(write.index + 1)) continue;
    learn(one->write.event);
    if (one->read.event.kind != EventKind::kUpdateRead) continue;
    one->read.event.operand = value;
    one->read.event.is_unknown = false;
    one->write.event.value = wide_.updated(one->read.event, one->read.event.value);
  }
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

std::size_t Search::open_items() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < depth_; ++i) count += states_[i]->items.size();
  return count;
}

// What is kept of writes belongs to items in the order in which they were pushed, each to those from its last use on.
Search Search::part(std::size_t number) const {
  std::size_t depth = depth_;
  while (number >= states_[depth - 1]->items.size()) number -= states_[--depth]->items.size();
  const State& from = *states_[depth - 1];
  const std::size_t at = from.items.size() - 1 - number;
  const auto kept =
      std::count_if(from.items.begin(), from.items.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                    [](const Item& item) { return item.is_last_use; });
  Search search(model_);
  search.wide_ = wide_;
  search.bound_ = bound_;
  State& state = search.top();
  state.graph = from.graph;
  state.items = {from.items[at]};
  if (state.items.front().kind == Item::Kind::kRevisit) {
    state.items.front().is_last_use = true;
    state.saved = {from.saved[static_cast<std::size_t>(kept) - 1]};
  }
  return search;
}

// The state whose items come last, and how many of these are that part: where there are no others, half of them.
Search::State& Search::last_part(std::size_t& items) {
  std::size_t at = 0;
  while (states_[at]->items.empty()) ++at;
  State& state = *states_[at];
  const bool is_all = state.items.size() == open_items();
  items = is_all ? state.items.size() / 2 : state.items.size();
  return state;
}

// What is kept of a write may be for items of both: then it is used the last time by the first of those that stay.
void Search::leave_last_part() {
  std::size_t count = 0;
  State& state = last_part(count);
  const auto end = state.items.begin() + static_cast<std::ptrdiff_t>(count);
  auto kept = std::count_if(state.items.begin(), end, [](const Item& item) { return item.is_last_use; });
  state.items.erase(state.items.begin(), end);
  const auto first = std::ranges::find(state.items, Item::Kind::kRevisit, &Item::kind);
  if (first != state.items.end() && !std::exchange(first->is_last_use, true)) --kept;
  state.saved.erase(state.saved.begin(), state.saved.begin() + kept);
}

void Search::keep_last_part() {
  std::size_t count = 0;
  State& state = last_part(count);
  state.items.resize(count);
  const auto kept = std::ranges::count_if(state.items, &Item::is_last_use);
  state.saved.resize(static_cast<std::size_t>(kept));
  while (states_[depth_ - 1].get() != &state) --depth_;
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
  now[item.event].older = true;
  return complete_update(item.event.thread);
}

bool Search::take_place(const Item& item) {
  Graph& now = graph();
  now.cut(now[item.event].stamp);
  now.remove(item.event);
  now.insert(item.event, static_cast<int>(item.taken));
  now[item.event].sequential = item.sequential;
  now[item.event].older = true;
  return complete_updates();
}

bool Search::take_outcome(const Item& item) {
  graph().cut(graph()[item.event].stamp);
  graph()[item.event].value = item.taken;
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
