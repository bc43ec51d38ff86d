// Which monitor watches an object: the special one of its model first; when that cannot judge, what has happened is told
// again to the next, more general one. For that a note of every event is kept since the state of the object was last
// surely known (for the recording: since nothing ran, and all states that were possible then), but only of so many: a run
// that has gone on for longer cannot be told again, and is then not judged any further.
//
// Unless the special monitor can retell it in short (OnlineMonitor::retell; some can when it is needed), or the next one is
// quick enough to follow as an understudy (frontiers.def). It is told the notes whenever they have become many, and
// takes over where it stands.
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
  FallbackMonitor(const OnlineSetting& setting, std::vector<OnlineMaker> makers, bool has_understudy = false)
      : setting_(setting),
        home_(setting.initial),
        makers_(std::move(makers)),
        monitor_(makers_[0](setting)),
        has_understudy_(has_understudy) {}

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
    while (answer == OnlineAnswer::kCannotJudge && fall_back(answer, nullptr)) {
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
    while (answer == OnlineAnswer::kCannotJudge && fall_back(answer, &e)) {
    }
    if (late_) {
      found_ = std::exchange(late_, std::nullopt);
      answer = OnlineAnswer::kViolation;
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
    understudy_.reset();
    retell_at_ = kEnoughNotes;
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
    if (now_ == 0 && notes_.size() >= retell_at_ && !monitor_->retells_late()) retell_notes();
    if (notes_.size() >= kMostNotes && now_ == 0 && has_understudy_) catch_up();
    if (notes_.size() >= kMostNotes) return stop_noting();
    notes_.push_back(e);
  }
  void stop_noting() {
    has_all_ = false;
    notes_ = {};
    setting_.starts.reset();
    understudy_.reset();
  }
  void retell_notes() {
    auto run = monitor_->retell();
    if (!run) return;
    if (2 * run->events.size() > notes_.size()) {
      retell_at_ = 2 * notes_.size();
      return;
    }
    notes_ = std::move(run->events);
    setting_.initial = run->initial;
    understudy_.reset();
    retell_at_ = 2 * notes_.size() + kEnoughNotes;
  }

  // The understudy is told the notes. If it knows of a violation that the monitor has put off, it takes over at once; if it
  // cannot judge, there is none.
  void catch_up() {
    if (!understudy_) {
      understudy_ = makers_[1](setting_);
      understudy_started_at_ = setting_.initial;
    }
    for (const OnlineEvent& e : notes_) {
      const auto answer = tell(*understudy_, e);
      if (answer == OnlineAnswer::kCannotJudge) return stop_noting();
      if (answer == OnlineAnswer::kViolation && !late_) late_ = understudy_->take_alarm();
    }
    notes_.clear();
    if (late_) take_over();
  }
  void take_over() {
    monitor_ = std::move(understudy_);
    started_at_ = understudy_started_at_;
    ++now_;
    stop_noting();
  }

  // Up to this event. False: it cannot be retold now.
  bool retell_late(const OnlineEvent* last) {
    if (has_violation_ || now_ != 0 || !monitor_->retells_late()) return false;
    auto run = monitor_->retell();
    if (!run) return false;
    notes_ = std::move(run->events);
    if (last != nullptr) notes_.push_back(*last);
    setting_.initial = run->initial;
    setting_.starts.reset();
    return has_all_ = true;
  }

  // Tells it all to the next monitor, which may know of a violation that the one before had put off. False when that is not
  // possible. `last`: the event that the one before cannot judge, if it is one.
  bool fall_back(OnlineAnswer& answer, const OnlineEvent* last) {
    why_ = monitor_->why_not();
    if (now_ + 1 == makers_.size()) return false;
    if (!has_all_ && !retell_late(last)) {
      if (monitor_->carry_on()) return answer = OnlineAnswer::kFine, true;
      why_ += "; what came before is no longer kept";
      return false;
    }
    const std::vector<OnlineEvent> since(std::move(notes_));
    if (understudy_) {
      take_over();
    } else {
      monitor_ = makers_[++now_](setting_);
      started_at_ = setting_.initial;
      notes_ = since;
    }
    answer = OnlineAnswer::kFine;
    found_.reset();
    for (const OnlineEvent& e : since) {
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
    stop_noting();  // a run with a violation in it cannot be told again
    has_violation_ = true;
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
  bool has_violation_ = false;
  bool has_understudy_;
  std::unique_ptr<OnlineMonitor>
      understudy_;  // was told everything before the notes; none: there was nothing
  Value understudy_started_at_;
  std::optional<WatchViolation> late_;  // found by the understudy
  std::size_t retell_at_ = kEnoughNotes;
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

// What judges any values of a family, but knows no peeks.
struct Frontiers {
  OnlineMaker make;  // null: there is nothing
  bool follows;
};

Frontiers find_frontiers(Family family) {
  switch (family) {
#define PLUMB_ONLINE_FRONTIERS(FAMILY, NAME, FOLLOWS) \
  case Family::FAMILY:                                \
    return {online_frontiers_##NAME, FOLLOWS};
#include "watch/frontiers.def"
#undef PLUMB_ONLINE_FRONTIERS
    default:
      return {nullptr, false};
  }
}

}  // namespace

std::unique_ptr<OnlineMonitor> online_monitor(const OnlineSetting& setting) {
  const Family family = known_family(*setting.model);
  const Row* row = find_row(family);
  if (row != nullptr && row->all_keys) return row->make(setting);
  if (setting.model->is_keyed()) return std::make_unique<PerKeyMonitor>(setting);
  const Frontiers frontiers = find_frontiers(family);
  std::vector<OnlineMaker> makers;
  if (row != nullptr) makers.push_back(row->make);
  if (frontiers.make != nullptr) makers.push_back(frontiers.make);
  makers.insert(makers.end(), {online_configurations, online_recorded});
  return std::make_unique<FallbackMonitor>(setting, std::move(makers), frontiers.follows);
}

}  // namespace plumb
