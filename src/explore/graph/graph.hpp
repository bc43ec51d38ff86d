// An execution graph: the events of each thread in program order, where each read takes its value from (rf), and for each location the
// coherence order of its writes (co). Events are added at the end of a thread and taken out in the reverse order of their stamps; a copy
// may leave out what comes last in each thread.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "explore/graph/event.hpp"

namespace plumb::engine::graph {

struct Location {
  std::uint64_t initial = 0;
  std::vector<EventId> writes;  // in coherence order, without the initial value
  std::vector<EventId> reads;   // in the order of their stamps

  [[nodiscard]] bool is_empty() const { return writes.empty() && reads.empty(); }
  [[nodiscard]] int last_place() const { return static_cast<int>(writes.size()); }
  [[nodiscard]] EventId at(int place) const {
    return place == 0 ? kInitial : writes[static_cast<std::size_t>(place) - 1];
  }
};

class Graph {
 public:
  using Lengths = std::array<int, kMaxThreads>;

  void clear();
  void copy(const Graph& from, const Lengths& lengths);  // so many events of each thread
  void keep(const Lengths& lengths);                     // the same in place

  [[nodiscard]] int thread_count() const { return thread_count_; }  // that have events, and those below them
  [[nodiscard]] int length(int thread) const { return static_cast<int>(events_of(thread).size()); }
  [[nodiscard]] int event_count() const { return static_cast<int>(by_stamp_.size()); }
  [[nodiscard]] const Event& operator[](EventId id) const { return events_of(id.thread)[id.index]; }
  [[nodiscard]] Event& operator[](EventId id) {
    return threads_[static_cast<std::size_t>(id.thread)].events[id.index];
  }
  [[nodiscard]] const Clocks& clocks(EventId id) const {
    return threads_[static_cast<std::size_t>(id.thread)].clocks[id.index];
  }
  [[nodiscard]] const Clocks& last_clocks(int thread) const { return clocks(last(thread)); }
  [[nodiscard]] const std::vector<Event>& events_of(int thread) const {
    return threads_[static_cast<std::size_t>(thread)].events;
  }
  [[nodiscard]] EventId last(int thread) const {
    return event_id(thread, static_cast<std::size_t>(length(thread) - 1));
  }
  [[nodiscard]] const std::vector<EventId>& by_stamp() const { return by_stamp_; }
  [[nodiscard]] std::uint32_t next_stamp() const { return next_stamp_; }
  void set_next_stamp(std::uint32_t stamp) { next_stamp_ = stamp; }
  // Whether threads other than one have sequentially consistent events.
  [[nodiscard]] bool has_seq_cst_in_two_threads() const {
    return (seq_cst_threads_ & (seq_cst_threads_ - 1)) != 0;
  }

  [[nodiscard]] Location& location(std::uint16_t number) { return locations_[number]; }
  [[nodiscard]] const Location& location(std::uint16_t number) const { return locations_[number]; }
  [[nodiscard]] std::size_t location_count() const { return locations_.size(); }
  void need_locations(std::size_t count) {
    if (locations_.size() < count) locations_.resize(count);
  }

  [[nodiscard]] int place(EventId write) const { return write.is_initial() ? 0 : (*this)[write].place; }
  [[nodiscard]] int place_read(const Event& read) const { return place(read.source); }
  // Twice the place for a write, one more for what reads it: at one location an event is eco-before another exactly if its level is less.
  [[nodiscard]] int level(const Event& access) const {
    return is_write(access) ? 2 * access.place : 2 * place_read(access) + 1;
  }
  // The next write is that of a read-modify-write that read here: nothing may come between.
  [[nodiscard]] bool is_taken(const Location& location, int place) const {
    return place < location.last_place() && (*this)[location.at(place + 1)].kind == EventKind::kUpdateWrite;
  }
  [[nodiscard]] std::uint64_t value(EventId write, const Location& location) const {
    return write.is_initial() ? location.initial : (*this)[write].value;
  }

  // At the end of its thread, with a new stamp. Neither has a place or a source yet.
  EventId append(int thread, const Event& event);
  // The same event again, as it was when it was taken out.
  EventId append(int thread, const Event& event, const Clocks& clocks);
  void pop(int thread);           // the last event
  void cut(std::uint32_t stamp);  // what was added later
  void insert(EventId write, int place);
  void remove(EventId write);  // from the coherence order

  // Whether the read is that of a read-modify-write that would write, had it read this.
  [[nodiscard]] bool would_write(const Event& read, EventId source) const {
    return read.kind == EventKind::kUpdateRead && (read.update != Update::kCompareExchange ||
                                                   value(source, locations_[read.location]) == read.expected);
  }
  // A read takes its value from there, and knows the clocks and whether it succeeds.
  void set_source(EventId read, EventId write);
  void set_write_clocks(EventId write);
  // Of any other event; what it waits for comes before it.
  void set_other_clocks(EventId id);

 private:
  struct Thread {
    std::vector<Event> events;
    std::vector<Clocks> clocks;  // of each event; what lies behind is left from earlier ones
    int seq_cst = 0;             // how many of them are sequentially consistent
  };

  void count_seq_cst(int thread, int change);
  Clocks& start_clocks(EventId event);  // from those of the event before
  void number_places(const Location& location);
  void set_next_stamp_after_last();
  void forget_last_read(std::uint16_t location, EventId read);

  std::array<Thread, kMaxThreads> threads_;
  std::vector<Location> locations_;
  std::vector<EventId> by_stamp_;
  std::uint32_t next_stamp_ = 1;
  std::uint32_t seq_cst_threads_ = 0;
  int thread_count_ = 0;
};

// What is kept of an event that was taken out and may come back.
struct SavedEvent {
  Event event;
  Clocks clocks;
};

}  // namespace plumb::engine::graph
