// The set, watched key by key: exact at every event, O(operations open on the key) each.
//
// As monitor_set.cpp, but a result is known only when the operation returns. The key is inside or not; this changes only
// when an operation that returns needs it. Which operation made a change is left open: a *token* stands for "one of the
// adds (removes) open at this moment", and the first of them that returns true takes it over; it takes the earliest token
// it can, because the operations called later can only take later ones. Every operation remembers whether the key was
// inside, or was not, at some moment since its call: that answers contains, and adds and removes that return false. The
// tokens can all be taken iff for each of them the open operations called before it are as many as the tokens up to it
// (Hall's theorem; the sets are nested).
#include <algorithm>
#include <array>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "watch/online.hpp"

namespace plumb {
namespace {

enum Kind : std::uint32_t { kAdd, kRemove, kContains };

Kind kind_of(const OnlineOp& op) {
  return op.role == Role::kInsert ? kAdd : op.role == Role::kRemove ? kRemove : kContains;
}

// One key with operations open on it.
class OpenKey {
 public:
  explicit OpenKey(bool present) : present_(present) {}

  void call(Kind kind, Moment now, const WatchedOperation& name) {
    open_.push_back({kind, now, {!present_, present_}, name});
  }

  // False: what has happened to this key cannot be explained.
  bool ret(Moment called, bool result, Moment now) {
    const Open op = take(called);
    if (op.kind == kContains) return see(op, result, now);
    const bool adds = op.kind == kAdd;
    if (!result) return see(op, adds, now) && can_serve(op.kind);
    auto& tokens = tokens_[op.kind];
    const auto token = std::ranges::upper_bound(tokens, called);
    if (token != tokens.end()) return tokens.erase(token), true;
    if (present_ == adds && !change(now)) return false;
    become(adds);
    return true;
  }
  bool fail(Moment called) {
    const Open op = take(called);
    return op.kind == kContains || can_serve(op.kind);
  }
  void lose(Moment called) {
    const auto it = std::ranges::find(open_, called, &Open::called);
    if (it->kind == kContains) open_.erase(it);
  }

  [[nodiscard]] bool present() const { return present_; }
  [[nodiscard]] bool idle() const { return open_.empty(); }
  [[nodiscard]] std::vector<WatchedOperation> names() const {
    std::vector<WatchedOperation> all;
    for (const Open& op : open_) all.push_back(op.name);
    return all;
  }
  // After a violation: whatever the state is now, this result was seen last.
  void believe(bool present) {
    tokens_ = {};
    become(present);
    for (Open& op : open_) op.seen = {true, true};
  }

 private:
  struct Open {
    Kind kind;
    Moment called;
    std::array<bool, 2> seen;  // absent, present
    WatchedOperation name;
  };

  Open take(Moment called) {
    const auto it = std::ranges::find(open_, called, &Open::called);
    const Open op = *it;
    open_.erase(it);
    return op;
  }
  bool see(const Open& op, bool present, Moment now) { return op.seen[present ? 1 : 0] || change(now); }
  // One of the open operations of the needed kind takes effect.
  bool change(Moment now) {
    const Kind kind = present_ ? kRemove : kAdd;
    tokens_[kind].push_back(now);
    become(!present_);
    return static_cast<std::size_t>(std::ranges::count(open_, kind, &Open::kind)) >= tokens_[kind].size();
  }
  void become(bool present) {
    present_ = present;
    for (Open& op : open_) op.seen[present ? 1 : 0] = true;
  }
  [[nodiscard]] bool can_serve(Kind kind) const {
    for (std::size_t i = 0; i < tokens_[kind].size(); ++i) {
      const auto before = std::ranges::count_if(
          open_, [&](const Open& op) { return op.kind == kind && op.called < tokens_[kind][i]; });
      if (static_cast<std::size_t>(before) < i + 1) return false;
    }
    return true;
  }

  bool present_;
  std::vector<Open> open_;
  std::array<std::vector<Moment>, 2> tokens_;  // of adds, of removes; ascending
};

class OnlineSet final : public OnlineMonitor {
 public:
  explicit OnlineSet(const OnlineSetting& setting) : values_(setting.values) {
    if (setting.initial.is_null()) return;
    for (const Value item : values_->as_array(setting.initial)) keys_[item] = kIdle;
    begins_empty_ = keys_.empty();
  }

  OnlineAnswer call(const OnlineOp& op, Moment now) override {
    const auto [it, fresh] = keys_.try_emplace(op.args[0], kIdle);
    if (it->second == kIdle) it->second = fresh_slot(!fresh);
    slots_[it->second].call(kind_of(op), now, op.name);
    return OnlineAnswer::kFine;
  }
  OnlineAnswer ret(const OnlineOp& op, Value result, Moment now) override {
    const auto it = keys_.find(op.args[0]);
    OpenKey& key = slots_[it->second];
    if (!key.ret(op.called, result.is_true(), now)) {
      auto answer = alarm(op, fmt::format(" → {}", result.is_true()), key);
      key.believe(op.role == Role::kContains ? result.is_true() : op.role == Role::kInsert);
      release(it);
      return answer;
    }
    release(it);
    return OnlineAnswer::kFine;
  }
  OnlineAnswer fail(const OnlineOp& op, Moment now) override {
    (void)now;
    const auto it = keys_.find(op.args[0]);
    OpenKey& key = slots_[it->second];
    auto answer = OnlineAnswer::kFine;
    if (!key.fail(op.called)) {
      answer = alarm(op, " → did not happen", key);
      key.believe(op.role == Role::kRemove);
    }
    release(it);
    return answer;
  }
  OnlineAnswer lose(const OnlineOp& op, Moment now) override {
    (void)now;
    const auto it = keys_.find(op.args[0]);
    slots_[it->second].lose(op.called);
    release(it);
    return OnlineAnswer::kFine;
  }

  [[nodiscard]] bool is_fresh() const override { return begins_empty_ && keys_.empty(); }

 private:
  static constexpr std::uint32_t kIdle = ~std::uint32_t{0};  // inside, and nothing is open
  using Keys = absl::flat_hash_map<Value, std::uint32_t>;

  std::uint32_t fresh_slot(bool present) {
    if (free_.empty()) {
      slots_.emplace_back(present);
      return static_cast<std::uint32_t>(slots_.size() - 1);
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    slots_[slot].believe(present);
    return slot;
  }
  void release(Keys::iterator it) {
    const OpenKey& key = slots_[it->second];
    if (!key.idle()) return;
    free_.push_back(it->second);
    if (key.present()) {
      it->second = kIdle;
    } else {
      keys_.erase(it);
    }
  }

  OnlineAnswer alarm(const OnlineOp& op, std::string_view result, const OpenKey& key) {
    static constexpr std::array<std::string_view, 3> kNames = {"add", "remove", "contains"};
    std::vector<WatchedOperation> operations = {op.name};
    const auto open = key.names();
    operations.insert(operations.end(), open.begin(), open.end());
    const std::string value = values_->to_json(op.args[0]);
    return violation(
        fmt::format(
            "`{}({}){}` by process {} is impossible: no order of what was done to {} before it and of the {} "
            "still open on it explains it",
            kNames[kind_of(op)], value, result, values_->to_json(op.process), value,
            open.size() == 1 ? "one operation" : fmt::format("{} operations", open.size())),
        std::move(operations));
  }

  std::shared_ptr<Values> values_;
  bool begins_empty_ = true;
  Keys keys_;  // those inside, and those with operations open
  std::vector<OpenKey> slots_;
  std::vector<std::uint32_t> free_;
};

}  // namespace

std::unique_ptr<OnlineMonitor> online_set(const OnlineSetting& setting) {
  return std::make_unique<OnlineSet>(setting);
}

}  // namespace plumb
