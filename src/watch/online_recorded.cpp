// Watching by recording: what has happened since nothing was running is kept, with all states that were possible then. When
// nothing runs again, the states that are possible now are worked out, and the recording is forgotten; if there are none,
// that is a violation.
//
// While operations are open, and where too many states are possible, the recording is checked whenever it has doubled: in
// all that costs about twice what one check of the whole does. A check that takes too long is given up; at the end it is
// then said that nothing is known. A collection is surely empty again, whatever was possible before, when nothing is open
// and as many values came out as went in.
#include <algorithm>

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "check/monitors/monitor.hpp"
#include "check/partition.hpp"
#include "watch/online_segment.hpp"

namespace plumb {
namespace {

using Seconds = std::chrono::duration<double>;
using Deadline = std::chrono::time_point<std::chrono::steady_clock, Seconds>;

// What a collection of a model holds, by counting: nothing when the model has other operations too.
bool is_collection(const Model& model) {
  return std::ranges::all_of(model.operations(), [](const OperationSpec& spec) {
    const bool inserts = spec.effect == Effect::kMayChange && spec.returns == Returns::kNothing &&
                         spec.takes.size() == 1 && spec.takes[0] == Takes::kNotNull;
    const bool removes = spec.effect == Effect::kUnlessNull && spec.takes.empty();
    return inserts || removes || is_peek(spec.role);
  });
}

// By the monitor of the model alone, where it applies: most of many starts are impossible, and why is of no interest.
Outcome quick_outcome(const History& history, const Model& model) {
  const ModelMonitor* monitor = find_monitor(known_family(model));
  const auto bound = BoundHistory::bind(history, model);
  if (monitor == nullptr || monitor->all_keys || !bound) return Outcome::kUnknown;
  const Partition partition(*bound, PartitionBy::kObjectAndKey);
  if (partition.parts().size() != 1) return Outcome::kUnknown;
  switch (monitor->judge(partition.parts()[0]).kind) {
    case MonitorVerdict::Kind::kLinearizable:
      return Outcome::kHolds;
    case MonitorVerdict::Kind::kViolation:
      return Outcome::kViolation;
    case MonitorVerdict::Kind::kNotApplicable:
      break;
  }
  return Outcome::kUnknown;
}

// The recording as a history that begins in one of the states that were possible then.
class SegmentHistory {
 public:
  SegmentHistory(const OnlineSetting& setting, const PossibleStates& starts,
                 std::span<const OnlineEvent> events)
      : setting_(setting), starts_(starts), events_(events), appends_(appending_operation(setting)) {
    for (const OnlineEvent& e : events) {
      if (e.kind == OnlineEvent::kLose) lost_.insert(e.op.called);
    }
  }

  Result<History> from(const StatePath& start) {
    HistoryBuilder builder(setting_.values);
    names_.clear();
    failed_.clear();
    if (starts_.base) {
      for (const Value item : *starts_.base) execute(builder, append(*appends_, item));
    } else {
      builder.set_initial(starts_.value.value_or(setting_.initial));
    }
    for (const Executed& step : start.path) execute(builder, step);
    for (std::size_t i = 0; i < starts_.lost.size(); ++i) {
      if ((start.used >> i & 1U) == 0) call(builder, starts_.lost[i], true);
    }
    for (const OnlineEvent& e : events_) tell(builder, e);
    std::erase_if(names_, [&](const Named& n) { return failed_.contains(n.called); });
    return builder.finish();
  }

  // Those of the run among the operations of the history.
  [[nodiscard]] std::vector<WatchedOperation> names(std::span<const OperationId> operations) const {
    std::vector<WatchedOperation> some;
    for (const OperationId i : operations) {
      if (names_[i].called != 0) some.push_back(names_[i].name);
    }
    return some;
  }

 private:
  struct Named {
    Moment called = 0;  // 0: only there to begin in the right state
    WatchedOperation name = {};
  };

  // One that is lost has a process of its own: its name may be taken again.
  Value process(const OnlineOp& op, bool is_lost) const {
    if (!is_lost || setting_.model->depends_on_process()) return op.process;
    return setting_.values->string(fmt::format("lost {}", op.name.number));
  }
  FunctionId function(HistoryBuilder& builder, const OnlineOp& op) const {
    return builder.function(setting_.model->operations()[op.operation].name);
  }
  void execute(HistoryBuilder& builder, const Executed& step) {
    (void)builder.call(step.op.process, function(builder, step.op), step.op.args);
    (void)builder.complete(step.op.process, {step.result, true});
    names_.emplace_back();
  }
  void call(HistoryBuilder& builder, const OnlineOp& op, bool is_lost) {
    const Place place{static_cast<std::uint32_t>(op.name.called_line), 1};
    (void)builder.call(process(op, is_lost), function(builder, op), op.args, place);
    names_.push_back({op.called, op.name});
  }
  void tell(HistoryBuilder& builder, const OnlineEvent& e) {
    switch (e.kind) {
      case OnlineEvent::kCall:
        return call(builder, e.op, lost_.contains(e.op.called));
      case OnlineEvent::kReturn:
        (void)builder.complete(e.op.process, {e.result, true});
        std::ranges::find(names_.rbegin(), names_.rend(), e.op.called, &Named::called)->name = e.op.name;
        return;
      case OnlineEvent::kFail:
        (void)builder.fail(e.op.process);
        failed_.insert(e.op.called);
        return;
      case OnlineEvent::kLose:
        (void)builder.lose(process(e.op, true));
        return;
    }
  }

  const OnlineSetting& setting_;
  const PossibleStates& starts_;
  std::span<const OnlineEvent> events_;
  std::optional<std::uint32_t> appends_;
  absl::flat_hash_set<Moment> lost_;  // by the moment of the call
  absl::flat_hash_set<Moment> failed_;
  std::vector<Named> names_;
};

class OnlineRecorded final : public OnlineMonitor {
 public:
  explicit OnlineRecorded(const OnlineSetting& setting)
      : setting_(setting), is_collection_(is_collection(*setting.model) && setting.initial.is_null()) {
    if (setting.starts) starts_ = *setting.starts;
    begin_again();
  }

  OnlineAnswer call(const OnlineOp& op, Moment now) override {
    if (is_over_) return OnlineAnswer::kFine;
    ++open_;
    events_.push_back({OnlineEvent::kCall, kNull, now, op});
    return OnlineAnswer::kFine;
  }
  OnlineAnswer ret(const OnlineOp& op, Value result, Moment now) override {
    const Effect effect = setting_.model->operations()[op.operation].effect;
    if (!leaves_state(effect, result)) inside_ += effect == Effect::kMayChange ? 1 : -1;
    return ended({OnlineEvent::kReturn, result, now, op});
  }
  OnlineAnswer fail(const OnlineOp& op, Moment now) override {
    return ended({OnlineEvent::kFail, kNull, now, op});
  }
  OnlineAnswer lose(const OnlineOp& op, Moment now) override {
    has_lost_ = true;
    return ended({OnlineEvent::kLose, kNull, now, op});
  }
  OnlineAnswer settle(Moment now) override {
    (void)now;
    if (is_over_ || (judged_ && events_.size() == checked_)) return OnlineAnswer::kFine;
    const auto answer = judge(kLastPatience);
    return answer == OnlineAnswer::kFine && !judged_ ? cannot_judge(why_) : answer;
  }
  [[nodiscard]] bool is_fresh() const override { return !is_over_ && events_.empty() && starts_.is_initial; }

 private:
  OnlineAnswer ended(OnlineEvent event) {
    if (is_over_) return OnlineAnswer::kFine;
    --open_;
    events_.push_back(std::move(event));
    if (open_ == 0 && events_.size() >= advance_at_) {
      switch (advance(setting_, events_, starts_)) {
        case Reached::kSome:
          begin_again();
          return OnlineAnswer::kFine;
        case Reached::kNothing:
          return confirm();
        case Reached::kTooMuch:
          advance_at_ = 2 * events_.size();
      }
    }
    const bool surely_empty = counts_ && open_ == 0 && inside_ == 0 && !has_lost_;
    const std::size_t grown = events_.size() - std::min(events_.size(), checked_);
    if (!surely_empty && grown < checked_ + (open_ == 0 ? kFew : kSome)) return OnlineAnswer::kFine;
    const auto answer = judge(kPatience);
    if (answer == OnlineAnswer::kFine && surely_empty && judged_) {
      starts_ = PossibleStates();
      begin_again();
    }
    return answer;
  }

  // The recording so far is judged for good, and the starts are where it ended.
  void begin_again() {
    events_.clear();
    checked_ = 0;
    judged_ = true;
    has_lost_ = !starts_.lost.empty();
    first_ = 0;
    // Long paths take as long to begin from: not for every few events.
    advance_at_ = starts_.steps() < kSome ? 0 : starts_.steps() / 4;
    inside_ =
        static_cast<std::int64_t>((starts_.base ? starts_.base->size() : 0) + starts_.all[0].path.size());
    counts_ = is_collection_ && (starts_.base || starts_.is_initial);
  }

  // No order was found: the engines must say the same, and name what is impossible.
  OnlineAnswer confirm() {
    const auto answer = judge(kLastPatience);
    advance_at_ = 2 * events_.size();
    if (answer == OnlineAnswer::kFine && judged_)
      return cannot_judge("internal error: two searches disagree; please report it");
    return answer;
  }

  OnlineAnswer judge(Seconds timeout) {
    SegmentHistory segment(setting_, starts_, events_);
    const Deadline deadline = std::chrono::steady_clock::now() + timeout;
    const std::size_t count = starts_.all.size();
    checked_ = events_.size();
    std::optional<WatchViolation> alarm;
    // From where it went well the last time; at the end once more from there, for the reason, if all are impossible.
    for (std::size_t i = 0; i < count || !alarm; ++i) {
      const std::size_t start = (first_ + i) % count;
      const auto history = segment.from(starts_.all[start]);
      Outcome outcome =
          history && count > 1 && i < count ? quick_outcome(*history, *setting_.model) : Outcome::kUnknown;
      if (outcome == Outcome::kUnknown) outcome = full_outcome(history, deadline, segment, alarm);
      judged_ = outcome != Outcome::kUnknown;
      if (outcome == Outcome::kHolds) first_ = start;
      if (outcome != Outcome::kViolation) return OnlineAnswer::kFine;
    }
    if (!starts_.is_initial) alarm->reason += told_before();
    is_over_ = true;  // in what state it goes on is not known
    events_.clear();
    return violation(std::move(alarm->reason), std::move(alarm->operations));
  }

  Outcome full_outcome(const Result<History>& history, Deadline deadline, const SegmentHistory& segment,
                       std::optional<WatchViolation>& alarm) {
    CheckOptions options;
    options.timeout = std::max(Seconds(0), Seconds(deadline - std::chrono::steady_clock::now()));
    options.stop = setting_.stop;
    options.memory = kMostMemory;
    options.jobs = 1;
    const auto verdict = history ? check(*history, *setting_.model, options) : history.error();
    if (!verdict || verdict->outcome == Outcome::kUnknown) {
      why_ = verdict ? verdict->why : verdict.error().text();
      return Outcome::kUnknown;
    }
    if (verdict->outcome == Outcome::kViolation && !alarm)
      alarm = WatchViolation{verdict->violation->reason, segment.names(verdict->violation->operations)};
    return verdict->outcome;
  }

  [[nodiscard]] std::string told_before() const {
    const std::uint64_t line = events_[0].op.name.called_line;
    const std::string where = line == 0 ? "" : fmt::format(" line {}", line);
    if (starts_.all.size() == 1)
      return fmt::format(" (what came before{} is kept only as the state it led to)",
                         where.empty() ? " this" : where);
    return fmt::format(
        " (what came before{} is kept only as the {} states it may have led to; all are impossible)",
        where.empty() ? " this" : where, starts_.all.size());
  }

  static constexpr std::size_t kFew = 16;    // events that are not worth a check of their own
  static constexpr std::size_t kSome = 256;  // likewise, while operations are open
  static constexpr std::size_t kMostMemory = std::size_t{512} << 20U;  // of a check
  static constexpr Seconds kPatience{1.0};
  static constexpr Seconds kLastPatience{20.0};

  OnlineSetting setting_;
  PossibleStates starts_;  // before the first of the events
  std::vector<OnlineEvent> events_;
  std::size_t advance_at_ = 0;  // so many events
  std::size_t checked_ = 0;     // how many there were at the last check
  std::size_t open_ = 0;
  std::size_t first_ = 0;  // the start from which it went well the last time
  bool is_collection_;
  bool counts_ = false;  // what is inside:
  std::int64_t inside_ = 0;
  bool has_lost_ = false;
  bool judged_ = true;
  bool is_over_ = false;
  std::string why_;
};

}  // namespace

std::unique_ptr<OnlineMonitor> online_recorded(const OnlineSetting& setting) {
  return std::make_unique<OnlineRecorded>(setting);
}

}  // namespace plumb
