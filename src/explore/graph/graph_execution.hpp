// An execution of the program along a graph: what the graph has is run again, in an order that respects po and rf, and at its end the threads
// add events to it, the lowest thread first. The graph says what an atomic load returns: before the thread takes the step, the value is put
// where the hook reads it. Plain memory is as it is: what happens before an access was run before it, so where nothing races the
// last value that was written is the one to be read.
//
// As long as one thread is alone, and knows all that others did, its accesses are no events: there is nothing to choose.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "explore/execution.hpp"
#include "explore/graph/locations.hpp"
#include "explore/graph/search.hpp"
#include "explore/graph/waiting_loops.hpp"

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

  bool reach(const runtime::Step& step) override;
  int choose(int outcomes) override;
  bool choose_spurious(SpuriousEvent event) override;
  void note_executed(const runtime::Step& step, std::uint64_t before, std::uint64_t after,
                     bool wrote) override;
  void acquire(const void* object) override;
  void release(const void* object) override;
  void joined(int thread) override;
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
    kUnlock,   // the end of the critical section before its own
    kChange,   // in a loop, or for a lock: until what it read is another value, which is another graph
  };
  struct Walker {
    int at = 0;      // how many of its events were run
    int length = 0;  // how many of them the graph had
    Wait wait = Wait::kNothing;
    graph::EventId source{};       // that it waits for
    const void* object = nullptr;  // the same: a mutex
    bool is_joined = false;
    graph::WaitingLoops loops;
    std::uint64_t state = 0;  // what it keeps, at the read that it is about to make; 0: not asked
    struct Held {
      const void* mutex;
      int depth;
    };
    std::vector<Held> held;  // mutexes
    int mutex_word = 0;      // of the one that it tries to lock, as it was
    struct PlainWrite {
      graph::EventId event;
      void* address;
    };
    std::vector<PlainWrite> unknown;  // values that are in memory by the thread's next hook
  };

  Walker& walker(int thread) { return walkers_[static_cast<std::size_t>(thread)]; }
  const Walker& walker(int thread) const { return walkers_[static_cast<std::size_t>(thread)]; }
  graph::Graph& graph() { return search_->graph(); }
  [[nodiscard]] bool replays(int thread) const { return walker(thread).at < walker(thread).length; }
  [[nodiscard]] bool has_passed(graph::EventId event) const {
    return event.is_initial() || walker(event.thread).at > static_cast<int>(event.index);
  }

  void begin_walk();
  void come_to(const runtime::Step& step);
  const graph::Event& next_event(int self) {
    return graph()[graph::event_id(self, static_cast<std::size_t>(walker(self).at))];
  }
  // The thread has run the event, which is its next one.
  void pass(int self) {
    Walker& mine = walker(self);
    races_.stand_at(self, graph().clocks(graph::event_id(self, static_cast<std::size_t>(mine.at))).before);
    if (mine.at++ < mine.length) --left_;
  }
  void expect(const graph::Event& event, graph::EventKind kind, const void* address) {
    if (event.kind != kind || event.address != address)
      report_difference("a thread that has read the same as before comes to another step");
  }
  // Events without a choice; each is run again, or added at once.
  void take_other(int self, const graph::Event& event);
  void wait_for_source(int self, graph::EventId source) {
    if (!has_passed(source)) wait_until_passed(self, source);
  }
  void check_room(int self);
  void wait_until_passed(int self, graph::EventId source);
  void wait_for_turn(int self);
  void wait(int self, Wait what);
  [[noreturn]] void wait_forever(int self);
  [[nodiscard]] ThreadSet able_to_go_on();
  [[nodiscard]] bool can_go_on(int thread);
  int next_walker();
  [[noreturn]] void end_without_progress();
  [[nodiscard]] bool reads_newest(const graph::Event& read) const;
  [[nodiscard]] bool all_waiters_read_newest() const;
  [[noreturn]] void report_difference(std::string_view what);

  bool take_access(int self, const runtime::Step& step);
  [[nodiscard]] graph::Event event_of(const runtime::Step& step);
  void add_access(int self, graph::Event access);
  void place_value(const graph::Event& read, const runtime::Step& step);
  void look_for_loop(int self, const runtime::Step& step);
  [[nodiscard]] graph::EventId origin_of(graph::EventId source);
  void note_read(int self, const runtime::Step& step, const graph::Event& read, int index);
  [[noreturn]] void give_up_to_restart();
  [[nodiscard]] ExecutedStep with_newer(ExecutedStep executed) const;

  void take_step(int self, const runtime::Step& step);
  void lock(int self, const runtime::Step& step);
  void try_lock(int self, const runtime::Step& step);
  bool lock_by_exchange(int self, const runtime::Step& step);
  void choose_section(int self, const void* mutex);
  [[nodiscard]] bool is_tried(const void* mutex) const;
  [[nodiscard]] graph::Event lock_event(const void* mutex, graph::Update update);
  void unlock(int self, const runtime::Step& step);
  [[nodiscard]] graph::EventId unlock_after(graph::EventId lock, const void* mutex);
  void join(int self, int other);
  void join_all(int self);
  void find_out_if_alone(int self);
  void settle_memory();

  void plain_access(const void* address, std::size_t size, bool write, const void* pc);
  void look_up_locations(const void* address, std::size_t size, bool write, const void* pc);
  [[nodiscard]] bool knows_of(int self, std::uint16_t number);
  void place_latest(int self, std::uint16_t number);
  void take_plain_write(int self, std::uint16_t number, const void* pc);
  // By the time of the thread's next hook, what it wrote is in memory.
  void learn_plain_values(int self) {
    if (!walker(self).unknown.empty()) learn_plain_values_now(self);
  }
  void learn_plain_values_now(int self);

  graph::Search* search_ = nullptr;  // null: a sequentially consistent execution, as the base class has it
  ThreadOrder* order_ = nullptr;
  std::array<Walker, kMaxThreads> walkers_;
  graph::Locations locations_;
  int left_ = 0;             // events to be run again
  bool is_alone_ = true;     // the one thread that runs, and knows all that others did
  bool is_outside_ = false;  // the access that comes next is to memory that is not the program's
  bool must_restart_ = false;
  std::vector<const void*> tried_mutexes_;  // some thread asks whether they are locked
  std::vector<const void*> loop_places_;    // where the program reads in loops that wait
};

}  // namespace plumb::engine
