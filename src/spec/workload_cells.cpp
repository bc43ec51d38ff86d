// Register and counter.
#include <absl/container/flat_hash_set.h>

#include "spec/workload.hpp"

namespace plumb {
namespace {

class RegisterWorkload final : public Workload {
 public:
  explicit RegisterWorkload(const Setting& setting) : s_(setting) {}

  std::optional<Request> choose(std::size_t slot, const Progress&) override {
    switch (s_.rng.below(3)) {
      case kRead:
        return Request{slot, kRead};
      case kWrite:
        return Request{slot, kWrite, {any()}};
      default:
        return Request{slot, kCas, {any(), any()}};
    }
  }

  void called(const Request& request, bool lost) override {
    if (lost && request.operation != kRead) lost_.insert(request.args[request.operation == kCas ? 1 : 0]);
  }

  std::optional<Value> apply(OperationId, const Request& request) override {
    switch (request.operation) {
      case kRead:
        return value_;
      case kWrite:
        value_ = request.args[0];
        return kNull;
      default:
        if (value_ != request.args[0]) return kFalse;
        value_ = request.args[1];
        return kTrue;
    }
  }

  // A write, then a read that does not see it. Only a pending write or cas could come between, and none of
  // them writes what is read.
  void spoil(Script& script) override {
    const Value written = any();
    script.run_anywhere(kWrite, {written});
    const OperationId read = script.run_anywhere(kRead, {});
    auto other = static_cast<std::int64_t>(s_.rng.below(s_.options.values));
    while (s_.values.integer(other) == written || lost_.contains(s_.values.integer(other))) ++other;
    script.record(read, s_.values.integer(other));
  }

 private:
  enum : std::uint32_t { kRead, kWrite, kCas };
  Value any() { return s_.values.integer(static_cast<std::int64_t>(s_.rng.below(s_.options.values))); }

  Setting s_;
  Value value_;
  absl::flat_hash_set<Value> lost_;  // what lost operations may still write
};

class CounterWorkload final : public Workload {
 public:
  explicit CounterWorkload(const Setting& setting) : s_(setting) {}

  std::optional<Request> choose(std::size_t slot, const Progress&) override {
    switch (s_.rng.below(3)) {
      case kAdd:
        return Request{slot, kAdd, {step()}};
      case kFetchAdd:
        return Request{slot, kFetchAdd, {step()}};
      default:
        return Request{slot, kRead};
    }
  }

  std::optional<Value> apply(OperationId, const Request& request) override {
    const std::int64_t before = count_;
    if (request.operation != kRead) count_ += s_.values.as_integer(request.args[0]);
    return request.operation == kAdd ? kNull : s_.values.integer(before);
  }

  // A lost update: a read, an addition, and a read of the same number. Whatever pending operations do between
  // them, all additions are of 1 or more, so the second number must be larger.
  void spoil(Script& script) override {
    const OperationId before = script.run_anywhere(kRead, {});
    script.run_anywhere(kAdd, {step()});
    const OperationId after = script.run_anywhere(kRead, {});
    script.record(after, script.row(before).result);
  }

 private:
  enum : std::uint32_t { kAdd, kFetchAdd, kRead };
  Value step() { return s_.values.integer(1 + static_cast<std::int64_t>(s_.rng.below(s_.options.values))); }

  Setting s_;
  std::int64_t count_ = 0;
};

}  // namespace

std::unique_ptr<Workload> register_workload(const Setting& setting) {
  return std::make_unique<RegisterWorkload>(setting);
}
std::unique_ptr<Workload> counter_workload(const Setting& setting) {
  return std::make_unique<CounterWorkload>(setting);
}

}  // namespace plumb
