// Collections that hold a value twice, watched: exact at every event.
//
// As in the searches of check/frontier, a frontier is a set of operations that an order can have taken so far: all that
// returned, and some of those that are open. At a return, the frontiers go on that have taken what returns, perhaps after
// other open operations, which come only as far as the return needs them (just-in-time linearization, as in
// just_in_time.hpp). If there is none, no order gets past this return; `check`, which knows later results of what was open,
// may name an earlier one. What is kept are
// the frontiers between two events; results that are not known yet are left open in them (takings.hpp).
//
// This is the shell: it fits the events to what a family's `Frontiers` ask for, and puts into words what they find.
//
//   Frontiers(setting)
//   bool insertion_called(value, now)         false: too many are open
//   void insertion_returned(called, now)      an insertion is named by the moment of its call
//   Passed insertion_failed(called)           it did not happen; kNone: something needs it, and all is as before
//   void insertion_lost(called)
//   void removal_called(now)
//   Passed removal_returned(called, result)   kNone: no order gets past this, and all is as before
//   Passed removal_failed(called)             likewise
//   bool is_possible(called, result)          whether a removal could have returned this
//   vector<Value> candidates(called)          values that a removal could have returned at best, perhaps repeated
//   bool is_surely_empty()                    and nothing is open
//
// A removal that is lost, or was told as a violation, stays open.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "watch/online.hpp"

namespace plumb {

enum class Passed : std::uint8_t { kSome, kNone, kTooMany };

template <class Frontiers>
class OnlineFrontiers final : public OnlineMonitor {
 public:
  explicit OnlineFrontiers(const OnlineSetting& setting)
      : model_(*setting.model),
        values_(setting.values),
        begins_empty_(setting.initial.is_null()),
        frontiers_(setting) {}

  OnlineAnswer call(const OnlineOp& op, Moment now) override {
    if (op.role == Role::kPeek) return cannot_judge("a peek");
    open_.push_back(op);
    if (op.role == Role::kRemove) return frontiers_.removal_called(now), OnlineAnswer::kFine;
    if (frontiers_.insertion_called(op.args[0], now)) return OnlineAnswer::kFine;
    return cannot_judge("too many insertions are open at once");
  }

  OnlineAnswer ret(const OnlineOp& op, Value result, Moment now) override {
    close(op);
    if (op.role == Role::kInsert) return answer(frontiers_.insertion_returned(op.called, now), op, "");
    const Passed passed = frontiers_.removal_returned(op.called, result);
    return answer(passed, op, passed == Passed::kNone ? impossible(op, result) : "");
  }

  OnlineAnswer fail(const OnlineOp& op, Moment now) override {
    (void)now;
    close(op);
    const Passed passed = op.role == Role::kInsert ? frontiers_.insertion_failed(op.called)
                                                   : frontiers_.removal_failed(op.called);
    return answer(passed, op, text(op, "") + " has failed, but what others returned needs it");
  }

  OnlineAnswer lose(const OnlineOp& op, Moment now) override {
    (void)now;
    close(op);
    if (op.role == Role::kInsert) frontiers_.insertion_lost(op.called);
    return OnlineAnswer::kFine;
  }

  [[nodiscard]] bool is_fresh() const override { return begins_empty_ && frontiers_.is_surely_empty(); }

 private:
  static constexpr std::size_t kShown = 8;

  void close(const OnlineOp& op) { open_.erase(std::ranges::find(open_, op.called, &OnlineOp::called)); }

  OnlineAnswer answer(Passed passed, const OnlineOp& op, std::string reason) {
    if (passed == Passed::kSome) return OnlineAnswer::kFine;
    if (passed == Passed::kTooMany) return cannot_judge("too many orders are possible");
    std::vector<WatchedOperation> operations = {op.name};
    for (const OnlineOp& open : open_) operations.push_back(open.name);
    return violation(std::move(reason), std::move(operations));
  }

  // What it could have returned, as `check` says it.
  [[nodiscard]] std::string impossible(const OnlineOp& op, Value result) {
    std::vector<Value> allowed;
    std::vector<Value> tried = {result};
    const auto attempt = [&](Value value) {
      if (std::ranges::find(tried, value) != tried.end() || tried.size() > kShown) return;
      tried.push_back(value);
      if (frontiers_.is_possible(op.called, value)) allowed.push_back(value);
    };
    attempt(kNull);
    for (const Value value : frontiers_.candidates(op.called)) attempt(value);
    std::ranges::sort(allowed, [&](Value a, Value b) { return values_->compare(a, b) < 0; });
    std::string list;
    for (std::size_t i = 0; i < allowed.size(); ++i)
      list += (i == 0 ? "" : i + 1 == allowed.size() ? " or " : ", ") + shown(allowed[i]);
    const std::string instead =
        list.empty() ? ""
                     : fmt::format("; it could have {} {}",
                                   tried.size() > kShown ? "returned, say," : "returned", list);
    return fmt::format("{} is impossible: no order of what has happened explains it{}",
                       text(op, " → " + shown(result)), instead);
  }
  [[nodiscard]] std::string shown(Value result) const {
    return result.is_null() ? "empty" : values_->to_json(result);
  }
  [[nodiscard]] std::string text(const OnlineOp& op, const std::string& result) const {
    const std::string args = op.args.empty() ? "" : "(" + values_->to_json(op.args[0]) + ")";
    return fmt::format("`{}{}{}` by process {}", model_.operations()[op.operation].name, args, result,
                       values_->to_json(op.process));
  }

  const Model& model_;
  std::shared_ptr<Values> values_;
  bool begins_empty_;
  Frontiers frontiers_;
  std::vector<OnlineOp> open_;
};

}  // namespace plumb
