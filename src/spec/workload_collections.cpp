// Queue, stack, deque and priority queue: values go in and come out in an order.
#include <deque>
#include <queue>
#include <vector>

#include "spec/models.hpp"
#include "spec/workload.hpp"

namespace plumb {
namespace {

// Something inside, and the operation that put it there.
struct Item {
  Value value;
  OperationId inserted;
};

class CollectionWorkload : public Workload {
 public:
  explicit CollectionWorkload(const Setting& setting) : s_(setting), tide_(setting.options.profile) {
    while (range_ < setting.options.operations) range_ *= 2;
  }

 protected:
  // A value to insert: no other insertion has it, unless values may repeat.
  Value next_value() {
    const auto n = s_.options.distinct ? inserted_++ : s_.rng.below(s_.options.values);
    return s_.values.integer(static_cast<std::int64_t>(n));
  }
  // A value that no other insertion has, in any case. `sorts`: where the others are priorities.
  Value unique_value(bool sorts = false) {
    if (s_.options.distinct) return sorts ? priority() : next_value();
    return s_.values.integer(static_cast<std::int64_t>(s_.options.values + unique_++));
  }
  // A value for an object that sorts them.
  // Distinct ones come in a scrambled order: multiplying by an odd number permutes the numbers below a power
  // of two.
  Value priority() {
    const Value next = next_value();
    if (!s_.options.distinct) return next;
    constexpr std::uint64_t kOdd = 0x9E37'79B9'7F4A'7C15ULL;
    const auto n = static_cast<std::uint64_t>(s_.values.as_integer(next));
    const std::uint64_t lap =
        n / range_ * range_;  // a spoiled history may need a few more values than operations
    return s_.values.integer(static_cast<std::int64_t>(lap + ((n * kOdd) & (range_ - 1))));
  }
  bool inserts(const Progress& progress) { return tide_.rises(progress, s_.rng); }

  // A value comes out before it goes in; no other insertion has it. For collections in which another copy of
  // any value could hide what else goes wrong.
  void come_out_before_going_in(Script& script, std::uint32_t insert, std::uint32_t remove,
                                bool sorts = false) {
    const Value value = unique_value(sorts);
    const OperationId removal = script.run_anywhere(remove, {});
    script.run_anywhere(insert, {value});
    script.record(removal, value);
  }

  // Two results change places; the first of them is the one that cannot be explained.
  static void exchange(Script& script, OperationId first, OperationId second) {
    const Value result = script.row(first).result;
    const Value other = script.row(second).result;
    script.record(second, result);
    script.record(first, other);
  }
  static bool is_lost(const Script& script, const Item& item) {
    return script.row(item.inserted).ret == kNever;
  }

  Setting s_;

 private:
  Tide tide_;
  std::uint64_t range_ = 1;
  std::uint64_t inserted_ = 0;
  std::uint64_t unique_ = 0;
};

class QueueWorkload final : public CollectionWorkload {
 public:
  using CollectionWorkload::CollectionWorkload;

  std::optional<Request> choose(std::size_t slot, const Progress& progress) override {
    if (inserts(progress)) return Request{slot, kEnqueue, {next_value()}};
    return Request{slot, kDequeue};
  }

  std::optional<Value> apply(OperationId op, const Request& request) override {
    if (request.operation == kEnqueue) {
      items_.push_back({request.args[0], op});
      return kNull;
    }
    if (items_.empty()) return kNull;
    const Value first = items_.front().value;
    items_.pop_front();
    return first;
  }

  // x is enqueued before y, and y is dequeued before x: neither is enqueued twice, so each of the two
  // dequeues took the only one there ever was, whatever pending operations do.
  void spoil(Script& script) override {
    if (!s_.options.distinct) {
      come_out_before_going_in(script, kEnqueue, kDequeue);
      return;
    }
    while (!items_.empty() && is_lost(script, items_.front())) script.run_anywhere(kDequeue, {});
    if (items_.empty()) script.run_anywhere(kEnqueue, {next_value()});
    if (!follower(script)) script.run_anywhere(kEnqueue, {next_value()});
    std::size_t between = *follower(script);
    const OperationId x = script.run_anywhere(kDequeue, {});
    while (--between > 0) script.run_anywhere(kDequeue, {});
    exchange(script, x, script.run_anywhere(kDequeue, {}));
  }

 private:
  enum : std::uint32_t { kEnqueue, kDequeue };

  // The place of the first item whose enqueue was called after that of the front had returned.
  [[nodiscard]] std::optional<std::size_t> follower(const Script& script) const {
    const Time returned = script.row(items_.front().inserted).ret;
    for (std::size_t i = 1; i < items_.size(); ++i) {
      if (script.row(items_[i].inserted).call > returned) return i;
    }
    return std::nullopt;
  }

  std::deque<Item> items_;
};

class StackWorkload final : public CollectionWorkload {
 public:
  using CollectionWorkload::CollectionWorkload;

  std::optional<Request> choose(std::size_t slot, const Progress& progress) override {
    if (inserts(progress)) return Request{slot, kPush, {next_value()}};
    return Request{slot, kPop};
  }

  std::optional<Value> apply(OperationId, const Request& request) override {
    if (request.operation == kPush) {
      items_.push_back(request.args[0]);
      return kNull;
    }
    if (items_.empty()) return kNull;
    const Value top = items_.back();
    items_.pop_back();
    return top;
  }

  // a is pushed, then b, then a comes out, then b. When a came out b was above it: only the later pop took b
  // out, and there is no other b. Pending operations cannot change that.
  void spoil(Script& script) override {
    script.run_anywhere(kPush, {unique_value()});
    script.run_anywhere(kPush, {unique_value()});
    const OperationId b = script.run_anywhere(kPop, {});
    exchange(script, b, script.run_anywhere(kPop, {}));
  }

 private:
  enum : std::uint32_t { kPush, kPop };
  std::vector<Value> items_;
};

class DequeWorkload final : public CollectionWorkload {
 public:
  using CollectionWorkload::CollectionWorkload;

  std::optional<Request> choose(std::size_t slot, const Progress& progress) override {
    const bool front = s_.rng.chance(0.5);
    if (inserts(progress)) return Request{slot, front ? kPushFront : kPushBack, {next_value()}};
    return Request{slot, front ? kPopFront : kPopBack};
  }

  std::optional<Value> apply(OperationId, const Request& request) override {
    switch (request.operation) {
      case kPushFront:
        items_.push_front(request.args[0]);
        return kNull;
      case kPushBack:
        items_.push_back(request.args[0]);
        return kNull;
      default:
        break;
    }
    if (items_.empty()) return kNull;
    const bool front = request.operation == kPopFront;
    const Value out = front ? items_.front() : items_.back();
    if (front) {
      items_.pop_front();
    } else {
      items_.pop_back();
    }
    return out;
  }

  // As with the stack, at one end: two items never change their order, so b stands between a and that end.
  void spoil(Script& script) override {
    const bool front = s_.rng.chance(0.5);
    script.run_anywhere(front ? kPushFront : kPushBack, {unique_value()});
    script.run_anywhere(front ? kPushFront : kPushBack, {unique_value()});
    const OperationId b = script.run_anywhere(front ? kPopFront : kPopBack, {});
    exchange(script, b, script.run_anywhere(front ? kPopFront : kPopBack, {}));
  }

 private:
  enum : std::uint32_t { kPushFront, kPushBack, kPopFront, kPopBack };
  std::deque<Value> items_;
};

class PriorityQueueWorkload final : public CollectionWorkload {
 public:
  using CollectionWorkload::CollectionWorkload;

  std::optional<Request> choose(std::size_t slot, const Progress& progress) override {
    if (inserts(progress)) return Request{slot, kInsert, {priority()}};
    return Request{slot, kExtractMin};
  }

  std::optional<Value> apply(OperationId op, const Request& request) override {
    if (request.operation == kInsert) {
      items_.push({request.args[0], op});
      return kNull;
    }
    if (items_.empty()) return kNull;
    const Value smallest = items_.top().value;
    items_.pop();
    return smallest;
  }

  // x < y, and y comes out before x, although x was inside: its insertion had returned, and only the later
  // extraction took it out, since no value is inserted twice. (A lost insertion of x could have taken effect
  // between the two.)
  void spoil(Script& script) override {
    if (!s_.options.distinct) {
      come_out_before_going_in(script, kInsert, kExtractMin);
      return;
    }
    script.run_anywhere(kInsert, {priority()});
    script.run_anywhere(kInsert, {priority()});
    while (is_lost(script, items_.top())) script.run_anywhere(kExtractMin, {});
    if (items_.size() < 2) script.run_anywhere(kInsert, {priority()});
    const OperationId x = script.run_anywhere(kExtractMin, {});
    exchange(script, x, script.run_anywhere(kExtractMin, {}));
  }

 private:
  enum : std::uint32_t { kInsert, kExtractMin };

  struct Larger {
    const Values* values;
    bool operator()(const Item& a, const Item& b) const { return values->compare(a.value, b.value) > 0; }
  };

  std::priority_queue<Item, std::vector<Item>, Larger> items_{Larger{&s_.values}};
};

// A removal takes any of the K + 1 first in line. The queue does as segmented queues do: only when all of the K + 1 oldest
// are out does it look at the next ones, and towards the end what is left of them comes out. So no dequeue is more than K
// places off, and `--relax dequeue=K` accepts what is generated here too.
class RelaxedWorkload final : public CollectionWorkload {
 public:
  RelaxedWorkload(const Setting& setting, const RelaxedName& name)
      : CollectionWorkload(setting),
        k_(*name.k),
        is_stack_(name.family == "k-stack"),
        sorts_(name.family == "k-priority-queue") {}

  std::optional<Request> choose(std::size_t slot, const Progress& progress) override {
    ends_ = progress.remaining() <= k_ + 2 * s_.options.processes;
    if (!inserts(progress) || ends_) return Request{slot, kRemove};
    return Request{slot, kInsert, {sorts_ ? priority() : next_value()}};
  }

  std::optional<Value> apply(OperationId, const Request& request) override {
    if (request.operation == kInsert) {
      items_.insert(place_for(request.args[0]), request.args[0]);
      return kNull;
    }
    if (items_.empty()) return kNull;
    if (window_ == 0 || is_stack_ || sorts_) window_ = std::min(items_.size(), k_ + 1);
    const std::size_t pick = ends_ ? 0 : s_.rng.below(window_);
    --window_;
    const auto taken = is_stack_ ? items_.end() - 1 - static_cast<std::ptrdiff_t>(pick)
                                 : items_.begin() + static_cast<std::ptrdiff_t>(pick);
    const Value value = *taken;
    items_.erase(taken);
    return value;
  }

  void spoil(Script& script) override { come_out_before_going_in(script, kInsert, kRemove, sorts_); }

 private:
  enum : std::uint32_t { kInsert, kRemove };

  std::deque<Value>::iterator place_for(Value value) {
    if (!sorts_) return items_.end();
    return std::ranges::lower_bound(items_, value,
                                    [&](Value a, Value b) { return s_.values.compare(a, b) < 0; });
  }

  std::size_t k_;
  bool is_stack_;
  bool sorts_;
  bool ends_ = false;
  std::size_t window_ = 0;  // how many of the first in line may still come out before others are looked at
  std::deque<Value> items_;
};

}  // namespace

std::unique_ptr<Workload> relaxed_workload(const Setting& setting) {
  return std::make_unique<RelaxedWorkload>(setting, *parse_relaxed_name(setting.options.model));
}
std::unique_ptr<Workload> queue_workload(const Setting& setting) {
  return std::make_unique<QueueWorkload>(setting);
}
std::unique_ptr<Workload> stack_workload(const Setting& setting) {
  return std::make_unique<StackWorkload>(setting);
}
std::unique_ptr<Workload> deque_workload(const Setting& setting) {
  return std::make_unique<DequeWorkload>(setting);
}
std::unique_ptr<Workload> priority_queue_workload(const Setting& setting) {
  return std::make_unique<PriorityQueueWorkload>(setting);
}

}  // namespace plumb
