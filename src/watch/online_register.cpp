// The register, watched: exact at every event, as long as no value is written twice while its first write matters.
//
// A write with the reads of its value is a cluster; `first_return` is when the first of them returned, `last_call` when
// the last of them was called. Two clusters contradict each other iff each has an operation that precedes one of the
// other: first_return(v) < last_call(w) and first_return(w) < last_call(v) (the zones of Gibbons and Korach, said in one
// line). Open reads do not count, an open write only once it was read.
// A cluster gets its first return when it begins to count, so that nothing can contradict it then; later only a read can,
// one that was called after last_call(v): there must be no other w with first_return(w) < that call and
// last_call(w) > first_return(v).
//
// What can be forgotten: let C be the call of the oldest open read, and W, of the clusters that counted before C, the one
// with the latest call. A v with first_return(v) < last_call(W) can never be read again, and whatever v would contradict,
// W does too. The others that counted before C have operations that were all open at one moment, last_call(W): they are
// no more than there were processes. A forgotten value may be written again, and is then a new one.
#include <algorithm>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "watch/online.hpp"

namespace plumb {
namespace {

class OnlineRegister final : public OnlineMonitor {
 public:
  explicit OnlineRegister(const OnlineSetting& setting)
      : model_(*setting.model), values_(setting.values), initial_(setting.initial) {
    clusters_.emplace(initial_, Cluster{0, 0, 0, {}, kNull, false});
    counting_.push_back(initial_);
  }

  OnlineAnswer call(const OnlineOp& op, Moment now) override {
    if (op.role == Role::kCompareAndSwap) return cannot_judge("a cas");
    open_.push_back(op);
    if (op.role == Role::kRead) {
      reads_.push_back(now);
      return OnlineAnswer::kFine;
    }
    const Value value = op.args[0];
    if (clusters_.contains(value)) forget(now);
    if (clusters_.try_emplace(value, Cluster{now, kNotYet, now, op.name, op.process, true}).second)
      return OnlineAnswer::kFine;
    return cannot_judge(
        fmt::format("{} is written again while it may still be read", values_->to_json(value)));
  }

  OnlineAnswer ret(const OnlineOp& op, Value result, Moment now) override {
    close(op);
    if (op.role == Role::kWrite) {
      const auto it = clusters_.find(op.args[0]);
      if (it == clusters_.end() || it->second.written != op.called) return OnlineAnswer::kFine;
      it->second.open = false;
      it->second.write.returned_line = op.name.returned_line;
      count(it->first, it->second, now);
      return OnlineAnswer::kFine;
    }
    reads_.erase(std::ranges::find(reads_, op.called));
    const auto it = clusters_.find(result);
    if (it == clusters_.end()) {
      return violation(
          fmt::format("{} is impossible: {} was never written, or was overwritten before the read began",
                      text(op, result), values_->to_json(result)),
          {op.name});
    }
    Cluster& cluster = it->second;
    if (cluster.first_return != kNotYet && op.called > cluster.last_call) {
      for (const Value other : counting_) {
        const Cluster& w = clusters_.find(other)->second;
        if (w.first_return >= op.called) break;
        if (other != result && w.last_call > cluster.first_return)
          return overwritten(op, result, cluster, other, w);
      }
    }
    cluster.last_call = std::max(cluster.last_call, op.called);
    count(result, cluster, now);
    return OnlineAnswer::kFine;
  }

  OnlineAnswer fail(const OnlineOp& op, Moment now) override {
    (void)now;
    close(op);
    if (op.role == Role::kRead)
      return reads_.erase(std::ranges::find(reads_, op.called)), OnlineAnswer::kFine;
    const auto it = clusters_.find(op.args[0]);
    if (it != clusters_.end() && it->second.written == op.called && it->second.first_return == kNotYet)
      return clusters_.erase(it), OnlineAnswer::kFine;
    return violation(fmt::format("{} was read, but its write by process {} has failed",
                                 values_->to_json(op.args[0]), values_->to_json(op.process)),
                     {op.name});
  }

  OnlineAnswer lose(const OnlineOp& op, Moment now) override {
    (void)now;
    close(op);
    if (op.role == Role::kRead) reads_.erase(std::ranges::find(reads_, op.called));
    return OnlineAnswer::kFine;
  }

  [[nodiscard]] bool is_fresh() const override { return false; }

  // A cluster that counts becomes its write and two reads of it: one that returns when the cluster begins to count, and one
  // with the last call. More than these two moments nothing will ask of it.
  [[nodiscard]] std::optional<RetoldRun> retell() const override {
    RetoldRun run{initial_, {}};
    std::vector<std::pair<Moment, OnlineEvent>> events;  // by when; some at the same moment, in this order
    for (const OnlineOp& op : open_) {
      const auto it = op.role == Role::kWrite ? clusters_.find(op.args[0]) : clusters_.end();
      const bool is_known = it != clusters_.end() && it->second.written == op.called;
      if (op.role == Role::kWrite && !is_known) return std::nullopt;  // forgotten, but open
      if (op.role == Role::kRead) events.push_back({op.called, {OnlineEvent::kCall, kNull, op.called, op}});
    }
    for (const auto& [value, cluster] : clusters_) retell(value, cluster, events);
    std::ranges::stable_sort(events, {}, [](const auto& e) { return e.first; });
    for (auto& [when, event] : events) run.events.push_back(std::move(event));
    return run;
  }

 private:
  struct Cluster {
    Moment written;       // the call of the write
    Moment first_return;  // kNotYet: it does not count
    Moment last_call;
    WatchedOperation write;
    Value process;
    bool open;
  };

  void close(const OnlineOp& op) { open_.erase(std::ranges::find(open_, op.called, &OnlineOp::called)); }

  void retell(Value value, const Cluster& cluster,
              std::vector<std::pair<Moment, OnlineEvent>>& events) const {
    const auto tell = [&](Moment when, OnlineEvent::Kind kind, const OnlineOp& op) {
      events.push_back({when, {kind, op.role == Role::kRead ? value : kNull, when, op}});
    };
    // An operation is known by its call: none was called when something returned.
    const auto read = [&](Moment called, Moment known_by, Moment returned) {
      OnlineOp op = operation(Role::kRead, cluster, known_by);
      op.process = values_->string(fmt::format("read {}", known_by));
      tell(called, OnlineEvent::kCall, op);
      tell(returned, OnlineEvent::kReturn, op);
    };
    const bool counts = cluster.first_return != kNotYet;
    if (cluster.written != 0) {
      OnlineOp write = operation(Role::kWrite, cluster, cluster.written);
      write.args = {value};
      tell(cluster.written, OnlineEvent::kCall, write);
      if (counts) read(cluster.written, cluster.first_return, cluster.first_return);
      if (!cluster.open) tell(cluster.first_return, OnlineEvent::kReturn, write);
    }
    if (cluster.last_call != cluster.written) read(cluster.last_call, cluster.last_call, kNotYet);
  }
  [[nodiscard]] OnlineOp operation(Role role, const Cluster& cluster, Moment called) const {
    const auto specs = model_.operations();
    const auto at = std::ranges::find(specs, role, &OperationSpec::role) - specs.begin();
    return {cluster.write, static_cast<std::uint32_t>(at), role, cluster.process, {}, called};
  }

  void count(Value value, Cluster& cluster, Moment now) {
    if (cluster.first_return != kNotYet) return;
    cluster.first_return = now;
    counting_.push_back(value);
    if (counting_.size() >= forget_at_) {
      forget(now);
      forget_at_ = 2 * counting_.size() + kFew;
    }
  }

  void forget(Moment now) {
    const Moment since = reads_.empty() ? now : reads_.front();
    Moment latest = 0;
    Value keeper = counting_.front();
    for (const Value v : counting_) {
      const Cluster& cluster = clusters_.find(v)->second;
      if (cluster.first_return >= since) break;
      if (cluster.last_call >= latest) keeper = v;
      latest = std::max(latest, cluster.last_call);
    }
    std::erase_if(counting_, [&](Value v) {
      const auto it = clusters_.find(v);
      if (v == keeper || it->second.first_return >= latest) return false;
      clusters_.erase(it);
      return true;
    });
  }

  [[nodiscard]] std::string text(const OnlineOp& op, Value result) const {
    return fmt::format("`read → {}` by process {}", values_->to_json(result), values_->to_json(op.process));
  }

  OnlineAnswer overwritten(const OnlineOp& op, Value value, const Cluster& v, Value other, const Cluster& w) {
    return violation(fmt::format("{} is impossible: {} had been overwritten by {} before the read began",
                                 text(op, value), values_->to_json(value), values_->to_json(other)),
                     {op.name, v.write, w.write});
  }

  static constexpr std::size_t kFew = 16;

  const Model& model_;
  std::shared_ptr<Values> values_;
  Value initial_;
  absl::flat_hash_map<Value, Cluster> clusters_;
  std::vector<Value> counting_;  // the clusters that count, by first return
  std::vector<Moment> reads_;    // the calls of the open ones, ascending
  std::vector<OnlineOp> open_;
  std::size_t forget_at_ = kFew;
};

}  // namespace

std::unique_ptr<OnlineMonitor> online_register(const OnlineSetting& setting) {
  return std::make_unique<OnlineRegister>(setting);
}

}  // namespace plumb
