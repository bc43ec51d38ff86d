// Which monitor watches an object: the special one of its model first; when that cannot judge, what has happened is told
// again to the next, more general one. For that a note of every event is kept since the state of the object was last
// surely known (for the recording: since nothing ran, and all states that were possible then), but only of so many: a run
// that has gone on for longer cannot be told again, and is then not judged any further.
#include <algorithm>
#include <array>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "spec/models.hpp"
#include "watch/online_segment.hpp"

namespace plumb {

OnlineAnswer tell(OnlineMonitor& monitor, const OnlineEvent& event) {
  switch (event.kind) {
    case OnlineEvent::kCall:
      return monitor.call(event.op, event.now);
    case OnlineEvent::kReturn:
      return monitor.ret(event.op, event.result, event.now);
    case OnlineEvent::kFail:
      return monitor.fail(event.op, event.now);
    case OnlineEvent::kLose:
      return monitor.lose(event.op, event.now);
  }
  return OnlineAnswer::kFine;
}

namespace {

class FallbackMonitor final : public OnlineMonitor {
 public:
  FallbackMonitor(const OnlineSetting& setting, std::vector<OnlineMaker> makers)
      : setting_(setting),
        home_(setting.initial),
        makers_(std::move(makers)),
        monitor_(makers_[0](setting)) {}

  OnlineAnswer call(const OnlineOp& op, Moment now) override {
    return event({OnlineEvent::kCall, kNull, now, op});
  }
  OnlineAnswer ret(const OnlineOp& op, Value result, Moment now) override {
    return event({OnlineEvent::kReturn, result, now, op});
  }
  OnlineAnswer fail(const OnlineOp& op, Moment now) override {
    return event({OnlineEvent::kFail, kNull, now, op});
  }
  OnlineAnswer lose(const OnlineOp& op, Moment now) override {
    return event({OnlineEvent::kLose, kNull, now, op});
  }
  OnlineAnswer settle(Moment now) override {
    auto answer = monitor_->settle(now);
    while (answer == OnlineAnswer::kCannotJudge && fall_back(answer)) {
      if (answer == OnlineAnswer::kFine) answer = monitor_->settle(now);
    }
    return pass_on(answer);
  }
  [[nodiscard]] bool is_fresh() const override { return started_at_ == home_ && monitor_->is_fresh(); }

 private:
  OnlineAnswer event(const OnlineEvent& e) {
    note(e);
    open_ += e.kind == OnlineEvent::kCall ? 1 : -1;
    auto answer = tell(*monitor_, e);
    while (answer == OnlineAnswer::kCannotJudge && fall_back(answer)) {
    }
    if (e.kind != OnlineEvent::kCall && answer == OnlineAnswer::kFine) {
      forget();
      shorten();
    }
    return pass_on(answer);
  }

  // What came before need not be told again where the state is known.
  void forget() {
    if (now_ + 1 == makers_.size()) return;
    if (const auto state = monitor_->certain_state()) {
      setting_.initial = *state;
    } else if (monitor_->is_fresh()) {
      setting_.initial = started_at_;
    } else {
      return;
    }
    notes_.clear();
    setting_.starts.reset();
    has_all_ = true;
  }

  // Nor where all possible states are, and the next monitor can begin with them.
  void shorten() {
    if (now_ + 2 != makers_.size() || open_ != 0 || !has_all_ || notes_.size() < shorten_at_) return;
    PossibleStates starts = setting_.starts ? *setting_.starts : PossibleStates();
    if (advance(setting_, notes_, starts) != Reached::kSome) {
      shorten_at_ = 2 * notes_.size();
      return;
    }
    if (starts.steps() > kMostNotes) return stop_noting();
    setting_.starts = std::make_shared<const PossibleStates>(std::move(starts));
    notes_.clear();
    shorten_at_ = kEnoughNotes;
  }

  void note(const OnlineEvent& e) {
    if (!has_all_ || now_ + 1 == makers_.size()) return;
    notes_.push_back(e);
    if (notes_.size() > kMostNotes) stop_noting();
  }
  void stop_noting() {
    has_all_ = false;
    notes_ = {};
    setting_.starts.reset();
  }

  // Tells it all to the next monitor, which may know of a violation that the one before had put off. False when that is not
  // possible.
  bool fall_back(OnlineAnswer& answer) {
    why_ = monitor_->why_not();
    if (now_ + 1 == makers_.size()) return false;
    if (!has_all_) {
      if (monitor_->carry_on()) return answer = OnlineAnswer::kFine, true;
      why_ += "; what came before is no longer kept";
      return false;
    }
    monitor_ = makers_[++now_](setting_);
    started_at_ = setting_.initial;
    answer = OnlineAnswer::kFine;
    found_.reset();
    for (const OnlineEvent& e : notes_) {
      const auto next = tell(*monitor_, e);
      if (next == OnlineAnswer::kFine) continue;
      answer = next;
      if (next == OnlineAnswer::kCannotJudge) break;
      if (!found_) found_ = monitor_->take_alarm();
    }
    if (now_ + 1 == makers_.size()) notes_ = {};
    return true;
  }

  OnlineAnswer pass_on(OnlineAnswer answer) {
    if (answer == OnlineAnswer::kCannotJudge) return cannot_judge(why_);
    if (answer == OnlineAnswer::kFine) return answer;
    has_all_ = false;  // a run with a violation in it cannot be told again
    notes_ = {};
    WatchViolation alarm = found_ ? std::move(*found_) : monitor_->take_alarm();
    found_.reset();
    return violation(std::move(alarm.reason), std::move(alarm.operations));
  }

  static constexpr std::size_t kMostNotes = 20'000;
  static constexpr std::size_t kEnoughNotes = 1'000;  // to be worth shortening

  OnlineSetting setting_;     // its initial value and its starts: the state before the first of the notes
  Value home_;                // the object's own initial value
  Value started_at_ = home_;  // that of the monitor
  std::vector<OnlineMaker> makers_;
  std::size_t now_ = 0;
  std::unique_ptr<OnlineMonitor> monitor_;
  std::vector<OnlineEvent> notes_;
  bool has_all_ = true;
  std::size_t open_ = 0;
  std::size_t shorten_at_ = kEnoughNotes;
  std::optional<WatchViolation> found_;  // while telling it all again
  std::string why_;
};

// A model with keys: one monitor per key, which goes when the key is surely as at the start.
class PerKeyMonitor final : public OnlineMonitor {
 public:
  explicit PerKeyMonitor(const OnlineSetting& setting) : setting_(setting) {}

  OnlineAnswer call(const OnlineOp& op, Moment now) override {
    auto& monitor = keys_[key(op)];
    if (!monitor) {
      monitor = std::make_unique<FallbackMonitor>(
          setting_, std::vector<OnlineMaker>{online_configurations, online_recorded});
    }
    return pass_on(*monitor, monitor->call(op, now));
  }
  OnlineAnswer ret(const OnlineOp& op, Value result, Moment now) override {
    return ended(op, [&](OnlineMonitor& m) { return m.ret(op, result, now); });
  }
  OnlineAnswer fail(const OnlineOp& op, Moment now) override {
    return ended(op, [&](OnlineMonitor& m) { return m.fail(op, now); });
  }
  OnlineAnswer lose(const OnlineOp& op, Moment now) override {
    return ended(op, [&](OnlineMonitor& m) { return m.lose(op, now); });
  }
  OnlineAnswer settle(Moment now) override {
    for (auto& [key, monitor] : keys_) {
      if (const auto answer = monitor->settle(now); answer != OnlineAnswer::kFine)
        return pass_on(*monitor, answer);
    }
    return OnlineAnswer::kFine;
  }
  [[nodiscard]] bool is_fresh() const override { return keys_.empty(); }

 private:
  [[nodiscard]] Value key(const OnlineOp& op) const { return setting_.model->key(op.call()).value_or(kNull); }

  template <class Tell>
  OnlineAnswer ended(const OnlineOp& op, Tell&& tell) {
    const auto it = keys_.find(key(op));
    const auto answer = pass_on(*it->second, tell(*it->second));
    if (answer == OnlineAnswer::kFine && it->second->is_fresh()) keys_.erase(it);
    return answer;
  }
  OnlineAnswer pass_on(OnlineMonitor& monitor, OnlineAnswer answer) {
    if (answer == OnlineAnswer::kCannotJudge) return cannot_judge(monitor.why_not());
    if (answer == OnlineAnswer::kFine) return answer;
    WatchViolation alarm = monitor.take_alarm();
    return violation(std::move(alarm.reason), std::move(alarm.operations));
  }

  OnlineSetting setting_;
  absl::flat_hash_map<Value, std::unique_ptr<OnlineMonitor>> keys_;
};

struct Row {
  Family family;
  OnlineMaker make;
  bool all_keys;
};

const Row* find_row(Family family) {
  static constexpr std::array kRows = {
#define PLUMB_ONLINE_MONITOR(FAMILY, NAME, ALL_KEYS) Row{Family::FAMILY, online_##NAME, ALL_KEYS},
#include "watch/monitors.def"
#undef PLUMB_ONLINE_MONITOR
  };
  const auto* it = std::ranges::find(kRows, family, &Row::family);
  return it == kRows.end() ? nullptr : it;
}

// What judges any values of a family.
OnlineMaker find_general(Family family) {
  switch (family) {
#define PLUMB_ONLINE_FRONTIERS(FAMILY, NAME) \
  case Family::FAMILY:                       \
    return online_frontiers_##NAME;
#include "watch/frontiers.def"
#undef PLUMB_ONLINE_FRONTIERS
    default:
      return online_configurations;
  }
}

}  // namespace

std::unique_ptr<OnlineMonitor> online_monitor(const OnlineSetting& setting) {
  const Family family = known_family(*setting.model);
  const Row* row = find_row(family);
  if (row != nullptr && row->all_keys) return row->make(setting);
  if (setting.model->is_keyed()) return std::make_unique<PerKeyMonitor>(setting);
  std::vector<OnlineMaker> makers = {find_general(family), online_recorded};
  if (row != nullptr) makers.insert(makers.begin(), row->make);
  return std::make_unique<FallbackMonitor>(setting, std::move(makers));
}

}  // namespace plumb
