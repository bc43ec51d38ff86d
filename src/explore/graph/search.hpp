// The search for all consistent execution graphs of a program, each exactly once: TruSt (Kokologiannakis, Marmanis, Gladstein,
// Vafeiadis, POPL 2022). Threads are run along a graph; where it ends, they add events to it. A read first takes the newest value, a write
// comes last; what else either might do is kept as an item. A write that is added may also be what an earlier read, which did not know
// it, takes its value from: such a revisit keeps what was there before the read and what led to the write. Whether it is made is told
// from the graph alone, so nothing has to be remembered of graphs that were run.
//
// With a Chooser there are no items: it takes one of the possibilities each time. That is a random execution, or one run again.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "explore/graph/consistency.hpp"
#include "explore/graph/graph.hpp"
#include "explore/graph/wide_values.hpp"

namespace plumb::engine::graph {

class Chooser {
 public:
  Chooser() = default;
  Chooser(const Chooser&) = delete;
  Chooser& operator=(const Chooser&) = delete;
  virtual ~Chooser() = default;

  // The number of an option. `behind`: how much older than the newest value, or how far from the last place, each is; of a choice the
  // number of the outcome. The last is the newest, the first outcome.
  virtual std::size_t pick(std::span<const int> behind) = 0;
};

class Search {
 public:
  explicit Search(Model model);

  void restart();  // from the empty graph
  void set_chooser(Chooser* chooser) { chooser_ = chooser; }
  // Only graphs in which so many events at most have something else than the newest. That finds; it does not show that there is nothing.
  void set_bound(std::optional<unsigned> older) { bound_ = older; }
  [[nodiscard]] bool left_some_out() const { return left_some_out_; }  // because of the bound
  [[nodiscard]] Graph& graph() { return top().graph; }
  [[nodiscard]] const Graph& graph() const { return states_[depth_ - 1]->graph; }
  [[nodiscard]] WideValues& wide_values() { return wide_; }

  // Adds what the thread does next. A read-modify-write is given as its read. `newest`: nothing but the newest value is tried.
  void add_read(int thread, const Event& access, bool newest = false);
  void add_write(int thread, const Event& access);
  void add_choice(int thread, const Event& choice);
  void add_other(int thread, const Event& event);
  // The only place at which it can stand is the last one.
  void add_plain_write(int thread, const Event& access);

  // What one of the writes that were added last in its thread has written, if that was not known when it was added.
  void learn_value(EventId write, std::uint64_t value);

  // The next graph to run threads along; false: all were.
  bool next();

  // How many items there are, for each of which next() would go on; and a search that has one of them alone, by its number in that order.
  [[nodiscard]] std::size_t open_items() const;
  [[nodiscard]] Search part(std::size_t number) const;
  // The same in two processes that have this search: the one leaves out the last items in that order, and the other keeps nothing else.
  // There have to be two at least.
  void leave_last_part();
  void keep_last_part();

  [[nodiscard]] std::size_t most_open_states() const { return most_states_; }

 private:
  // What else could have been done at an event. A write and, if it has one, the read of its read-modify-write that are not in the
  // graph any more are kept for revisits.
  struct Item {
    enum class Kind : std::uint8_t { kSource, kPlace, kOutcome, kRevisit } kind = Kind::kSource;
    bool sequential = true;
    bool with_read = false;    // revisit: the read half is not part of the graph either
    bool is_last_use = false;  // revisit: of what is kept
    EventId event = {};        // the read, the write, the choice; revisit: the read that is revisited
    std::uint32_t before = 0;  // revisit: the stamp up to which the graph was there
    std::uint64_t taken = 0;   // the place, or the outcome
  };
  struct Saved {
    SavedEvent read = {};  // of a read-modify-write that is not in the graph itself
    SavedEvent write = {};
    int thread = 0;
  };
  struct State {
    Graph graph;
    std::vector<Item> items;
    std::vector<Saved> saved;
  };
  struct Option {
    int place;
    bool sequential;
  };
  enum class Forward : std::uint8_t { kYes, kOnlyRevisits };

  State& top() { return *states_[depth_ - 1]; }
  State& push_state();
  [[nodiscard]] bool is_sequential() const;
  EventId append(int thread, const Event& event);
  std::size_t pick_option();
  void push_options(Item::Kind kind, EventId event, const Option& chosen);
  bool is_within_bound(unsigned more);
  void find_sources(EventId read, const Places& places, std::uint32_t before);
  void find_places(EventId write, const Places& places);
  bool write_is_consistent(EventId read, int place);
  bool add_update_write(int thread, Forward forward, std::uint32_t before, bool with_read);
  void collect_revisits(EventId write, std::uint32_t before, bool with_read);
  [[nodiscard]] bool is_maximal(EventId id, const Clock& causes) const;
  bool take(const Item& item);
  bool take_source(const Item& item);
  bool take_place(const Item& item);
  bool take_outcome(const Item& item);
  [[nodiscard]] State& last_part(std::size_t& items);
  bool take_revisit(const Item& item);
  bool place_revisiting_write(EventId read, EventId write);
  bool complete_updates();
  bool complete_update(int thread);

  Model model_;
  std::unique_ptr<Consistency> consistency_;
  Chooser* chooser_ = nullptr;
  std::optional<unsigned> bound_;
  bool left_some_out_ = false;
  WideValues wide_;
  std::vector<std::unique_ptr<State>> states_;  // the first depth_ are in use
  std::size_t depth_ = 0;
  std::size_t most_states_ = 0;
  std::vector<Option> options_;
  std::vector<int> behind_;
};

}  // namespace plumb::engine::graph
