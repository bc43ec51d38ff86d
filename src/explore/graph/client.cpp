#include "explore/graph/client.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "explore/graph/consistency.hpp"

namespace plumb::engine::graph {
namespace {

constexpr int kLowest = -1;
constexpr int kHighest = std::numeric_limits<int>::max();
constexpr std::uint8_t kAcquire = 2;
constexpr std::uint8_t kRelease = 3;

constexpr OperationSet bit_of(std::size_t operation) { return OperationSet{1} << operation; }

// The first event behind the call; there need not be one.
EventId behind_call(const OperationPlace& operation) {
  return event_id(operation.thread, static_cast<std::size_t>(operation.call));
}
EventId behind_return(const OperationPlace& operation) {
  return event_id(operation.thread, static_cast<std::size_t>(operation.ret));
}
const Clocks& clocks_at(const Graph& graph, int thread, int place) {
  return graph.clocks(event_id(thread, static_cast<std::size_t>(place) - 1));
}

class Relations {
 public:
  Relations(const Graph& graph, const OperationPlaces& operations) : graph_(graph), all_(operations.size()) {
    called_.reserve(operations.size());
    for (std::size_t i = 0; i < operations.size(); ++i) {
      const OperationPlace& place = operations[i];
      if (!place.is_called()) continue;
      const Clocks* const returns =
          place.has_returned() ? &clocks_at(graph, place.thread, place.ret) : nullptr;
      called_.push_back({.number = i,
                         .place = place,
                         .before_call = &clocks_at(graph, place.thread, place.call).before,
                         .before_return = returns == nullptr ? nullptr : &returns->before,
                         .causes_return = returns == nullptr ? nullptr : &returns->causes});
    }
  }

  std::vector<ClientRelations> find() {
    for (const Called& a : called_) {
      for (const Called& b : called_) relate(a, b);
    }
    for (std::size_t number = 0; number < graph_.location_count(); ++number) {
      const Location& location = graph_.location(static_cast<std::uint16_t>(number));
      if (!location.writes.empty() && is_shared(location)) compare_levels(location);
    }
    return std::move(all_);
  }

 private:
  struct Called {
    std::size_t number;
    OperationPlace place;
    // What comes before the call, and the return; null: it has not returned.
    const Clock* before_call;
    const Clock* before_return;
    const Clock* causes_return;
    // At one location: the levels of what happens after the call, and before the return.
    int lowest = kHighest;
    int highest = kLowest;
  };

  void relate(const Called& a, const Called& b) {
    const OperationPlace& one = a.place;
    const OperationPlace& other = b.place;
    const bool same_thread = one.thread == other.thread;
    if (one.has_returned() &&
        (same_thread ? one.turn < other.turn : contains(*b.before_call, behind_return(one))))
      all_[a.number].before |= bit_of(b.number);
    if (!other.has_returned()) return;
    const bool same = same_thread && one.turn <= other.turn;
    if (same || contains(*b.before_return, behind_call(one))) all_[a.number].reaches |= bit_of(b.number);
    if (same || contains(*b.causes_return, behind_call(one))) all_[a.number].causes |= bit_of(b.number);
  }

  // Else levels are the order of its one thread: who precedes by them reaches, too.
  static bool is_shared(const Location& location) {
    const std::uint16_t thread = location.writes.front().thread;
    const auto is_other = [&](EventId id) { return id.thread != thread; };
    return std::ranges::any_of(location.writes, is_other) || std::ranges::any_of(location.reads, is_other);
  }

  // One access comes before another at its location, by rf, mo and rb, exactly if its level is less.
  void compare_levels(const Location& location) {
    for (Called& each : called_) {
      each.lowest = kHighest;
      each.highest = kLowest;
    }
    for (const EventId write : location.writes) measure(write);
    for (const EventId read : location.reads) measure(read);
    for (const Called& b : called_) {
      if (b.lowest == kHighest) continue;
      for (const Called& a : called_) {
        if (b.lowest < a.highest) all_[b.number].precedes |= bit_of(a.number);
      }
    }
  }
  void measure(EventId access) {
    const int level = graph_.level(graph_[access]);
    const Clock& before = graph_.clocks(access).before;
    for (Called& each : called_) {
      if (level < each.lowest && contains(before, behind_call(each.place))) each.lowest = level;
      if (level > each.highest && each.before_return != nullptr && contains(*each.before_return, access))
        each.highest = level;
    }
  }

  const Graph& graph_;
  std::vector<Called> called_;
  std::vector<ClientRelations> all_;
};

// The graph with the client's own events. Events are added in an order that respects po and rf, those of the client included.
class WithClient {
 public:
  WithClient(const Graph& graph, const OperationPlaces& operations, std::span<const ClientEdge> edges)
      : from_(graph), stores_(operations.size()), moved_(static_cast<std::size_t>(graph.thread_count())) {
    std::vector<OperationSet> into(operations.size());
    for (const ClientEdge& edge : edges) {
      into[edge.to] |= bit_of(edge.from);
      stores_[edge.from] = kInitial;
    }
    own_.resize(moved_.size());
    for (std::size_t i = 0; i < operations.size(); ++i) {
      const OperationPlace& place = operations[i];
      const bool leaves = std::ranges::any_of(edges, [&](const ClientEdge& edge) { return edge.from == i; });
      if (!place.is_called()) continue;
      auto& own = own_[static_cast<std::size_t>(place.thread)];
      for (std::size_t other = 0; other < operations.size(); ++other) {
        if ((into[i] & bit_of(other)) != 0)
          own.push_back({.place = place.call, .turn = 2 * place.turn, .operation = other, .is_load = true});
      }
      if (leaves) own.push_back({.place = place.ret, .turn = 2 * place.turn + 1, .operation = i});
    }
    for (auto& own : own_) std::ranges::sort(own, [](const Own& a, const Own& b) { return a.turn < b.turn; });
  }

  bool is_consistent(MemoryModel model) {
    made_.need_locations(from_.location_count() + stores_.size());
    for (std::size_t i = 0; i < from_.location_count(); ++i)
      made_.location(static_cast<std::uint16_t>(i)).initial =
          from_.location(static_cast<std::uint16_t>(i)).initial;
    at_.resize(moved_.size());
    own_at_.resize(moved_.size());
    for (bool more = true; more;) {
      more = false;
      for (int thread = 0; thread < from_.thread_count(); ++thread) {
        while (add_next(thread)) more = true;
      }
    }
    for (int thread = 0; thread < from_.thread_count(); ++thread) {
      if (at_[static_cast<std::size_t>(thread)] < from_.length(thread)) return false;  // a cycle of po and rf
    }
    for (std::size_t i = 0; i < from_.location_count(); ++i) order_writes(static_cast<std::uint16_t>(i));
    return is_coherent() && consistency_of(model)->holds(made_);
  }

 private:
  // An event of the client.
  struct Own {
    int place = 0;
    std::uint32_t turn = 0;
    std::size_t operation = 0;  // whose return it is about
    bool is_load = false;
  };

  bool add_next(int thread) {
    const auto t = static_cast<std::size_t>(thread);
    if (own_at_[t] < own_[t].size() && own_[t][own_at_[t]].place == at_[t]) {
      if (!add_own(thread, own_[t][own_at_[t]])) return false;
      ++own_at_[t];
      return true;
    }
    if (at_[t] == from_.length(thread)) return false;
    const EventId id = event_id(thread, static_cast<std::size_t>(at_[t]));
    if (!add_copy(id)) return false;
    ++at_[t];
    return true;
  }

  bool add_own(int thread, const Own& own) {
    const auto location = static_cast<std::uint16_t>(from_.location_count() + own.operation);
    if (!own.is_load) {
      const EventId store = made_.append(
          thread, {.kind = EventKind::kWrite, .order = kRelease, .location = location, .value = 1});
      made_.set_write_clocks(store);
      made_.insert(store, 0);
      stores_[own.operation] = store;
      return true;
    }
    if (stores_[own.operation].is_initial()) return false;
    const EventId load =
        made_.append(thread, {.kind = EventKind::kRead, .order = kAcquire, .location = location});
    made_.set_source(load, stores_[own.operation]);
    return true;
  }

  bool add_copy(EventId id) {
    Event event = from_[id];
    EventId source = kInitial;
    if (!event.source.is_initial()) {
      const auto& moved = moved_[event.source.thread];
      if (event.source.index >= moved.size()) return false;
      source = moved[event.source.index];
    }
    event.place = 0;
    event.source = source;
    const EventId copy = made_.append(id.thread, event);
    moved_[id.thread].push_back(copy);
    if (is_read(event)) {
      made_.set_source(copy, source);
    } else if (is_write(event)) {
      made_.set_write_clocks(copy);
    } else {
      made_.set_other_clocks(copy);
    }
    return true;
  }

  void order_writes(std::uint16_t number) {
    int place = 0;
    for (const EventId write : from_.location(number).writes)
      made_.insert(moved_[write.thread][write.index], place++);
  }

  [[nodiscard]] bool is_coherent() const {
    for (std::size_t i = 0; i < from_.location_count(); ++i) {
      const Location& location = made_.location(static_cast<std::uint16_t>(i));
      std::vector<EventId> all = location.writes;
      all.insert(all.end(), location.reads.begin(), location.reads.end());
      for (const EventId a : all) {
        for (const EventId b : all) {
          if (a != b && contains(made_.clocks(b).before, a) && made_.level(made_[b]) < made_.level(made_[a]))
            return false;
        }
      }
    }
    return true;
  }

  const Graph& from_;
  Graph made_;
  std::vector<EventId> stores_;              // of the client, by operation; initial: not added yet
  std::vector<std::vector<EventId>> moved_;  // where events stand now, by thread
  std::vector<std::vector<Own>> own_;        // events of the client, by thread
  std::vector<int> at_;
  std::vector<std::size_t> own_at_;
};

}  // namespace

std::vector<ClientRelations> client_relations(const Graph& graph, const OperationPlaces& operations) {
  return Relations(graph, operations).find();
}

bool allows_client(MemoryModel model, const Graph& graph, const OperationPlaces& operations,
                   std::span<const ClientEdge> edges) {
  return WithClient(graph, operations, edges).is_consistent(model);
}

}  // namespace plumb::engine::graph
