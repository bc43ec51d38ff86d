// RC11. Coherence and atomicity are places; po and rf have no cycle by construction; what is left is the order of sequentially consistent
// events, psc. It is a graph over these events alone, whose edges follow from clocks and levels (graph.hpp), and is looked at only
// where an event does not come last in its coherence order, and only if the graph is not sequentially consistent anyway: psc is part
// of (po ∪ rf ∪ co ∪ fr)⁺.
#include <algorithm>
#include <limits>

#include "explore/graph/consistency.hpp"

namespace plumb::engine::graph {
namespace {

constexpr int kNone = -1;
constexpr int kInfinite = std::numeric_limits<int>::max();

// Choices, and what a library lacks, are events of ours, not of the model.
bool is_of_the_model(const Event& event) {
  return event.kind != EventKind::kChoice && !is_library_fence(event.kind);
}

// The order of sequentially consistent events. Events are named by their number in `nodes_`.
class Psc {
 public:
  bool is_acyclic(const Graph& graph) {
    collect(graph);
    if (has_fences_) measure_fences(graph);
    connect(graph);
    return peel();
  }

 private:
  struct Node {
    EventId id;
    const Event* event;
    int level;         // of an access
    std::size_t row;   // of a fence, in ranges_
    EventId next;      // of an access: the first event after it at another location, initial: there is none
    EventId previous;  // the last such before it
  };
  // Of a fence, at one location.
  struct Range {
    int lowest_after = kInfinite;  // the levels of what happens after it
    int highest_before = kNone;    // and before it
    int highest_write_before = kNone;
  };

  void collect(const Graph& graph) {
    nodes_.clear();
    has_fences_ = false;
    fences_ = 0;
    for (int thread = 0; thread < graph.thread_count(); ++thread) {
      const auto& events = graph.events_of(thread);
      for (std::size_t i = 0; i < events.size(); ++i) {
        if (!is_seq_cst(events[i])) continue;
        const bool fence = is_fence(events[i].kind);
        has_fences_ |= fence;
        nodes_.push_back({.id = event_id(thread, i),
                          .event = &events[i],
                          .level = fence ? 0 : graph.level(events[i]),
                          .row = fence ? fences_++ : 0,
                          .next = fence ? kInitial : elsewhere(events, thread, i, 1),
                          .previous = fence ? kInitial : elsewhere(events, thread, i, -1)});
      }
    }
  }

  static EventId elsewhere(const std::vector<Event>& events, int thread, std::size_t from, int step) {
    const auto size = static_cast<std::ptrdiff_t>(events.size());
    for (auto i = static_cast<std::ptrdiff_t>(from) + step; i >= 0 && i < size; i += step) {
      const Event& event = events[static_cast<std::size_t>(i)];
      if (event.location != events[from].location && is_of_the_model(event))
        return event_id(thread, static_cast<std::size_t>(i));
    }
    return kInitial;
  }

  // Ids are compared with clocks, so an event with itself counts as before.
  static bool happens_before(const Graph& graph, EventId a, EventId b) {
    return a != b && contains(graph.clocks(b).before, a);
  }

  Range& range(const Node& fence, std::size_t location) { return ranges_[fence.row * locations_ + location]; }

  void measure_fences(const Graph& graph) {
    locations_ = graph.location_count();
    ranges_.assign(fences_ * locations_, Range{});
    for (std::size_t number = 0; number < locations_; ++number) {
      const Location& location = graph.location(static_cast<std::uint16_t>(number));
      for (const EventId id : location.writes) measure(graph, number, id);
      for (const EventId id : location.reads) measure(graph, number, id);
    }
  }
  // What the access is to each fence.
  void measure(const Graph& graph, std::size_t location, EventId id) {
    const Event& access = graph[id];
    const bool writes = is_write(access);
    if (writes && access.place == 0) return;  // that stands nowhere yet
    const int level = graph.level(access);
    const Clock& before = graph.clocks(id).before;
    for (const Node& fence : nodes_) {
      if (!is_fence(fence.event->kind)) continue;
      Range& at = range(fence, location);
      if (contains(before, fence.id)) at.lowest_after = std::min(at.lowest_after, level);
      if (!contains(graph.clocks(fence.id).before, id)) continue;
      at.highest_before = std::max(at.highest_before, level);
      if (writes) at.highest_write_before = std::max(at.highest_write_before, level);
    }
  }

  // Some access to the location happens between the two.
  static bool passes_by(const Graph& graph, EventId a, EventId b, std::uint16_t number) {
    const Location& location = graph.location(number);
    const auto between = [&](EventId x) {
      return happens_before(graph, a, x) && happens_before(graph, x, b);
    };
    return std::any_of(location.writes.begin(), location.writes.end(), between) ||
           std::any_of(location.reads.begin(), location.reads.end(), between);
  }

  bool access_before_access(const Graph& graph, const Node& a, const Node& b) {
    if (a.event->location == b.event->location) {
      if (contains(graph.clocks(b.id).before, a.id)) return true;
      if (is_write(*b.event) && a.level < b.level) return true;
    }
    return !a.next.is_initial() && !b.previous.is_initial() && happens_before(graph, a.next, b.previous);
  }
  bool fence_before_access(const Graph& graph, const Node& a, const Node& b) {
    if (b.id.index > 0 && contains(graph.clocks(event_id(b.id.thread, b.id.index - 1U)).before, a.id))
      return true;
    if (is_write(*b.event) && range(a, b.event->location).lowest_after < b.level) return true;
    return contains(graph.clocks(b.id).before, a.id) && passes_by(graph, a.id, b.id, b.event->location);
  }
  bool access_before_fence(const Graph& graph, const Node& a, const Node& b) {
    const EventId next = event_id(a.id.thread, a.id.index + 1U);
    if (static_cast<int>(next.index) < graph.length(next.thread) && contains(graph.clocks(b.id).before, next))
      return true;
    if (range(b, a.event->location).highest_write_before > a.level) return true;
    return contains(graph.clocks(b.id).before, a.id) && passes_by(graph, a.id, b.id, a.event->location);
  }
  bool fence_before_fence(const Graph& graph, const Node& a, const Node& b) {
    if (contains(graph.clocks(b.id).before, a.id)) return true;
    for (std::size_t location = 0; location < locations_; ++location) {
      if (range(a, location).lowest_after < range(b, location).highest_before) return true;
    }
    return false;
  }
  // Who waits read the variable before it was changed: then it is counted by the time that the library asks. All else that the program does
  // is as if these fences were not there; within a thread they order what the count beside them orders anyway.
  bool waits_before(const Graph& graph, const Node& a, const Node& b) {
    return a.event->kind == EventKind::kWaiterFence && b.event->kind == EventKind::kNotifierFence &&
           a.event->address == b.event->address && fence_before_fence(graph, a, b);
  }
  bool is_before(const Graph& graph, const Node& a, const Node& b) {
    if (a.id.thread == b.id.thread && a.id.index < b.id.index) return true;
    if (is_library_fence(a.event->kind) || is_library_fence(b.event->kind)) return waits_before(graph, a, b);
    const bool from_fence = a.event->kind == EventKind::kFence;
    const bool to_fence = b.event->kind == EventKind::kFence;
    if (from_fence) return to_fence ? fence_before_fence(graph, a, b) : fence_before_access(graph, a, b);
    return to_fence ? access_before_fence(graph, a, b) : access_before_access(graph, a, b);
  }

  void connect(const Graph& graph) {
    words_ = (nodes_.size() + 63) / 64;
    successors_.assign(nodes_.size() * words_, 0);
    for (std::size_t a = 0; a < nodes_.size(); ++a) {
      for (std::size_t b = 0; b < nodes_.size(); ++b) {
        if (a != b && is_before(graph, nodes_[a], nodes_[b]))
          successors_[a * words_ + b / 64] |= std::uint64_t{1} << (b % 64);
      }
    }
  }

  // Takes nodes without successors away until there are none.
  bool peel() {
    left_.assign(words_, 0);
    for (std::size_t node = 0; node < nodes_.size(); ++node)
      left_[node / 64] |= std::uint64_t{1} << (node % 64);
    for (std::size_t count = nodes_.size(); count > 0;) {
      const std::size_t before = count;
      for (std::size_t node = nodes_.size(); node-- > 0;) {
        if ((left_[node / 64] >> (node % 64) & 1U) == 0 || has_successor_left(node)) continue;
        left_[node / 64] &= ~(std::uint64_t{1} << (node % 64));
        --count;
      }
      if (count == before) return false;
    }
    return true;
  }
  bool has_successor_left(std::size_t node) const {
    for (std::size_t word = 0; word < words_; ++word) {
      if ((successors_[node * words_ + word] & left_[word]) != 0) return true;
    }
    return false;
  }

  std::vector<Node> nodes_;
  std::vector<Range> ranges_;
  std::vector<std::uint64_t> successors_;
  std::vector<std::uint64_t> left_;
  std::size_t locations_ = 0;
  std::size_t fences_ = 0;
  std::size_t words_ = 0;
  bool has_fences_ = false;
};

// The lowest place that an event after those of the clock may have or read.
int lowest_place_after(const Graph& graph, const Location& location, const Clock& clock) {
  int lowest = location.last_place();
  while (lowest > 0 && !contains(clock, location.at(lowest))) --lowest;
  if (lowest == location.last_place()) return lowest;
  for (const EventId id : location.reads) {
    if (contains(clock, id)) lowest = std::max(lowest, graph.place_read(graph[id]));
  }
  return lowest;
}

class Rc11 final : public Consistency {
 public:
  Places places(const Graph& graph, EventId event, std::uint16_t number, bool sequential) override {
    const Location& location = graph.location(number);
    if (location.writes.empty()) return {};
    const Clocks& clocks = graph.clocks(event_id(event.thread, event.index - 1U));
    const int lowest = lowest_place_after(graph, location, clocks.before);
    const int last = location.last_place();
    if (lowest == last || !sequential || !graph.has_seq_cst_in_two_threads()) return {lowest, last};
    const Clock past = sequential_past(graph, clocks.causes);
    return {lowest, std::max(lowest, lowest_place_after(graph, location, past))};
  }
  bool holds(const Graph& graph) override {
    return !graph.has_seq_cst_in_two_threads() || psc_.is_acyclic(graph);
  }
  // A read that the clock of `read` contains is po-before it, or happens before it: it bounds the write from below.
  AfterRevisit after_revisit(const Graph& graph, EventId, EventId) override {
    if (!graph.has_seq_cst_in_two_threads()) return {.sequential = false};
    if (is_sequentially_consistent(graph)) return {};
    return {.consistent = psc_.is_acyclic(graph), .sequential = false};
  }

 private:
  Psc psc_;
};

}  // namespace

std::unique_ptr<Consistency> make_rc11() { return std::make_unique<Rc11>(); }

}  // namespace plumb::engine::graph
