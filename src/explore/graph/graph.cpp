#include "explore/graph/graph.hpp"

#include <algorithm>

namespace plumb::engine::graph {
namespace {

bool is_kept(EventId id, const Graph::Lengths& lengths) {
  return static_cast<int>(id.index) < lengths[id.thread];
}

void copy_kept(std::vector<EventId>& to, const std::vector<EventId>& from, const Graph::Lengths& lengths) {
  to.clear();
  for (const EventId id : from) {
    if (is_kept(id, lengths)) to.push_back(id);
  }
}

}  // namespace

void Graph::clear() {
  for (int thread = 0; thread < thread_count_; ++thread) {
    Thread& mine = threads_[static_cast<std::size_t>(thread)];
    mine.events.clear();
    mine.seq_cst = 0;
  }
  for (Location& location : locations_) {
    location.writes.clear();
    location.reads.clear();
  }
  by_stamp_.clear();
  next_stamp_ = 1;
  seq_cst_threads_ = 0;
  thread_count_ = 0;
}

void Graph::copy(const Graph& from, const Lengths& lengths) {
  clear();
  for (int thread = 0; thread < from.thread_count_; ++thread) {
    const Thread& theirs = from.threads_[static_cast<std::size_t>(thread)];
    Thread& mine = threads_[static_cast<std::size_t>(thread)];
    const auto length = lengths[static_cast<std::size_t>(thread)];
    if (length == 0) continue;
    thread_count_ = thread + 1;
    mine.events.assign(theirs.events.begin(), theirs.events.begin() + length);
    if (mine.clocks.size() < mine.events.size()) mine.clocks.resize(theirs.clocks.size());
    std::copy_n(theirs.clocks.begin(), length, mine.clocks.begin());
    mine.seq_cst = theirs.seq_cst;
    for (std::size_t gone = mine.events.size(); gone < theirs.events.size(); ++gone) {
      if (is_seq_cst(theirs.events[gone])) --mine.seq_cst;
    }
    if (mine.seq_cst != 0) seq_cst_threads_ |= 1U << static_cast<unsigned>(thread);
  }
  need_locations(from.locations_.size());
  for (std::size_t i = 0; i < from.locations_.size(); ++i) {
    const Location& theirs = from.locations_[i];
    if (theirs.is_empty()) continue;
    Location& mine = locations_[i];
    mine.initial = theirs.initial;
    copy_kept(mine.writes, theirs.writes, lengths);
    copy_kept(mine.reads, theirs.reads, lengths);
    number_places(mine);
  }
  copy_kept(by_stamp_, from.by_stamp_, lengths);
  set_next_stamp_after_last();
}

void Graph::keep(const Lengths& lengths) {
  const auto is_gone = [&](EventId id) { return !is_kept(id, lengths); };
  for (Location& location : locations_) {
    const std::size_t writes = location.writes.size();
    std::erase_if(location.writes, is_gone);
    std::erase_if(location.reads, is_gone);
    if (location.writes.size() != writes) number_places(location);
  }
  std::erase_if(by_stamp_, is_gone);
  int count = 0;
  for (int thread = 0; thread < thread_count_; ++thread) {
    auto& events = threads_[static_cast<std::size_t>(thread)].events;
    const auto length = static_cast<std::size_t>(lengths[static_cast<std::size_t>(thread)]);
    for (std::size_t gone = length; gone < events.size(); ++gone) {
      if (is_seq_cst(events[gone])) count_seq_cst(thread, -1);
    }
    events.resize(length);
    if (length != 0) count = thread + 1;
  }
  thread_count_ = count;
  set_next_stamp_after_last();
}

void Graph::number_places(const Location& location) {
  std::int16_t place = 0;
  for (const EventId write : location.writes) (*this)[write].place = ++place;
}

void Graph::set_next_stamp_after_last() {
  next_stamp_ = by_stamp_.empty() ? 1 : (*this)[by_stamp_.back()].stamp + 1;
}

void Graph::count_seq_cst(int thread, int change) {
  int& count = threads_[static_cast<std::size_t>(thread)].seq_cst;
  count += change;
  const std::uint32_t bit = 1U << static_cast<unsigned>(thread);
  seq_cst_threads_ = count == 0 ? seq_cst_threads_ & ~bit : seq_cst_threads_ | bit;
}

EventId Graph::append(int thread, const Event& event) {
  Thread& mine = threads_[static_cast<std::size_t>(thread)];
  const EventId id = event_id(thread, mine.events.size());
  thread_count_ = std::max(thread_count_, thread + 1);
  mine.events.push_back(event);
  if (mine.clocks.size() < mine.events.size()) mine.clocks.emplace_back();
  mine.events.back().stamp = next_stamp_++;
  by_stamp_.push_back(id);
  if (is_seq_cst(event)) count_seq_cst(thread, 1);
  if (is_read(event)) locations_[event.location].reads.push_back(id);
  return id;
}

EventId Graph::append(int thread, const Event& event, const Clocks& clocks) {
  const EventId id = append(thread, event);
  threads_[static_cast<std::size_t>(thread)].clocks[id.index] = clocks;
  (*this)[id].stamp = event.stamp;
  next_stamp_ = event.stamp + 1;
  return id;
}

// The order of the others does not matter to anyone but for speed: the last one is nearly always the last.
void Graph::forget_last_read(std::uint16_t location, EventId read) {
  auto& reads = locations_[location].reads;
  const auto found = std::find(reads.rbegin(), reads.rend(), read);
  reads.erase(std::next(found).base());
}

void Graph::pop(int thread) {
  Thread& mine = threads_[static_cast<std::size_t>(thread)];
  const EventId id = event_id(thread, mine.events.size() - 1);
  const Event& event = mine.events.back();
  if (is_read(event)) forget_last_read(event.location, id);
  if (is_write(event) && event.place != 0) remove(id);
  if (is_seq_cst(event)) count_seq_cst(thread, -1);
  mine.events.pop_back();
  if (by_stamp_.back() == id) {
    by_stamp_.pop_back();
  } else {
    by_stamp_.erase(std::find(by_stamp_.begin(), by_stamp_.end(), id));
  }
  while (thread_count_ > 0 && threads_[static_cast<std::size_t>(thread_count_) - 1].events.empty())
    --thread_count_;
}

void Graph::cut(std::uint32_t stamp) {
  while (!by_stamp_.empty() && (*this)[by_stamp_.back()].stamp > stamp) pop(by_stamp_.back().thread);
  next_stamp_ = stamp + 1;
}

void Graph::insert(EventId write, int place) {
  auto& writes = locations_[(*this)[write].location].writes;
  writes.insert(writes.begin() + place, write);
  for (auto i = static_cast<std::size_t>(place); i < writes.size(); ++i)
    (*this)[writes[i]].place = static_cast<std::int16_t>(i + 1);
}

void Graph::remove(EventId write) {
  Event& event = (*this)[write];
  auto& writes = locations_[event.location].writes;
  const auto at = static_cast<std::size_t>(event.place) - 1;
  writes.erase(writes.begin() + static_cast<std::ptrdiff_t>(at));
  event.place = 0;
  for (std::size_t i = at; i < writes.size(); ++i)
    (*this)[writes[i]].place = static_cast<std::int16_t>(i + 1);
}

Clocks& Graph::start_clocks(EventId event) {
  auto& clocks = threads_[event.thread].clocks;
  Clocks& mine = clocks[event.index];
  if (event.index > 0) {
    mine = clocks[event.index - 1U];
  } else {
    mine = {};
  }
  mine.before[event.thread] = mine.causes[event.thread] = static_cast<Tick>(event.index + 1);
  return mine;
}

void Graph::set_source(EventId read, EventId write) {
  Event& event = (*this)[read];
  const bool counted = is_seq_cst(event);
  event.source = write;
  event.value = value(write, locations_[event.location]);
  event.succeeds = would_write(event, write);
  if (const bool counts = is_seq_cst(event); counts != counted) count_seq_cst(read.thread, counts ? 1 : -1);
  Clocks& mine = start_clocks(read);
  if (write.is_initial()) return;
  const Clocks& theirs = clocks(write);
  mine.causes.join(theirs.causes);
  (acquires(effective_order(event)) ? mine.before : mine.acquired).join(theirs.released);
}

// A read-modify-write continues the release sequence of what it read; a plain write of a part does not.
void Graph::set_write_clocks(EventId write) {
  const Event& event = (*this)[write];
  Clocks& mine = start_clocks(write);
  if (event.kind == EventKind::kPlainWrite) {
    mine.released = {};
    return;
  }
  mine.released = releases(event.order) ? mine.before : mine.fenced;
  if (event.kind != EventKind::kUpdateWrite || event.update == Update::kPart) return;
  const EventId source = (*this)[event_id(write.thread, write.index - 1U)].source;
  if (!source.is_initial()) mine.released.join(clocks(source).released);
}

void Graph::set_other_clocks(EventId id) {
  const Event& event = (*this)[id];
  Clocks& mine = start_clocks(id);
  if (!event.source.is_initial()) {
    const Clocks& theirs = clocks(event.source);
    mine.causes.join(theirs.causes);
    if (event.kind == EventKind::kClose) {
      if (acquires(event.order)) mine.before.join(theirs.released);
    } else if (event.kind != EventKind::kGate || acquires(event.order)) {
      mine.before.join(theirs.before);
    }
  }
  if (event.kind == EventKind::kClose) {
    mine.released = event.source.is_initial() ? Clock{} : clocks(event.source).released;
    if (releases(event.order)) mine.released.join(mine.before);
  }
  if (event.kind != EventKind::kFence) return;
  if (acquires(event.order)) mine.before.join(mine.acquired);
  if (releases(event.order)) mine.fenced = mine.before;
}

}  // namespace plumb::engine::graph
