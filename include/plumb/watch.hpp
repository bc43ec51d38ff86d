// Watching a system while it runs: feed the events as they happen, and hear of a violation as soon as it is certain.
//
//   auto watcher = plumb::Watcher::make(*plumb::find_model("queue").value());
//   watcher->call(process, "enqueue", args);
//   auto answer = watcher->ret(process, {plumb::kNull, true});
//   if (answer && *answer) …                        // (*answer)->reason says why
//
// A violation is certain when what has happened so far, with the open operations pending, is not linearizable: nothing
// that follows can change that. With the models queue, stack, set, register, priority-queue, mutex and counter, only what is
// open is kept in memory (values inside, operations running); others keep the states that were possible when nothing was open
// the last time, if they are few, and what has happened since.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plumb/history.hpp>
#include <plumb/model.hpp>
#include <plumb/result.hpp>

namespace plumb {

// An operation of the run: its number, counted by call from 0, and the lines of its ends (0: not known or not yet).
struct WatchedOperation {
  std::uint64_t number = 0;
  std::uint64_t called_line = 0;
  std::uint64_t returned_line = 0;
};

// A violation that is certain.
struct WatchViolation {
  std::string reason;
  std::vector<WatchedOperation> operations;  // those concerned
  std::string object = {};                   // the one it is about, as JSON; empty where the events name none
};

struct WatchOptions {
  Value initial;                            // of Watcher::values()
  const std::atomic<bool>* stop = nullptr;  // set from outside: end soon
};

class Watcher {  // one thread at a time
 public:
  // The model must outlive the watcher. Fails when the initial value is none of the model's.
  [[nodiscard]] static Result<Watcher> make(const Model& model, std::shared_ptr<Values> values = nullptr,
                                            const WatchOptions& options = {});
  ~Watcher();
  Watcher(Watcher&&) noexcept;
  Watcher& operator=(Watcher&&) noexcept;

  // The table for the values of the events.
  [[nodiscard]] Values& values();

  // The events. An error is an event that cannot be (a response without an invocation, a result of the wrong type); the
  // event is then left out. An alarm is a violation; one may go on after it: what it concerned is forgotten.
  using Answer = Result<std::optional<WatchViolation>>;
  [[nodiscard]] Answer call(Value process, std::string_view function, std::span<const Value> args,
                            Value object = kNull, Place place = {});
  [[nodiscard]] Answer ret(Value process, HistoryBuilder::Completed completed, Place place = {});
  [[nodiscard]] Answer fail(Value process, Place place = {});  // it did not happen
  [[nodiscard]] Answer info(Value process,
                            Place place = {});  // it may have happened, or may still; the process is gone
  // Judges what was put off, with what is open pending. The run may go on afterwards.
  [[nodiscard]] Answer settle();

  [[nodiscard]] bool is_open(Value process) const;
  [[nodiscard]] std::optional<std::string_view> open_function(Value process) const;  // none: it runs nothing
  [[nodiscard]] std::uint64_t operations() const;
  [[nodiscard]] std::uint64_t events() const;
  [[nodiscard]] std::size_t open() const;  // running now
  // Not empty: some object cannot be judged any more, and why. No alarm of it will come.
  [[nodiscard]] const std::string& unjudged() const;

 private:
  struct State;
  explicit Watcher(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace plumb
