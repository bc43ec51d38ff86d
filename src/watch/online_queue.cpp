// The queue, watched: exact at every event, O(open operations) each, as long as no value is inside twice.
//
// The offline conditions (monitor_queue.cpp), for a prefix in which the open dequeues are pending. A value is inside
// until a dequeue that returned it; U(t) are those inside whose enqueue returned before t, k(t) is their number, d(t) the
// number of open dequeues called before t.
//   - When a dequeue of b returns at D, every value of U(T), T = the call of enqueue(b), was before b and must be taken by
//     an open dequeue called before D. These sets are nested (they are beginnings of the list by enqueue return) and so
//     are the sets of dequeues: by Hall's theorem they can all be served iff k(T) <= d(D) for each such pair. An
//     *obligation* is such a pair; when k(T) has become 0 it is fulfilled.
//   - A dequeue of empty needs a moment g while it ran at which the queue was empty: no value that is out by now had its
//     enqueue returned and its dequeue not yet called at g, and all of U(g) are taken by open dequeues called before g.
//     That is the same condition with T = D = g, and because U(g) is a beginning of the list too it does not get in the
//     way of the others: g is possible iff k(g) <= d(g), whatever moments other empties choose. Between two calls of
//     dequeues the earliest moment is the best, so only the moments right after such a call are looked at.
// d(t) - k(t) never grows for a fixed t, so what has become impossible stays so, and can be dropped. A moment with
// k(g) = 0 is possible for good: of these only the latest matters.
//
// A value that is wholly gone may come again: every dequeue that returned it is of an enqueue called before that return,
// so the occurrences can be told apart, and the run is one of different values. Only a second one while the first may be
// inside is too much.
//
// Positions are doubled, so that there is room for a moment right after an event.
#include <algorithm>

#include <fmt/format.h>

#include "watch/online.hpp"
#include "watch/online_inside.hpp"

namespace plumb {
namespace {

class OnlineQueue final : public OnlineMonitor {
 public:
  explicit OnlineQueue(const OnlineSetting& setting) : model_(*setting.model), values_(setting.values) {
    if (setting.initial.is_null()) return;
    for (const Value item : values_->as_array(setting.initial)) {
      differentiated_ = inside_.add(item, start_, {}, kNull) && differentiated_;
      if (differentiated_) inside_.enqueue_returned(inside_.find(item), start_ + 1, 0);
      start_ += 2;
    }
  }

  OnlineAnswer call(const OnlineOp& op, Moment now) override {
    if (!differentiated_) return cannot_judge("a value appears twice in the initial queue");
    if (op.role == Role::kPeek) return cannot_judge("a peek");
    if (op.role == Role::kInsert) {
      ++enqueues_;
      if (inside_.add(op.args[0], at(now), op.name, op.process)) return OnlineAnswer::kFine;
      return cannot_judge(
          fmt::format("{} is enqueued again while it may still be inside", values_->to_json(op.args[0])));
    }
    open_.push_back({at(now), false});
    const std::size_t k = inside_.returned();
    const Moment g = at(now) + 1;
    if (k == 0) {
      free_moment_ = g;
    } else if (k <= open_.size()) {
      if (moments_.size() > 4 * open_.size() + 16) prune();
      moments_.push_back({g, g, k, open_.size()});
    }
    return OnlineAnswer::kFine;
  }

  OnlineAnswer ret(const OnlineOp& op, Value result, Moment now) override {
    if (op.role == Role::kInsert) {
      --enqueues_;
      const std::uint32_t i = inside_.find(op.args[0]);
      if (i != kNoNode && inside_[i].ic == at(op.called)) {
        inside_.enqueue_returned(i, at(now), op.name.returned_line);
      } else {
        std::erase(taken_early_, at(op.called));
      }
      return OnlineAnswer::kFine;
    }
    leave(at(op.called));
    return result.is_null() ? empty_returned(op, now) : value_returned(op, result, now);
  }

  OnlineAnswer fail(const OnlineOp& op, Moment now) override {
    (void)now;
    if (op.role == Role::kRemove) {
      leave(at(op.called));
      const auto answer = take(op, nullptr, "fails, but ");
      return answer == OnlineAnswer::kFine ? lost_moment() : answer;
    }
    --enqueues_;
    const std::uint32_t i = inside_.find(op.args[0]);
    if (i != kNoNode && inside_[i].ic == at(op.called)) return inside_.remove(i), OnlineAnswer::kFine;
    std::erase(taken_early_, at(op.called));
    return violation(fmt::format("{} was dequeued, but its enqueue by process {} has failed",
                                 values_->to_json(op.args[0]), values_->to_json(op.process)),
                     {op.name});
  }

  OnlineAnswer lose(const OnlineOp& op, Moment now) override {
    (void)now;
    if (op.role == Role::kInsert)
      return --enqueues_, std::erase(taken_early_, at(op.called)), OnlineAnswer::kFine;
    for (OpenDequeue& d : open_) d.lost = d.lost || d.called == at(op.called);
    return OnlineAnswer::kFine;
  }

  // With no dequeue open, what is inside is all there is to know.
  [[nodiscard]] std::optional<RetoldRun> retell() const override {
    if (!open_.empty() || !taken_early_.empty()) return std::nullopt;
    RetoldRun run;
    bool has_initial = false;
    inside_.each([&](const Inside::Node& node) {
      has_initial = has_initial || node.ic < start_;
      OnlineEvent event{OnlineEvent::kCall, kNull, (node.ic - start_) / 2, {}};
      event.op = {node.enqueue, insert_operation(), Role::kInsert, node.process, {node.value}, event.now};
      run.events.push_back(event);
      if (node.ir == kNotYet) return;
      event.kind = OnlineEvent::kReturn;
      event.now = (node.ir - start_) / 2;
      run.events.push_back(event);
    });
    if (has_initial) return std::nullopt;
    std::ranges::sort(run.events, {}, &OnlineEvent::now);
    return run;
  }

  [[nodiscard]] bool is_fresh() const override {
    return start_ == 0 && inside_.empty() && open_.empty() && enqueues_ == 0;
  }

 private:
  struct OpenDequeue {
    Moment called;
    bool lost;
  };
  // All of U(in_before) must be taken by open dequeues called before `deadline`.
  struct Duty {
    Moment in_before;
    Moment deadline;
    std::size_t k;
    std::size_t d;
    Value later = kNull;  // the value that is out; of an obligation
    std::vector<WatchedOperation> operations = {};
  };
  struct Empty {
    Moment called;
    Moment returned;
    WatchedOperation name;
    Value process;
  };

  [[nodiscard]] Moment at(Moment now) const { return start_ + 2 * now; }
  [[nodiscard]] std::uint32_t insert_operation() const {
    const auto specs = model_.operations();
    return static_cast<std::uint32_t>(std::ranges::find(specs, Role::kInsert, &OperationSpec::role) -
                                      specs.begin());
  }

  void leave(Moment called) { open_.erase(std::ranges::find(open_, called, &OpenDequeue::called)); }

  [[nodiscard]] std::string text(const OnlineOp& op, std::optional<Value> result) const {
    const std::string got = !result ? "" : result->is_null() ? " → empty" : " → " + values_->to_json(*result);
    return fmt::format("`dequeue{}` by process {}", got, values_->to_json(op.process));
  }

  // The open dequeue `op` is no longer open, and took `node` or nothing.
  OnlineAnswer take(const OnlineOp& op, const Inside::Node* node, std::string_view verb) {
    const Moment called = at(op.called);
    const Moment ir = node == nullptr ? kNotYet : node->ir;
    OnlineAnswer answer = OnlineAnswer::kFine;
    std::erase_if(obligations_, [&](Duty& duty) {
      const bool was_in = ir < duty.in_before;
      if (called < duty.deadline) {
        --duty.d;
        duty.k -= was_in ? 1 : 0;
        if (duty.k <= duty.d) return duty.k == 0;
      } else if (!was_in) {
        return false;
      }
      if (answer == OnlineAnswer::kFine) answer = broken(op, node, duty, verb);
      return true;
    });
    std::erase_if(moments_, [&](Duty& duty) {
      const bool was_in = ir < duty.in_before;
      if (called >= duty.deadline) return moment_lost_ = moment_lost_ || was_in, was_in;
      --duty.d;
      duty.k -= was_in ? 1 : 0;
      if (duty.k == 0) settle_empties(duty.deadline);
      moment_lost_ = moment_lost_ || duty.k > duty.d;
      return duty.k == 0 || duty.k > duty.d;
    });
    return answer;
  }

  OnlineAnswer broken(const OnlineOp& op, const Inside::Node* node, const Duty& duty, std::string_view verb) {
    std::vector<WatchedOperation> operations = {op.name};
    operations.insert(operations.end(), duty.operations.begin(), duty.operations.end());
    if (node != nullptr) operations.push_back(node->enqueue);
    if (at(op.called) >= duty.deadline) {
      return violation(
          fmt::format(
              "{} is impossible: {} was enqueued before {}, which was out before this dequeue was called",
              text(op, node->value), values_->to_json(node->value), values_->to_json(duty.later)),
          std::move(operations));
    }
    std::string stuck;
    std::vector<std::uint32_t> gone;
    for (std::uint32_t i = inside_.front(); i != kNoNode && inside_[i].ir < duty.in_before;
         i = inside_[i].after) {
      if (&inside_[i] == node) continue;
      stuck += (stuck.empty() ? "" : ", ") + values_->to_json(inside_[i].value);
      operations.push_back(inside_[i].enqueue);
      gone.push_back(i);
    }
    auto answer = violation(
        fmt::format(
            "{} {}{} {} enqueued before {}, which is out, and no open dequeue is left that can have taken {}",
            text(op, node == nullptr ? std::optional(kNull) : node->value), verb, stuck,
            gone.size() == 1 ? "was" : "were", values_->to_json(duty.later),
            gone.size() == 1 ? "it" : "them"),
        std::move(operations));
    forget_ = std::move(gone);
    return answer;
  }

  // Values that a violation concerned; the windows that counted them count anew.
  void forget_values() {
    if (forget_.empty()) return;
    for (const std::uint32_t i : forget_) inside_.remove(i);
    forget_.clear();
    const auto recount = [&](Duty& duty) {
      duty.k = count_before(duty.in_before, ~std::size_t{0});
      return duty.k == 0;
    };
    std::erase_if(obligations_, recount);
    std::erase_if(moments_, [&](Duty& duty) {
      if (!recount(duty)) return duty.k > duty.d;
      settle_empties(duty.deadline);
      return true;
    });
  }

  [[nodiscard]] std::size_t count_before(Moment in_before, std::size_t most) const {
    std::size_t count = 0;
    for (std::uint32_t i = inside_.front(); i != kNoNode && inside_[i].ir < in_before && count < most;
         i = inside_[i].after) {
      ++count;
    }
    return count;
  }

  OnlineAnswer value_returned(const OnlineOp& op, Value value, Moment now) {
    const std::uint32_t i = inside_.find(value);
    if (i == kNoNode) {
      (void)take(op, nullptr, "");
      forget_values();
      return violation(
          fmt::format("{} is impossible: {} is not inside; it was never enqueued, or is already out",
                      text(op, value), values_->to_json(value)),
          {op.name});
    }
    const Inside::Node node = inside_[i];
    auto answer = take(op, &inside_[i], "is impossible: ");
    if (node.ir == kNotYet) taken_early_.push_back(node.ic);
    inside_.remove(i);
    std::erase(forget_, i);
    forget_values();
    if (answer != OnlineAnswer::kFine) return answer;
    if (answer = oblige(op, node, now); answer != OnlineAnswer::kFine) return answer;
    return lost_moment();
  }

  // Everything that was in before this value must be on its way out.
  OnlineAnswer oblige(const OnlineOp& op, const Inside::Node& node, Moment now) {
    if (inside_.front() == kNoNode || inside_[inside_.front()].ir > node.ic) return OnlineAnswer::kFine;
    const std::size_t k = count_before(node.ic, open_.size() + 1);
    if (k <= open_.size()) {
      if (obligations_.empty() || k > obligations_.back().k) {
        obligations_.push_back({node.ic, at(now), k, open_.size(), node.value, {node.enqueue, op.name}});
      }
      return OnlineAnswer::kFine;
    }
    std::vector<WatchedOperation> operations = {op.name, node.enqueue};
    const Value first = inside_[inside_.front()].value;
    for (std::uint32_t i = inside_.front(); i != kNoNode && inside_[i].ir < node.ic; i = inside_[i].after) {
      if (operations.size() < kMostNamed) operations.push_back(inside_[i].enqueue);
      forget_.push_back(i);
    }
    const std::string more = forget_.size() == 1 ? "" : fmt::format(" (so are {} more)", forget_.size() - 1);
    forget_values();
    const std::string taken =
        open_.empty() ? ""
                      : fmt::format(": {} open cannot have taken all",
                                    open_.size() == 1 ? "the dequeue that is" : "the dequeues that are");
    return violation(
        fmt::format("{} is impossible: {} was enqueued before {} and is still inside{}{}",
                    text(op, node.value), values_->to_json(first), values_->to_json(node.value), more, taken),
        std::move(operations));
  }

  OnlineAnswer empty_returned(const OnlineOp& op, Moment now) {
    const Moment called = at(op.called);
    const auto answer = take(op, nullptr, "is impossible: ");
    forget_values();
    if (answer != OnlineAnswer::kFine) return answer;
    if (called > free_moment_) {
      empties_.push_back({called, at(now), op.name, op.process});
      moment_lost_ = true;
    }
    return lost_moment();
  }

  void settle_empties(Moment g) {
    free_moment_ = std::max(free_moment_, g);
    std::erase_if(empties_, [&](const Empty& e) { return e.called < g && g < e.returned; });
  }

  // Where a moment has become impossible: has every dequeue of empty still one?
  OnlineAnswer lost_moment() {
    if (!std::exchange(moment_lost_, false)) return OnlineAnswer::kFine;
    const auto hopeless = std::ranges::find_if(empties_, [&](const Empty& e) { return !has_moment(e); });
    if (hopeless == empties_.end()) return OnlineAnswer::kFine;
    const Empty found = *hopeless;
    std::vector<WatchedOperation> operations = {found.name};
    const std::uint32_t first = inside_.front();
    std::string witness;
    if (first != kNoNode && inside_[first].ir < found.called) {
      witness = fmt::format(" ({} was)", values_->to_json(inside_[first].value));
      operations.push_back(inside_[first].enqueue);
    }
    std::erase_if(empties_, [&](const Empty& e) { return !has_moment(e); });
    return violation(fmt::format("`dequeue → empty` by process {} is impossible: at each moment while it ran "
                                 "a value was surely inside{}",
                                 values_->to_json(found.process), witness),
                     std::move(operations));
  }

  [[nodiscard]] bool has_moment(const Empty& e) const {
    return std::ranges::any_of(
        moments_, [&](const Duty& m) { return e.called < m.deadline && m.deadline < e.returned; });
  }

  // Moments nobody can use go, and of those between the calls of two open dequeues all but the first that an empty may
  // begin at; then empties that another one implies.
  void prune() {
    for (Empty& e : empties_) {  // as short as its moments
      const auto within = [&](const Duty& m) { return e.called < m.deadline && m.deadline < e.returned; };
      e.called = std::ranges::find_if(moments_, within)->deadline - 1;
      e.returned = std::ranges::find_if(moments_.rbegin(), moments_.rend(), within)->deadline + 1;
    }
    std::vector<Empty> needed;
    for (std::size_t i = 0; i < empties_.size(); ++i) {
      bool implied = false;
      for (std::size_t j = 0; j < empties_.size() && !implied; ++j) {
        const bool contains =
            empties_[i].called <= empties_[j].called && empties_[j].returned <= empties_[i].returned;
        const bool same =
            empties_[i].called == empties_[j].called && empties_[i].returned == empties_[j].returned;
        implied = i != j && contains && (!same || j < i);
      }
      if (!implied) needed.push_back(empties_[i]);
    }
    empties_ = std::move(needed);
    std::vector<Duty> kept;
    for (const Duty& m : moments_) {
      const Moment since = kept.empty() ? 0 : kept.back().deadline;
      const bool new_class = kept.empty() || std::ranges::any_of(open_, [&](const OpenDequeue& d) {
                               return since < d.called && d.called < m.deadline;
                             });
      const bool starts = std::ranges::any_of(
          empties_, [&](const Empty& e) { return since <= e.called && e.called < m.deadline; });
      const bool wanted =
          std::ranges::any_of(open_,
                              [&](const OpenDequeue& d) {
                                return !d.lost && free_moment_ < d.called && d.called < m.deadline;
                              }) ||
          std::ranges::any_of(
              empties_, [&](const Empty& e) { return e.called < m.deadline && m.deadline < e.returned; });
      if (wanted && (new_class || starts)) kept.push_back(m);
    }
    moments_ = std::move(kept);
  }

  static constexpr std::size_t kMostNamed = 8;

  const Model& model_;
  std::shared_ptr<Values> values_;
  Moment start_ = 0;
  bool differentiated_ = true;
  Inside inside_;
  std::size_t enqueues_ = 0;         // running
  std::vector<Moment> taken_early_;  // the calls of those of which the value is out
  std::vector<OpenDequeue> open_;    // by call
  std::vector<Duty> obligations_;    // by deadline; k grows
  std::vector<Duty> moments_;        // that a dequeue of empty may still choose
  std::vector<Empty> empties_;       // that have no moment for sure yet
  Moment free_moment_ = 0;           // the latest moment at which the queue may have been empty for sure
  bool moment_lost_ = false;
  std::vector<std::uint32_t> forget_;
};

}  // namespace

std::unique_ptr<OnlineMonitor> online_queue(const OnlineSetting& setting) {
  return std::make_unique<OnlineQueue>(setting);
}

}  // namespace plumb
