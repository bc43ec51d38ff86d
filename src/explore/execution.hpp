// One execution after the other: the threads of a program run as fibers, each up to its next step; then the strategy
// picks the next one. Implements what the runtime's hooks ask (runtime/control.hpp).
//
// A thread that was just started runs to its first step at once: what it does before touches nothing shared, or races.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "explore/executed_step.hpp"
#include "explore/happens_before.hpp"
#include "explore/host.hpp"
#include "explore/late.hpp"
#include "explore/observer.hpp"
#include "explore/race.hpp"
#include "explore/schedule.hpp"
#include "explore/sections.hpp"
#include "explore/spin.hpp"
#include "explore/step_log.hpp"
#include "explore/strategy.hpp"
#include "explore/survey.hpp"
#include "explore/trace_recorder.hpp"
#include "explore/turns.hpp"
#include "explore/yields.hpp"
#include "runtime/arena.hpp"
#include "runtime/control.hpp"
#include "runtime/fiber.hpp"
#include "runtime/program_data.hpp"

namespace plumb::engine {

struct Limits {
  std::uint64_t steps = 10'000;
  unsigned spin = 3;
  unsigned patience = 32;
  bool races = true;
  bool leaks = true;
  unsigned spurious_cas_failures = 0;  // this many weak compare-exchanges per thread may fail spuriously, and
  unsigned spurious_wakeups = 0;       // this many of its waits at condition variables end spuriously
  bool plain_points = false;           // plain accesses are steps
  bool serial = false;                 // operations run one at a time: none is called while another is open
  // An operation is called right before its first step, and returns right after its last: this gives the history with the most
  // order, which shows any violation. The call is a scheduling point, and no other thread runs between it and the step.
  bool fuses_call_with_first_step = false;
  bool accepts_deadlock = false;  // a deadlock is a regular end, not a finding by itself
  runtime::Reuse reuse = runtime::Reuse::kLastFreed;
};

struct Finding {
  bool found = false;
  FindingKind kind = FindingKind::kCheck;
  bool refused = false;  // not a bug in the program: the engine cannot run it
  std::string message;
  int thread = 0;
  const void* pc = nullptr;
  const void* address = nullptr;  // what it is about, and how many bytes
  std::size_t size = 0;
  Race race{};              // the other access
  Difference difference{};  // of a test that is not deterministic
  bool judged = false;      // by the observer of the execution, after its end
};

class Execution : public Host, private ImplicitState {
 public:
  // `body` runs as thread 0; it starts the others.
  Execution(std::function<void()> body, const Limits& limits);

  enum class End : std::uint8_t { kDone, kDeadlock, kPruned, kFinding, kInterrupted };
  End run(Strategy& strategy);
  // The same with operations one at a time: what it does is the specification, so only that counts, no race or leak.
  End run_serially(Strategy& strategy);
  void record(TraceRecorder* recorder) {  // from the next execution on; null: no more
    recorder_ = recorder;
    follow_if_asked();
  }
  void survey(Survey* survey) {  // the same
    survey_ = survey;
    follow_if_asked();
  }
  void show(LiveSchedule* live) { live_ = live; }  // the choices of executions to come; null: no more
  void restore_data() { data_.restore(); }         // the program's globals as they were before all executions

  const Finding& finding() const { return finding_; }
  void keep_steps(bool keep) { keeps_steps_ = keep; }
  const std::vector<ExecutedStep>& executed_steps() const { return executed_steps_; }  // where they are kept
  const std::vector<DataChoice>& data_choices() const { return data_choices_; }
  const Schedule& schedule() const { return schedule_; }
  int unfinished() const { return unfinished_; }  // threads
  static bool instrumented() {
    return runtime::g_is_instrumented;
  }  // some access was seen since this object was made

  // For the program: what the hooks do not see.
  void wait_for_all(const void* frame) override;
  void call_operation(std::uint32_t operation) override;
  void return_from_operation(std::uint32_t operation, std::uint64_t result) override;
  const Waiting& waiting() const { return waiting_; }
  bool ended_in_spin_loop() const { return ended_in_spin_loop_; }
  // In some execution a loop that might have ended by itself had gone round so often that other threads went first.
  bool held_back() const { return held_back_; }
  bool waits_for_threads() const { return joining_ != 0; }  // the body, when it ended
  // After its end: what was observed is a finding.
  void report_observer_finding(std::string message);

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
  void freed(void* block, std::size_t size, const void* pc) override;
  void throws() override {
    if (recorder_ != nullptr) recorder_->threw(current_);
  }
  void leaves_function(const void* pc) override { survey_memory(pc, true); }
  using runtime::Control::fail;
  [[noreturn]] void fail(FindingKind kind, std::string_view message, const void* pc,
                         const void* address) override;
  [[noreturn]] void report_refusal(std::string_view message, const void* pc) override;
  int start(void* (*entry)(void*), void* argument, std::size_t stack) override;
  [[noreturn]] void finish_thread() override;
  runtime::Nanoseconds delay() override;
  bool finished(int thread) const override {
    return threads_[static_cast<std::size_t>(thread)].state == State::kFinished;
  }
  std::uint64_t steps() const override { return total_steps_ + steps_; }
  int running() const override { return current_; }
  [[noreturn]] void interrupt() override;
  // Where the last execution was interrupted.
  const CallStack& interrupted_at() const { return interrupted_at_; }
  // The operation under test that the thread is in.
  std::optional<std::uint32_t> open_operation(int thread) const;
  // The last step that a thread came to: its return address, null where there is none.
  const void* last_place(int thread) const { return step_log_.last(thread); }

 protected:  // for executions along graphs (graph/graph_execution.hpp), which differ in who goes on
  enum class State : std::uint8_t { kFresh, kBegun, kFinished };
  struct Thread {
    State state = State::kFinished;
    void* (*entry)(void*) = nullptr;
    void* argument = nullptr;
    TimeSeen time;
    bool repeats_itself = false;  // it waits because it would do the same forever, not because it may
    bool counts_rounds = false;   // it waits because it has gone round so often
    std::array<unsigned, 2> spurious_events{};  // that happened
    std::uint64_t environment = 0;              // without a step, all of it, as a hash
    std::uint64_t environment_but_time = 0;     // the same without the time
    Sections sections;
    Spin spin;
    Yields yields;
    Turns turns;
  };

  static void fiber_main(int fiber);
  int start_as(int number, void* (*entry)(void*), void* argument, std::size_t stack);
  void follow_if_asked() {
    followed_ = recorder_ != nullptr || survey_ != nullptr;
    in_full_ = limits_.plain_points || followed_;
  }
  void follow(int self, const runtime::Step& step);  // to a scheduling point
  void survey_memory(const void* pc, bool plain) {
    if (survey_ != nullptr) survey_memory_now(pc, plain);
  }
  void survey_memory_now(const void* pc, bool plain);
  void begin();
  int next_thread();  // the one to continue with; a deadlock where none is enabled
  int pick_next();    // the same, inline
  ThreadSet enabled_threads();
  int fresh_thread() const;
  ThreadSet enabled_among(ThreadSet blocked) const;
  ThreadSet spinning_threads() const;
  void hold_back(ThreadSet spinning);
  ThreadSet release_spinning_threads(ThreadSet spinning);
  void release_turns(std::uint64_t places);
  void note_for_loops(const runtime::Step& step, std::uint64_t before, bool changed);
  static void waited(Thread& self, const runtime::Step& step);
  int ask(const SchedulingPoint& point);
  [[noreturn]] void stop(Stop why);
  [[noreturn]] void report_step_limit(const runtime::Step& step);
  void keep(const runtime::Step& step, std::uint64_t before, std::uint64_t after, bool wrote);
  std::uint64_t implicit_state() const override;
  bool is_implicit_state_empty() const override;
  void take_turn(int self, const runtime::Step& step);
  void update_enabledness(int thread, const runtime::Step& step);
  void mark_blocked(int thread, const runtime::Step& step);
  bool is_spinning(int thread, const runtime::Step& step);
  void check_access_slow(const void* address, std::size_t size, bool write, const void* pc);
  void check_object(const runtime::Step& step);
  void check_atomic_access(const runtime::Step& step, bool wrote);
  void check_access_recorded(const void* address, std::size_t size, bool write, const void* pc);
  void check_race(const void* address, std::size_t size, bool write, const void* pc);
  [[noreturn]] void report_dead(std::string_view what, const void* address, std::size_t size, bool write,
                                const void* pc);
  // An access there can only be wrong because of a race.
  bool fine(const void* address, std::size_t size) const {
    if (body_waits_.holds(address)) return true;  // most of what threads share is there, or in the arena
    if (runtime::Arena::owns(address)) return arena_.fine(address, size);
    return !runtime::g_all_stacks.holds(address) || runtime::g_stacks[current_].holds(address);
  }
  bool alive(const void* address) const;          // or on no stack, or on the one of this thread
  int owner_of_stack(const void* address) const;  // -1: on none
  std::uintptr_t find_alive(int thread) const;
  void note_borrowed(const void* address, std::size_t size);
  void end_borrowed(std::uintptr_t alive_from, const void* pc);
  [[noreturn]] void report_deadlock();
  [[noreturn]] void report_livelock();
  Finding difference() const;  // to the execution before, though the choices are the same
  [[noreturn]] void fail(Finding finding);
  virtual void report_race(const Race& race, const void* address, std::size_t size, bool write,
                           const void* pc);
  void check_leaks();
  [[noreturn]] void prune();

  std::function<void()> body_;
  Limits limits_;
  runtime::ProgramData data_;
  runtime::Fibers& fibers_;
  runtime::Arena& arena_;
  Strategy* strategy_ = nullptr;
  TraceRecorder* recorder_ = nullptr;
  Survey* survey_ = nullptr;
  bool followed_ = false;      // by one of these
  bool in_full_ = false;       // plain accesses are points, or recorded, or surveyed
  runtime::Stack body_waits_;  // all that is in use of the body's, while it waits for all others
  LiveSchedule* live_ = nullptr;
  RaceDetector races_;
  StepLog step_log_;
  std::array<Thread, kMaxThreads> threads_;
  NextSteps next_{};
  std::array<std::uint64_t, kMaxThreads> signatures_{};  // of those steps
  ThreadSet runnable_ = 0;                               // threads at a scheduling point that need not wait
  ThreadSet blocked_candidates_ = 0;                     // threads at a scheduling point that may have to
  ThreadSet spinning_ = 0;                               // of both, those that wait in a loop
  ThreadSet taking_turns_ = 0;                           // of these, those whose loops change something
  ThreadSet joining_ = 0;  // the thread that waits until all others have ended, as long as they have not
  // Of each thread but the one that runs: where the part of its stack begins that is in use; 0: find_alive() has not looked yet.
  mutable std::array<std::uintptr_t, kMaxThreads> alive_from_{};
  static constexpr std::uintptr_t kNothingAlive = UINTPTR_MAX;
  // What other threads have used of each thread's stack, as long as it is alive; the latest.
  struct Borrowed {
    std::uintptr_t address = 0;  // 0: none
    std::size_t size = 0;
  };
  std::array<std::array<Borrowed, 16>, kMaxThreads> borrowed_{};
  std::array<std::size_t, kMaxThreads> next_borrowed_{};
  ThreadSet lends_ = 0;  // the threads of whose stack something is borrowed
  int count_ = 0;
  int fresh_ = 0;  // how many threads have not begun
  int unfinished_ = 0;
  int current_ = 0;             // the fiber that runs
  int last_ = -1;               // the thread that took the last step
  bool timed_out_ = false;      // the step that is taken timed out
  int must_continue_ = -1;      // the thread, if the last step was a call after which it is to continue
  int open_operations_ = 0;     // how many operations under test are open
  ThreadSet in_operation_ = 0;  // the threads that are in one
  std::array<std::uint32_t, kMaxThreads> operation_{};  // of each thread, the last
  Waiting waiting_;
  bool ended_in_spin_loop_ = false;  // it ended because waiting loops did not end
  unsigned idle_spin_rounds_ = 0;    // how often all threads that were left spun, since something changed
  bool released_spinners_ = false;   // that happened at some time
  bool held_back_ = false;           // in this execution or in one before
  std::uint64_t steps_ = 0;
  std::uint64_t total_steps_ = 0;
  Schedule schedule_;
  bool keeps_steps_ = false;
  std::vector<ExecutedStep> executed_steps_;
  std::vector<DataChoice> data_choices_;
  Finding finding_;
  CallStack interrupted_at_;
  End end_ = End::kDone;
};

}  // namespace plumb::engine
