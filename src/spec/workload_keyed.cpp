// Set, multiset, map, key-value store and registers: operations on one key of several.
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "spec/workload.hpp"

namespace plumb {
namespace {

class KeyedWorkload : public Workload {
 public:
  explicit KeyedWorkload(const Setting& setting) : s_(setting), tide_(setting.options.profile) {}

 protected:
  virtual Value key_number(std::size_t n) { return s_.values.integer(static_cast<std::int64_t>(n)); }
  Value any_key() { return key_number(s_.rng.below(s_.options.keys)); }
  Value any_value() { return s_.values.integer(static_cast<std::int64_t>(s_.rng.below(s_.options.values))); }
  void lose(Value key) { lost_.insert(key); }

  // A key that no lost operation may still change: what runs alone on it is really alone. If there is none to
  // be found, a new one.
  Value quiet_key() {
    constexpr int kTries = 64;
    for (int i = 0; i < kTries; ++i) {
      const Value key = any_key();
      if (!lost_.contains(key)) return key;
    }
    return key_number(s_.options.keys);
  }

  // One of add, remove and contains, in this order.
  std::uint32_t set_operation(const Progress& progress) {
    const auto operation = static_cast<std::uint32_t>(s_.rng.below(3));
    if (operation == 2 || s_.options.profile == Profile::kBalanced) return operation;
    return tide_.rises(progress, s_.rng) ? 0 : 1;
  }

  Setting s_;

 private:
  Tide tide_;
  absl::flat_hash_set<Value> lost_;
};

// Set and multiset: they differ in how often a value can be inside, and in what add returns.
template <bool kMulti>
class SetWorkload final : public KeyedWorkload {
 public:
  using KeyedWorkload::KeyedWorkload;

  std::optional<Request> choose(std::size_t slot, const Progress& progress) override {
    return Request{slot, set_operation(progress), {any_key()}};
  }

  void called(const Request& request, bool lost) override {
    if (lost && request.operation == kRemove) lose(request.args[0]);
  }

  std::optional<Value> apply(OperationId, const Request& request) override {
    std::uint64_t& count = count_[request.args[0]];
    const bool present = count != 0;
    switch (request.operation) {
      case kAdd:
        count = kMulti ? count + 1 : 1;
        return kMulti ? kNull : Value::boolean(!present);
      case kRemove:
        if (present) --count;
        return Value::boolean(present);
      default:
        return Value::boolean(present);
    }
  }

  // A value is added, whether or not it was inside, and right after that it is not inside. No pending
  // operation removes it.
  void spoil(Script& script) override {
    const Value key = quiet_key();
    script.run_anywhere(kAdd, {key});
    script.record(script.run_anywhere(kContains, {key}), kFalse);
  }

 private:
  enum : std::uint32_t { kAdd, kRemove, kContains };
  absl::flat_hash_map<Value, std::uint64_t> count_;
};

class MapWorkload final : public KeyedWorkload {
 public:
  using KeyedWorkload::KeyedWorkload;

  std::optional<Request> choose(std::size_t slot, const Progress&) override {
    const auto operation = static_cast<std::uint32_t>(s_.rng.below(4));
    if (operation == kGet || operation == kRemove) return Request{slot, operation, {any_key()}};
    return Request{slot, operation, {any_key(), any_value()}};
  }

  void called(const Request& request, bool lost) override {
    if (lost && request.operation != kGet) lose(request.args[0]);
  }

  std::optional<Value> apply(OperationId, const Request& request) override {
    const Value key = request.args[0];
    const auto it = entries_.find(key);
    switch (request.operation) {
      case kGet:
        return it == entries_.end() ? kNull : it->second;
      case kPut:
        entries_[key] = request.args[1];
        return kNull;
      case kRemove:
        return Value::boolean(entries_.erase(key) != 0);
      default:
        return Value::boolean(entries_.emplace(key, request.args[1]).second);
    }
  }

  // A stale read: a value is put, and right after that the key has the value from before, or none. No pending
  // operation changes the key.
  void spoil(Script& script) override {
    const Value key = quiet_key();
    const Value before = script.row(script.run_anywhere(kGet, {key})).result;
    const Value written = any_value();
    script.run_anywhere(kPut, {key, written});
    script.record(script.run_anywhere(kGet, {key}), before == written ? kNull : before);
  }

 private:
  enum : std::uint32_t { kGet, kPut, kRemove, kPutIfAbsent };
  absl::flat_hash_map<Value, Value> entries_;
};

class KvAppendWorkload final : public KeyedWorkload {
 public:
  using KeyedWorkload::KeyedWorkload;

  // Mostly appends, with a put now and then: strings stay short enough to have millions of them.
  std::optional<Request> choose(std::size_t slot, const Progress&) override {
    const auto dice = s_.rng.below(10);
    if (dice < 4) return Request{slot, kGet, {any_key()}};
    return Request{slot, dice < 5 ? kPut : kAppend, {any_key(), piece(slot)}};
  }

  void called(const Request& request, bool lost) override {
    if (lost && request.operation != kGet) lose(request.args[0]);
  }

  std::optional<Value> apply(OperationId, const Request& request) override {
    std::string& text = text_[request.args[0]];
    if (request.operation == kGet) return s_.values.string(text);
    if (request.operation == kPut) text.clear();
    text += s_.values.as_string(request.args[1]);
    return kNull;
  }

  // A lost append: the string right after it is the one from before, which cannot hold the piece, as every
  // piece is written once only. No pending operation changes the key.
  void spoil(Script& script) override {
    const Value key = quiet_key();
    const Value before = script.row(script.run_anywhere(kGet, {key})).result;
    script.run_anywhere(kAppend, {key, piece(0)});
    script.record(script.run_anywhere(kGet, {key}), before);
  }

 private:
  enum : std::uint32_t { kGet, kPut, kAppend };
  Value key_number(std::size_t n) override { return s_.values.string(fmt::format("{}", n)); }
  Value piece(std::size_t slot) { return s_.values.string(fmt::format("x {} {} y", slot, pieces_++)); }

  absl::flat_hash_map<Value, std::string> text_;
  std::uint64_t pieces_ = 0;
};

class MultiRegisterWorkload final : public KeyedWorkload {
 public:
  explicit MultiRegisterWorkload(const Setting& setting)
      : KeyedWorkload(setting),
        read_(setting.values.string("read")),
        write_(setting.values.string("write")) {}

  std::optional<Request> choose(std::size_t slot, const Progress&) override {
    constexpr std::size_t kLongest = 3;
    std::vector<Value> steps(1 + s_.rng.below(kLongest));
    for (Value& step : steps) {
      step = s_.rng.chance(0.5) ? this->step(read_, any_key(), kNull)
                                : this->step(write_, any_key(), any_value());
    }
    return Request{slot, kTxn, {s_.values.array(steps)}};
  }

  void called(const Request& request, bool lost) override {
    if (!lost) return;
    for (const Value step : s_.values.as_array(request.args[0])) {
      const auto parts = s_.values.as_array(step);
      if (parts[0] == write_) lose(parts[1]);
    }
  }

  std::optional<Value> apply(OperationId, const Request& request) override {
    const auto asked = s_.values.as_array(request.args[0]);
    std::vector<Value> steps(asked.begin(), asked.end());
    for (Value& step : steps) {
      const Value name = s_.values.as_array(step)[0];
      const Value key = s_.values.as_array(step)[1];
      const auto it = registers_.try_emplace(key, Value::small(0)).first;
      if (name == write_) {
        it->second = s_.values.as_array(step)[2];
      } else {
        step = this->step(read_, key, it->second);
      }
    }
    return s_.values.array(steps);
  }

  // A register is written, and right after that it has another value. No pending transaction writes it.
  void spoil(Script& script) override {
    const Value key = quiet_key();
    const auto written = static_cast<std::int64_t>(s_.rng.below(s_.options.values));
    script.run_anywhere(kTxn, {transaction(write_, key, s_.values.integer(written))});
    const OperationId read = script.run_anywhere(kTxn, {transaction(read_, key, kNull)});
    const std::int64_t other = written == 0 ? 1 : written - 1;
    script.record(read, transaction(read_, key, s_.values.integer(other)));
  }

 private:
  enum : std::uint32_t { kTxn };
  Value step(Value name, Value key, Value value) { return s_.values.array(std::array{name, key, value}); }
  Value transaction(Value name, Value key, Value value) {
    return s_.values.array(std::array{step(name, key, value)});
  }

  Value read_;
  Value write_;
  absl::flat_hash_map<Value, Value> registers_;
};

}  // namespace

std::unique_ptr<Workload> set_workload(const Setting& setting) {
  return std::make_unique<SetWorkload<false>>(setting);
}
std::unique_ptr<Workload> multiset_workload(const Setting& setting) {
  return std::make_unique<SetWorkload<true>>(setting);
}
std::unique_ptr<Workload> map_workload(const Setting& setting) {
  return std::make_unique<MapWorkload>(setting);
}
std::unique_ptr<Workload> kv_append_workload(const Setting& setting) {
  return std::make_unique<KvAppendWorkload>(setting);
}
std::unique_ptr<Workload> multi_register_workload(const Setting& setting) {
  return std::make_unique<MultiRegisterWorkload>(setting);
}

}  // namespace plumb
