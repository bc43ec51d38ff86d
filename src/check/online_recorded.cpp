// Watching by recording: everything since the object was last surely as at the start is kept, and checked whenever it has
// doubled (a little earlier where nothing is open): in all that costs about twice what one check of the whole does. A check that takes too
// long is given up; at the end it is then said that nothing is known.
//
// A collection is surely empty again when nothing is open and as many values came out as went in; then what was recorded
// has been judged for good and is forgotten.
#include <algorithm>

#include <fmt/format.h>

#include "check/online.hpp"

namespace plumb {
namespace {

// What a collection of a model holds, by counting: nothing when the model has other operations too.
bool is_collection(const Model& model) {
  return std::ranges::all_of(model.operations(), [](const OperationSpec& spec) {
    const bool inserts = spec.effect == Effect::kMayChange && spec.returns == Returns::kNothing &&
                         spec.takes.size() == 1 && spec.takes[0] == Takes::kNotNull;
    const bool removes = spec.effect == Effect::kUnlessNull && spec.takes.empty();
    return inserts || removes;
  });
}

class OnlineRecorded final : public OnlineMonitor {
 public:
  explicit OnlineRecorded(const OnlineSetting& setting)
      : setting_(setting), counts_(is_collection(*setting.model) && setting.initial.is_null()) {}

  OnlineAnswer call(const OnlineOp& op, Moment now) override {
    if (is_over_) return OnlineAnswer::kFine;
    ++open_;
    record({OnlineEvent::kCall, kNull, now, op});
    return OnlineAnswer::kFine;
  }
  OnlineAnswer ret(const OnlineOp& op, Value result, Moment now) override {
    if (is_over_) return OnlineAnswer::kFine;
    --open_;
    record({OnlineEvent::kReturn, result, now, op});
    const bool inserts = setting_.model->operations()[op.operation].effect == Effect::kMayChange;
    inside_ += inserts ? 1 : result.is_null() ? 0 : -1;
    const bool surely_empty = counts_ && open_ == 0 && inside_ == 0;
    const std::size_t grown = events_.size() - std::min(events_.size(), checked_);
    if (!surely_empty && grown < checked_ + (open_ == 0 ? kFew : kSome)) return OnlineAnswer::kFine;
    const auto answer = judge(kPatience);
    if (answer == OnlineAnswer::kFine && surely_empty && judged_) {
      events_.clear();
      checked_ = 0;
    }
    return answer;
  }
  OnlineAnswer fail(const OnlineOp& op, Moment now) override {
    if (is_over_) return OnlineAnswer::kFine;
    --open_;
    record({OnlineEvent::kFail, kNull, now, op});
    return OnlineAnswer::kFine;
  }
  OnlineAnswer lose(const OnlineOp& op, Moment now) override {
    if (is_over_) return OnlineAnswer::kFine;
    record({OnlineEvent::kLose, kNull, now, op});
    return OnlineAnswer::kFine;
  }
  OnlineAnswer settle(Moment now) override {
    (void)now;
    if (is_over_ || events_.size() == checked_) return OnlineAnswer::kFine;
    const auto answer = judge(kLastPatience);
    return answer == OnlineAnswer::kFine && !judged_ ? cannot_judge(why_) : answer;
  }
  [[nodiscard]] bool is_fresh() const override { return !is_over_ && events_.empty(); }

 private:
  void record(OnlineEvent event) { events_.push_back(std::move(event)); }

  OnlineAnswer judge(std::chrono::duration<double> timeout) {
    HistoryBuilder builder(setting_.values);
    std::vector<WatchedOperation> names;
    const History history = build(builder, names);
    CheckOptions options;
    options.timeout = timeout;
    options.stop = setting_.stop;
    const auto verdict = check(history, *setting_.model, options);
    checked_ = events_.size();
    judged_ = verdict && verdict->outcome != Outcome::kUnknown;
    if (!judged_) why_ = verdict ? verdict->why : verdict.error().text();
    if (!judged_ || verdict->outcome == Outcome::kLinearizable) return OnlineAnswer::kFine;
    std::vector<WatchedOperation> core;
    for (const OperationId i : verdict->violation->operations) core.push_back(names[i]);
    is_over_ = true;  // in what state it goes on is not known
    events_.clear();
    return violation(verdict->violation->reason, std::move(core));
  }

  History build(HistoryBuilder& builder, std::vector<WatchedOperation>& names) const {
    std::vector<std::pair<Moment, WatchedOperation>> called;
    std::vector<Moment> failed;
    for (const OnlineEvent& e : events_) {
      const OnlineOp& op = e.op;
      const Place place{static_cast<std::uint32_t>(op.name.called_line), 1};
      switch (e.kind) {
        case OnlineEvent::kCall:
          (void)builder.call(op.process, builder.function(setting_.model->operations()[op.operation].name),
                             op.args, place);
          called.emplace_back(op.called, op.name);
          break;
        case OnlineEvent::kReturn:
          (void)builder.complete(op.process, {e.result, true});
          std::ranges::lower_bound(called, op.called, {}, &std::pair<Moment, WatchedOperation>::first)
              ->second = op.name;
          break;
        case OnlineEvent::kFail:
          (void)builder.fail(op.process);
          failed.push_back(op.called);
          break;
        case OnlineEvent::kLose:
          (void)builder.lose(op.process);
          break;
      }
    }
    std::ranges::sort(failed);
    for (const auto& [moment, name] : called) {
      if (!std::ranges::binary_search(failed, moment)) names.push_back(name);
    }
    builder.set_initial(setting_.initial);
    return std::move(builder.finish().value());
  }

  static constexpr std::size_t kFew = 16;    // events that are not worth a check of their own
  static constexpr std::size_t kSome = 256;  // likewise, while operations are open
  static constexpr std::chrono::duration<double> kPatience{1.0};
  static constexpr std::chrono::duration<double> kLastPatience{20.0};

  OnlineSetting setting_;
  bool counts_;
  std::vector<OnlineEvent> events_;
  std::size_t checked_ = 0;  // how many there were at the last check
  std::size_t open_ = 0;
  std::int64_t inside_ = 0;
  bool judged_ = true;
  bool is_over_ = false;
  std::string why_;
};

}  // namespace

std::unique_ptr<OnlineMonitor> online_recorded(const OnlineSetting& setting) {
  return std::make_unique<OnlineRecorded>(setting);
}

}  // namespace plumb
