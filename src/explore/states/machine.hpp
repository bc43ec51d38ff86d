// A program that can be stopped, looked at and put back: its threads run as fibers, each up to its next step, under the hand of a search
// that runs outside of them. All that its future depends on is in pieces of memory that are known: the arena, the live parts of the
// stacks, thread-local storage, the program's globals, what the runtime and the race detector keep. They are hashed to a key, copied to a
// snapshot, and copied back.
//
// What a program does beyond that (it looks at the clock, makes threads itself, uses another thread's stack …) ends the search of
// states: it says why, and another search has to be used.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "explore/execution.hpp"
#include "explore/host.hpp"
#include "explore/states/race_state.hpp"
#include "explore/states/snapshots.hpp"
#include "explore/states/state_hash.hpp"
#include "explore/strategy.hpp"
#include "runtime/access_log.hpp"
#include "runtime/side_stack.hpp"

namespace plumb::engine {

class Machine final : public Host {
 public:
  static constexpr int kMostThreads = RaceState::kMostThreads;

  Machine(std::function<void()> body, const Limits& limits);
  ~Machine() override;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // What a step came to.
  enum class Event : std::uint8_t {
    kStands,       // at the next step, or the thread has ended
    kFails,        // what is wrong is to be found out by running the path once more
    kCannotSave,   // something that is in no snapshot
    kInterrupted,  // by the watchdog
  };
  Event begin();  // a new execution, up to where its threads stand at their first steps
  // One step, the call of an operation together with the first step of it; where the program asks for an outcome, that outcome.
  Event step(int thread);
  Event choose_outcome(int outcome);
  // How the present state came about: the threads that took a step, and the outcomes.
  [[nodiscard]] const std::vector<std::uint8_t>& path() const { return path_; }
  void shorten_path(std::size_t size) { path_.resize(size); }
  [[nodiscard]] const std::string& why() const { return why_; }  // it cannot be saved

  [[nodiscard]] ThreadSet enabled() const;
  [[nodiscard]] int outcomes() const { return static_cast<int>(shared_.outcomes); }  // 0: it asks for none
  [[nodiscard]] bool is_yielding(int thread) const;
  [[nodiscard]] bool has_ended() const { return shared_.unfinished == 0; }
  [[nodiscard]] bool is_last_thread() const { return shared_.unfinished == 1; }
  [[nodiscard]] bool leaks() const;
  // Operations, as bits.
  [[nodiscard]] std::uint64_t open_operations() const { return shared_.called & ~shared_.returned; }
  struct Return {
    std::uint32_t operation = 0;
    std::uint64_t result = 0;
  };
  // The one that returned with the last step, if one did.
  [[nodiscard]] const std::optional<Return>& returned() const { return returned_; }
  [[nodiscard]] std::size_t most_steps() const { return limits_.steps; }  // of an execution
  // Something that states, steps or races depend on, since this was last asked: what was searched before has to be searched again.
  bool has_learnt() {
    const bool of_words = plain_words_.has_learnt();
    return races_.has_learnt() || of_words;
  }
  void waiting_is_a_finding(bool is) { waiting_is_a_finding_ = is; }

  // Of the state, but for what the race detector knows: that are the touches.
  [[nodiscard]] StateKey key(std::uint64_t besides);
  [[nodiscard]] const std::vector<Touch>& touches();
  void set_touches(std::span<const Touch> touches) { races_.set_touches(touches); }
  void save(Snapshots& to);
  void restore(const Snapshots& snapshots);  // the last one

  // The state that this part of the path led to: from the last snapshot, which is that of the beginning, once more. What the last step
  // came to.
  Event run_again(const Snapshots& from, std::size_t path);

  void wait_for_all(const void* frame) override;
  void call_operation(std::uint32_t operation) override;
  void return_from_operation(std::uint32_t operation, std::uint64_t result) override;
  bool records_history() const override { return false; }

  bool reach(const runtime::Step& step) override;
  int choose(int outcomes) override;
  bool choose_spurious(SpuriousEvent event) override;
  void note_executed(const runtime::Step& step, std::uint64_t before, std::uint64_t after,
                     bool wrote) override;
  void acquire(const void* object) override;
  void release(const void* object) override;
  void joined(int thread) override { races_.join(current_, thread); }
  void read(const void* address, std::size_t size, const void* pc) override {
    access(address, size, false, pc);
  }
  void write(const void* address, std::size_t size, const void* pc) override {
    access(address, size, true, pc);
  }
  void observed_environment(std::uint64_t, const void*, bool) override {
  }  // it is in the state, or cannot be saved
  void allocated(void* block, std::size_t size, const void* pc) override;
  void freed(void* block, std::size_t size, const void* pc) override;
  void throws() override {}
  void leaves_function(const void*) override {}
  using runtime::Control::fail;
  [[noreturn]] void fail(FindingKind kind, std::string_view message, const void* pc,
                         const void* address) override;
  [[noreturn]] void report_refusal(std::string_view message, const void* pc) override;
  int start(void* (*entry)(void*), void* argument, std::size_t stack) override;
  [[noreturn]] void finish_thread() override;
  runtime::Nanoseconds delay() override { return 0; }
  bool finished(int thread) const override { return threads_[index(thread)].where == Where::kFinished; }
  std::uint64_t steps() const override { return steps_; }
  int running() const override { return current_; }
  [[noreturn]] void interrupt() override;

 private:
  enum class Where : std::uint64_t { kFinished, kFresh, kAtStep, kAsks };
  // Without gaps, as it is hashed and saved as it lies there.
  struct Thread {
    Where where = Where::kFinished;
    const runtime::Step* step = nullptr;  // of one that asks: none
    void* stack_pointer = nullptr;
    std::array<std::uint32_t, 2> spurious_events{};
    std::uint64_t operation = 0;  // the one it is in, and one; 0: in none
  };
  struct Shared {
    std::uint64_t count = 0;
    std::uint64_t unfinished = 0;
    std::uint64_t multithreaded = 0;
    std::uint64_t outcomes = 0;  // that the running thread may choose of
    std::uint64_t chooses = 0;   // which that is
    std::uint64_t called = 0;
    std::uint64_t returned = 0;
    std::uint64_t body_waits = 0;
    std::uint64_t waits = 0;  // how often it began to
  };
  // Of an operation, as far as it was the same whenever it was called.
  struct FirstStep {
    bool is_known = false;
    const void* acquires = nullptr;                    // what was released there
    std::optional<runtime::Step> lock = std::nullopt;  // a mutex
  };
  static constexpr std::size_t kMostAccesses = 4096;
  static constexpr std::size_t kMostPieces = 5 + 5 * kMostThreads + runtime::Arena::kMostPieces;

  static std::size_t index(int thread) { return static_cast<std::size_t>(thread); }
  static void fiber_main(int fiber);
  Event resume(int thread);
  Event run_fresh_threads();
  void stand(int self);  // the thread stands here until it is resumed
  [[noreturn]] void leave(int self, Event event);
  void cannot_save(std::string why);
  void access(const void* address, std::size_t size, bool write, const void* pc);
  void open_log();
  void settle_accesses();
  bool check(const runtime::LoggedAccess& access);
  void check_executed(const runtime::Step& step, bool wrote);
  template <class F>
  void on_own_stack(F function);
  bool is_contended(const void* address, std::size_t size, TouchKind kind);
  bool is_borrowed(const void* address) const;
  static void take_call(std::uint64_t operation, std::uint64_t unused);
  void come_to_call(std::uint32_t operation);
  // It stands before one.
  [[nodiscard]] bool is_call(int thread) const {
    return threads_[index(thread)].where == Where::kAsks &&
           sides_[index(thread)].hook == reinterpret_cast<void (*)()>(&take_call);
  }
  void leave_hook(int thread);
  void prepare_to_answer(int thread);
  [[nodiscard]] bool watches_races() const { return limits_.races && shared_.multithreaded != 0; }
  [[nodiscard]] const void* next_acquired(int thread) const;
  void foresee(int thread);
  void learn_first_step(int thread);
  [[nodiscard]] const FirstStep* first_step(int thread) const;  // of the operation it is about to call
  [[nodiscard]] bool is_held_back(int thread) const;
  // The running thread has called an operation, and what the first step of that acquires may be taken for granted.
  [[nodiscard]] bool expects_something() const {
    return calls_ && called_ < first_steps_.size() &&
           (!first_steps_[called_].is_known || first_steps_[called_].acquires != nullptr);
  }
  void expect_nothing();
  [[nodiscard]] bool is_at_step(int thread) const { return threads_[index(thread)].where >= Where::kAtStep; }
  [[nodiscard]] bool is_ready(int thread) const;
  [[nodiscard]] bool is_aside(int thread) const { return sides_[index(thread)].inside != runtime::kOutside; }
  [[nodiscard]] bool has_begun_hook(int thread) const {
    return sides_[index(thread)].inside > runtime::kAsks;
  }
  // Where the part of the thread's stack begins that is in use.
  [[nodiscard]] char* live_from(int thread) const;
  void wipe_below(int thread);
  [[nodiscard]] bool is_settled(int thread) const;
  void share_body();
  [[nodiscard]] std::size_t begun_size(int thread) const {  // of what is on the side stack
    return static_cast<std::size_t>(sides_[index(thread)].top -
                                    static_cast<char*>(threads_[index(thread)].stack_pointer));
  }
  template <class F>
  void each_small_piece(F f) const;
  [[nodiscard]] std::size_t saved_size() const;

  std::function<void()> body_;
  Limits limits_;
  runtime::ProgramData data_;
  runtime::Fibers& fibers_;
  runtime::Arena& arena_;
  RaceState races_;
  SharedWords plain_words_;  // where plain accesses are steps
  Shared shared_;
  std::array<Thread, kMostThreads> threads_{};
  std::array<runtime::SideStack, kMostThreads> sides_{};
  std::array<runtime::Fibers::Storage, kMostThreads> storage_{};
  std::array<char*, kMostThreads> zero_below_{};  // of each stack: from there on downwards there is nothing
  std::vector<char> side_memory_;
  char* own_stack_top_ = nullptr;
  std::array<std::pair<void* (*)(void*), void*>, kMostThreads> entries_{};
  std::vector<runtime::LoggedAccess> accesses_ = std::vector<runtime::LoggedAccess>(kMostAccesses);
  std::array<FirstStep, 64> first_steps_{};  // by operation
  std::vector<char> waiting_body_;           // its stack, while it waits and is not shared
  bool body_is_shared_ = false;              // some thread writes there, in some execution
  bool body_has_run_ = false;                // since that was put back
  std::vector<Piece> pieces_ = std::vector<Piece>(kMostPieces);  // to be hashed
  std::vector<std::uint8_t> path_;
  std::size_t beginning_ = 0;  // of it: plain accesses before the first state
  std::optional<Return> returned_;
  std::string why_;
  Event event_ = Event::kStands;
  int current_ = 0;
  int chosen_ = 0;
  bool calls_ = false;        // the running thread does, and has not come to the first step of the operation
  std::uint64_t called_ = 0;  // that operation
  std::uint64_t steps_ = 0;
  bool waiting_is_a_finding_ = false;
  bool begun_ = false;
};

}  // namespace plumb::engine
