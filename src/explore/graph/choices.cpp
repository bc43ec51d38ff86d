#include "explore/graph/choices.hpp"

#include <algorithm>
#include <array>

namespace plumb::engine::graph {
namespace {

class Linearization {
 public:
  explicit Linearization(const Graph& graph) : graph_(graph), added_(graph.location_count()) {}

  std::vector<std::uint8_t> choices() {
    for (bool more = true; more;) {
      more = false;
      for (int thread = 0; thread < graph_.thread_count() && !more; ++thread) more = advance(thread);
    }
    return choices_;
  }

 private:
  bool is_added(EventId id) const { return id.is_initial() || at_[id.thread] > static_cast<int>(id.index); }

  bool advance(int thread) {
    int& at = at_[static_cast<std::size_t>(thread)];
    if (at == graph_.length(thread)) return false;
    const EventId id = event_id(thread, static_cast<std::size_t>(at));
    const Event& event = graph_[id];
    if (!is_added(event.source)) return false;
    ++at;
    if (is_read(event)) choose(thread, newer_than(event.location, graph_.place_read(event)));
    if (event.kind == EventKind::kWrite) choose(thread, newer_than(event.location, event.place));
    if (event.kind == EventKind::kChoice) choose(thread, static_cast<int>(event.value));
    if (is_write(event)) added_[event.location].push_back(event.place);
    if (event.succeeds) return advance(thread);  // its write goes with it
    return true;
  }

  int newer_than(std::uint16_t location, int place) const {
    const auto& places = added_[location];
    return static_cast<int>(
        std::count_if(places.begin(), places.end(), [&](int other) { return other > place; }));
  }

  void choose(int thread, int option) {
    choices_.push_back(static_cast<std::uint8_t>(thread));
    choices_.push_back(static_cast<std::uint8_t>(std::min(option, 255)));
  }

  const Graph& graph_;
  std::vector<std::vector<int>> added_;  // the places of writes that are there
  std::array<int, kMaxThreads> at_{};
  std::vector<std::uint8_t> choices_;
};

}  // namespace

std::vector<std::uint8_t> choices_of(const Graph& graph) { return Linearization(graph).choices(); }

}  // namespace plumb::engine::graph
