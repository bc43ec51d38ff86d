// Watching an object while it runs: the seam between the events as they come and the monitors that judge them.
//
// A monitor gets each event once, in order, and answers whether what has happened so far, with the open operations
// pending, can still be explained. It keeps what is open (values inside, operations running), not what is over.
// There are three answers: fine, a violation, or that this monitor cannot judge from here on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <absl/container/inlined_vector.h>

#include <plumb/check.hpp>
#include <plumb/model.hpp>
#include <plumb/watch.hpp>

namespace plumb {

using Moment = std::uint64_t;  // the position of an event in the run, from 1
inline constexpr Moment kNotYet = ~Moment{0};

// An operation that has been called. `name` stands for it in messages.
struct OnlineOp {
  WatchedOperation name;
  std::uint32_t operation = 0;  // of the model
  Role role = Role::kNone;      // in the model's family
  Value process;
  absl::InlinedVector<Value, 2> args;
  Moment called = 0;

  [[nodiscard]] Call call() const { return {operation, process, args}; }
};

// A note of one event, to replay it to another monitor.
struct OnlineEvent {
  enum Kind : std::uint8_t { kCall, kReturn, kFail, kLose };
  Kind kind = kCall;
  Value result;
  Moment now = 0;
  OnlineOp op;
};
// A short run that leaves an object where a longer one did, as far as anything that may follow can tell.
struct RetoldRun {
  Value initial;
  std::vector<OnlineEvent> events;  // operations that are open now are those of the longer run
};

enum class OnlineAnswer : std::uint8_t { kFine, kViolation, kCannotJudge };

class OnlineMonitor {
 public:
  virtual ~OnlineMonitor() = default;

  // `op` stays where it is until it has ended. `now` grows with every event.
  [[nodiscard]] virtual OnlineAnswer call(const OnlineOp& op, Moment now) = 0;
  [[nodiscard]] virtual OnlineAnswer ret(const OnlineOp& op, Value result, Moment now) = 0;
  [[nodiscard]] virtual OnlineAnswer fail(const OnlineOp& op, Moment now) = 0;  // it did not happen
  [[nodiscard]] virtual OnlineAnswer lose(const OnlineOp& op, Moment now) = 0;  // open forever
  // The end of the input, or a moment at which everything should be judged that was put off.
  [[nodiscard]] virtual OnlineAnswer settle(Moment now) { return (void)now, OnlineAnswer::kFine; }
  // Nothing is open and the object is surely as it was at the start: the monitor may be forgotten.
  [[nodiscard]] virtual bool is_fresh() const = 0;
  // Nothing is open and the object is surely as if it had begun with this initial value; none where that is not known.
  [[nodiscard]] virtual std::optional<Value> certain_state() const { return std::nullopt; }
  // What happened so far, retold, to be told to another monitor; none where this one does not know enough at the moment.
  [[nodiscard]] virtual std::optional<RetoldRun> retell() const { return std::nullopt; }
  // It can be asked that after kCannotJudge, too, and then retells what was before this event: no notes are needed.
  [[nodiscard]] virtual bool retells_late() const { return false; }
  // After kCannotJudge, when no other monitor can take over: true if this one goes on, as well as it can.
  [[nodiscard]] virtual bool carry_on() { return false; }

  // After a violation: what it is. The monitor has forgotten what is concerned and can go on.
  [[nodiscard]] WatchViolation take_alarm() { return std::move(alarm_); }
  [[nodiscard]] const std::string& why_not() const { return why_not_; }  // after kCannotJudge

 protected:
  OnlineAnswer violation(std::string reason, std::vector<WatchedOperation> operations) {
    alarm_ = {std::move(reason), std::move(operations)};
    return OnlineAnswer::kViolation;
  }
  OnlineAnswer cannot_judge(std::string why) {
    why_not_ = std::move(why);
    return OnlineAnswer::kCannotJudge;
  }

 private:
  WatchViolation alarm_;
  std::string why_not_;
};

struct PossibleStates;

// What a monitor is made for. The table of values grows while it is used.
struct OnlineSetting {
  const Model* model = nullptr;
  std::shared_ptr<Values> values;
  Value initial;
  const std::atomic<bool>* stop = nullptr;
  std::shared_ptr<const PossibleStates> starts =
      nullptr;  // for the recording: what is possible at the start; none: `initial`
};

using OnlineMaker = std::unique_ptr<OnlineMonitor> (*)(const OnlineSetting&);

[[nodiscard]] OnlineAnswer tell(OnlineMonitor& monitor, const OnlineEvent& event);

// Of one family each, one monitor per object.
#define PLUMB_ONLINE_MONITOR(FAMILY, NAME, ALL_KEYS) \
  [[nodiscard]] std::unique_ptr<OnlineMonitor> online_##NAME(const OnlineSetting& setting);
#include "watch/monitors.def"
#undef PLUMB_ONLINE_MONITOR
// Likewise, where a value may be inside twice.
#define PLUMB_ONLINE_FRONTIERS(FAMILY, NAME, FOLLOWS) \
  [[nodiscard]] std::unique_ptr<OnlineMonitor> online_frontiers_##NAME(const OnlineSetting& setting);
#include "watch/frontiers.def"
#undef PLUMB_ONLINE_FRONTIERS
// That of a stack, but it waits only this many events for a pop that does not return.
[[nodiscard]] std::unique_ptr<OnlineMonitor> online_stack_waiting(const OnlineSetting& setting,
                                                                  std::size_t most_waiting);
// Any model, as long as few configurations are possible at a time.
[[nodiscard]] std::unique_ptr<OnlineMonitor> online_configurations(const OnlineSetting& setting);
// Any model: keeps what has happened since nothing ran, and the states that were possible then; checks it now and then.
[[nodiscard]] std::unique_ptr<OnlineMonitor> online_recorded(const OnlineSetting& setting);

// The monitor for a model: a special one where there is one, split by key where the model has one, and with the
// recording to fall back on.
[[nodiscard]] std::unique_ptr<OnlineMonitor> online_monitor(const OnlineSetting& setting);

}  // namespace plumb
