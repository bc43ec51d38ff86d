// An execution of the program along a graph: what the graph has is run again, in an order that respects po and rf, and at its end the threads
// add events to it, the lowest thread first. The graph says what an atomic load returns: before the thread takes the step, the value is put
// where the hook reads it. Plain memory is as it is: what happens before an access was run before it, so where nothing races the
// last value that was written is the one to be read.
//
// As long as one thread is alone, and knows all that others did, its accesses are no events: there is nothing to choose.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "explore/changed_orders.hpp"
#include "explore/execution.hpp"
#include "explore/graph/client.hpp"
#include "explore/graph/locations.hpp"
#include "explore/graph/search.hpp"
#include "explore/graph/stronger_orders.hpp"
#include "explore/graph/waiting_loops.hpp"
#include "runtime/library_waits.hpp"

namespace plumb::engine {

class GraphExecution final : public Execution {
 public:
  using Execution::Execution;

  // Runs along the graph of the search, adding to it. A thread that goes on is picked by `order`, if there is one.
  class ThreadOrder {
   public:
    ThreadOrder() = default;
    ThreadOrder(const ThreadOrder&) = delete;
    ThreadOrder& operator=(const ThreadOrder&) = delete;
    virtual ~ThreadOrder() = default;
    virtual int pick(ThreadSet able) = 0;  // to add the next event; not empty
  };
  End run_along(graph::Search& search, ThreadOrder* order = nullptr);

  // The execution was given up because something was learnt of the program: where it waits in loops, or that it asks whether a mutex
  // is locked. The search has to begin anew.
  [[nodiscard]] bool must_restart() const { return must_restart_; }
  // Of the last execution that was run along a graph.
  [[nodiscard]] const graph::Graph& last_graph() const { return *graph_; }
  [[nodiscard]] const graph::OperationPlaces& operation_places() const { return operation_places_; }

  // Accesses at these lines have other orders than the program says.
  void change_orders(const std::vector<OrderChange>& changes) { changed_.set(changes); }
  [[nodiscard]] std::uint64_t orders_met() const { return changed_.met(); }  // as bits, of these changes
  // Accesses at these places have still others, from the next execution on.
  void strengthen(const std::vector<graph::StrongerOrders::Row>& orders) { stronger_.set(orders); }

  void call_operation(std::uint32_t operation) override;
  void return_from_operation(std::uint32_t operation, std::uint64_t result) override;
  bool reach(const runtime::Step& step) override;
  int choose(int outcomes) override;
  bool choose_spurious(SpuriousEvent event) override;
  void note_executed(const runtime::Step& step, std::uint64_t before, std::uint64_t after,
                     bool wrote) override;
  void acquire(const void* object) override;
  void release(const void* object) override;
  void joined(int thread) override;
  [[nodiscard]] bool shows_memory_as_it_is() const override { return search_ == nullptr || is_alone_; }
  void woke(int thread) override;
  void opened(const void* barrier, std::uint64_t round) override;
  void read(const void* address, std::size_t size, const void* pc) override;
  void write(const void* address, std::size_t size, const void* pc) override;
  void observed_environment(std::uint64_t value, const void* from, bool changes) override;
  void allocated(void* block, std::size_t size, const void* pc) override;
  int start(void* (*entry)(void*), void* argument, std::size_t stack) override;
  [[noreturn]] void finish_thread() override;

 private:
  // What a thread that does not run waits for.
  enum class Wait : std::uint8_t {
    kNothing,  // it is to add an event when it is its turn
    kSource,   // until the thread of the source has come past it
    kEnd,      // of another thread
    kAllEnds,  // of all other threads
    kUnlock,   // the end of the critical section, or of the use of an object, before its own
    kWoken,    // to be woken
    kOpened,   // until all have come to a barrier
    kLast,     // until no other thread can go on
    kWokenOrLast,
    kChange,  // in a loop, or for a lock: until what it read is another value, which is another graph
    kReady,   // for an object: until it is used by others first, which is another graph
    kNever,   // what it has chosen is another way to an execution that is run elsewhere
  };
  struct Held {
    const void* mutex;
    int depth;
  };
  struct Use {
    const void* object = nullptr;  // null: none
    graph::EventId begin{};
    graph::EventId before{};  // where the use before it ended
  };
  struct PlainWrite {
    graph::EventId event;
    void* address;
  };
  // What is looked at with every step comes first, so that it is in few lines of the cache.
  struct alignas(64) Walker {
    int at = 0;          // how many of its events were run
    int length = 0;      // how many of them the graph had
    int loops_from = 0;  // the last of these that ended all rounds of loops
    Wait wait = Wait::kNothing;
    bool is_joined = false;
    bool fails = false;               // the compare-exchange, spuriously
    bool is_patient = false;          // it has gone round a loop so often that it reads what is newest
    graph::EventId source{};          // that it waits for
    std::uint64_t state = 0;          // what it keeps, at the read that it is about to make; 0: not asked
    std::vector<PlainWrite> unknown;  // values that are in memory by the thread's next hook
    graph::WaitingLoops loops;
    Use use;                                      // of an object, which has begun and not ended
    const void* object = nullptr;                 // that it waits for: a mutex, or another object
    std::vector<Held> held;                       // mutexes
    int mutex_word = 0;                           // of the one that it tries to lock, as it was
    int* shown = nullptr;                         // the same: where it stands; null: what is there is right
    graph::EventId woken_by{};                    // the use that did
    bool may_time_out = false;                    // while it waits to be woken
    bool wakes_by_itself = false;                 // from its wait at a condition variable
    std::unordered_map<const void*, int> pauses;  // how often it has yielded, slept or timed out where
    int depth = 0;                                // how often it held the mutex of its wait
    int made = 0;                                 // how many threads it has made
    std::vector<runtime::Nanoseconds> times;  // when it ran its events; fewer: nobody had looked at the clock
    std::vector<graph::EventId> read;         // by its last plain access that is an event
  };

  Walker& walker(int thread) { return walkers_[static_cast<std::size_t>(thread)]; }
  const Walker& walker(int thread) const { return walkers_[static_cast<std::size_t>(thread)]; }
  graph::Graph& graph() { return *graph_; }
  [[nodiscard]] bool replays(int thread) const { return walker(thread).at < walker(thread).length; }
  [[nodiscard]] bool has_passed(graph::EventId event) const {
    return event.is_initial() || walker(event.thread).at > static_cast<int>(event.index);
  }

  void begin_walk();
  [[nodiscard]] int last_change(int thread);
  void come_to(const runtime::Step& step);
  const graph::Event& next_event(int self) {
    return graph()[graph::event_id(self, static_cast<std::size_t>(walker(self).at))];
  }
  // The thread has run the event, which is its next one.
  void pass(int self) {
    Walker& mine = walker(self);
    const graph::EventId id = graph::event_id(self, static_cast<std::size_t>(mine.at));
    if (may_learn(graph()[id])) {
      races_.stand_at(self, graph().clocks(id).before);
    } else {
      races_.go_on(self);
    }
    come_past(self, mine);
  }
  // The same of the write of a read-modify-write, which knows no more than the read.
  void pass_update_write(int self) {
    races_.go_on(self);
    come_past(self, walker(self));
  }
  void come_past(int self, Walker& mine) {
    if (mine.at++ < mine.length) --left_;
    if (runtime::g_time_passes) note_time(self);
  }
  void note_time(int self);
  void expect(const graph::Event& event, graph::EventKind kind, const void* address) {
    if (event.kind != kind || event.address != address)
      report_difference("a thread that has read the same as before comes to another step");
  }
  // Events without a choice; each is run again, or added at once.
  void take_other(int self, const graph::Event& event);
  void wait_for_source(int self, graph::EventId source) {
    if (!has_passed(source)) wait_until_passed(self, source);
  }
  // Clocks count to 32767, and a step may add three events.
  void check_room(int self) {
    constexpr int kMostEvents = 32'000;
    if (walker(self).at > kMostEvents) [[unlikely]]
      refuse_more_events();
  }
  [[noreturn]] void refuse_more_events();
  void wait_until_passed(int self, graph::EventId source);
  void wait_for_turn(int self);
  void wait(int self, Wait what);
  [[noreturn]] void wait_forever(int self);
  [[noreturn]] void wait_in_vain(int self);
  [[nodiscard]] ThreadSet able_to_go_on();
  [[nodiscard]] ThreadSet able_to_go_on_last() const;
  [[nodiscard]] bool can_go_on(int thread);
  [[nodiscard]] bool is_first_to_go_on(int self);
  int next_walker();
  [[noreturn]] void end_without_progress();
  [[nodiscard]] bool reads_newest(const graph::Event& read) const;
  [[nodiscard]] bool waits_forever(int thread) const;
  [[noreturn]] void report_difference(std::string_view what);

  bool take_access(int self, const runtime::Step& step);
  bool add_next_access(int self, const runtime::Step& step, graph::EventKind kind);
  void note_any(const runtime::Step& step, std::uint64_t before, std::uint64_t after, bool wrote);
  void note_access(const runtime::Step& step, bool wrote);
  void check_access(const runtime::Step& step, bool wrote);
  [[nodiscard]] graph::Event event_of(const runtime::Step& step, graph::EventKind kind);
  struct Orders {
    std::uint8_t order;
    std::uint8_t failure;
  };
  [[nodiscard]] Orders orders_of(const runtime::Step& step);
  [[nodiscard]] runtime::Step as_shown(const runtime::Step& step);
  void add_access(int self, const graph::Event& access);
  void place_value(const graph::Event& read, const runtime::Step& step);
  void look_for_loop(int self, const runtime::Step& step);
  void look_for_turns(int self, const runtime::Step& step);
  void be_patient(int self, const runtime::Step& step, int rounds);
  void hold_back(int self);
  void note_pause(int self, const runtime::Step& step);
  [[nodiscard]] bool times_out(int self, const runtime::Step& step);
  [[nodiscard]] graph::EventId origin_of(graph::EventId source);
  void note_read(int self, const runtime::Step& step, const graph::Event& read, int index);
  [[noreturn]] void give_up_to_restart();
  [[nodiscard]] WeakRead weak_read(const runtime::Step& step, bool wrote) const;
  [[nodiscard]] WeakRead gate_passed() const;
  [[nodiscard]] WeakRead fence_passed() const;

  bool take_step(int self, const runtime::Step& step);
  [[nodiscard]] bool time_out_alone(const runtime::Step& step);
  bool lock(int self, const runtime::Step& step);
  void lock_now(int self, const void* mutex, int depth);
  bool try_lock(int self, const runtime::Step& step);
  bool lock_by_exchange(int self, const void* mutex);
  graph::EventId choose_section(int self, const void* object, std::uint8_t order);
  [[nodiscard]] bool is_tried(const void* mutex) const;
  [[nodiscard]] graph::Event lock_event(const void* object, graph::Update update);
  int unlock(int self, const void* mutex, bool fully);
  graph::EventId wait_for_end_of(int self, graph::EventId begin, const void* object);
  [[nodiscard]] graph::EventId end_after(graph::EventId begin, const void* object);
  [[nodiscard]] bool has_ended(graph::EventId begin, const void* object);
  void refuse_wait_unseen(const runtime::Step& step);
  bool use(int self, const runtime::Step& step);
  void begin_use(int self, const void* object, std::uint8_t order);
  void close(int self, graph::Event end);
  void end_use(int self, const runtime::Step& step, bool wrote);
  void come_after_readers(int self, graph::EventId begin);
  void read_futex(int self, const runtime::Step& step);
  bool begin_wait(int self, const runtime::Step& step);
  bool end_wait(int self, const runtime::Step& step);
  void wait_to_be_woken(int self, const runtime::Step& step);
  bool leave_barrier(int self, const runtime::Step& step);
  [[nodiscard]] bool choose_spurious_now(SpuriousEvent event);
  void take_library_fence(int self, graph::EventKind kind, const void* counter);
  [[nodiscard]] std::uint64_t expected_value(const runtime::Step& step);
  int number_of_child(int parent);
  void join(int self, int other);
  void join_all(int self);
  void find_out_if_alone(int self);
  void settle_memory();

  void report_race(const Race& race, const void* address, std::size_t size, bool write,
                   const void* pc) override;
  [[nodiscard]] bool promoted_access(const runtime::Step& access);
  void promoted_read(int self, const graph::Locations::Promoted& place, const void* pc);
  void promoted_write(int self, const graph::Locations::Promoted& place, const void* pc);
  void promoted_update(int self, const graph::Locations::Promoted& place, const runtime::Step& access);
  void learn_later(int self, int index, const graph::Locations::Promoted& place);
  void learn_later(int self, const PlainWrite& written) {
    walker(self).unknown.push_back(written);
    any_unknown_ = true;
  }
  void show_what_was_read(int self);
  // Else the access is no more than one under sequential consistency.
  [[nodiscard]] bool may_meet_events(const void* address, std::size_t size) const {
    return !is_alone_ && (any_unknown_ || locations_.may_touch(address, size));
  }
  void plain_access(const void* address, std::size_t size, bool write, const void* pc);
  void look_up_locations(const void* address, std::size_t size, bool write, const void* pc);
  [[nodiscard]] bool knows_of(int self, std::uint16_t number);
  void place_latest(int self, std::uint16_t number);
  void take_plain_write(int self, std::uint16_t number, const void* pc);
  // By the time of the thread's next hook, what it wrote is in memory.
  void learn_plain_values(int self) {
    if (any_unknown_ && !walker(self).unknown.empty()) learn_plain_values_now(self);
  }
  void learn_plain_values_now(int self);

  graph::Search* search_ = nullptr;  // null: a sequentially consistent execution, as the base class has it
  graph::Graph* graph_ = nullptr;    // that the threads run along
  graph::OperationPlaces operation_places_;
  std::uint32_t operations_called_ = 0;
  ThreadOrder* order_ = nullptr;
  std::array<Walker, kMaxThreads> walkers_;
  graph::Locations locations_;
  ChangedOrders changed_;
  graph::StrongerOrders stronger_;
  runtime::LibraryWaits library_waits_;
  int walked_ = kMaxThreads;  // how many threads the execution before may have had
  int left_ = 0;              // events to be run again
  bool is_alone_ =
      true;  // the one thread that runs, and knows all that others did; also where there is no search
  bool any_unknown_ = false;  // some thread wrote plainly to a place with events, in this execution
  bool is_outside_ = false;   // the access that comes next is to memory that is not the program's
  bool must_restart_ = false;
  bool reports_races_ = true;               // else what races is promoted
  std::vector<const void*> tried_mutexes_;  // some thread asks whether they are locked
  std::vector<const void*> seen_waits_;     // calls that wait on futexes, in code with the hooks
  std::vector<const void*> loop_places_;    // where the program reads in loops that wait
  std::map<std::pair<const void*, std::uint64_t>, graph::EventId>
      opened_;  // rounds of barriers, by which use
  std::map<std::pair<int, int>, int>
      numbers_;  // of threads: by the one that makes it, and how many it made before
};

}  // namespace plumb::engine
