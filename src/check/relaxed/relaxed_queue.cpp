#include "check/relaxed/relaxed_queue.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <absl/container/flat_hash_map.h>

#include "spec/typed_model.hpp"

namespace plumb {
namespace {

// A set of numbers that fills up from below: all before `low`, and few beyond.
struct FromBelow {
  std::uint32_t low = 0;
  std::vector<std::uint32_t> beyond = {};  // ascending

  [[nodiscard]] bool has(std::uint32_t n) const { return n < low || std::ranges::binary_search(beyond, n); }
  void add(std::uint32_t n) {
    beyond.insert(std::ranges::lower_bound(beyond, n), n);
    std::size_t taken = 0;
    while (taken < beyond.size() && beyond[taken] == low) ++taken, ++low;
    beyond.erase(beyond.begin(), beyond.begin() + static_cast<std::ptrdiff_t>(taken));
  }
  [[nodiscard]] std::size_t size() const { return low + beyond.size(); }
  [[nodiscard]] std::uint32_t end() const { return beyond.empty() ? low : beyond.back() + 1; }
  friend bool operator==(const FromBelow&, const FromBelow&) = default;
  template <class H>
  friend H AbslHashValue(H h, const FromBelow& set) {
    return H::combine(std::move(h), set.low, set.beyond);
  }
};

struct InAndOut {
  FromBelow in;
  FromBelow out;
  [[nodiscard]] std::size_t heap_bytes() const {
    return (in.beyond.capacity() + out.beyond.capacity()) * sizeof(std::uint32_t);
  }
  friend bool operator==(const InAndOut&, const InAndOut&) = default;
  template <class H>
  friend H AbslHashValue(H h, const InAndOut& state) {
    return H::combine(std::move(h), state.in, state.out);
  }
};

// Its enqueue, by position among the events.
struct Enqueued {
  Value value;
  std::uint32_t call;
  std::uint32_t ret;  // past all for one that never returns
};

class LazyQueue final : public States {
 public:
  // `insert`: the model's number of the insertion.
  LazyQueue(std::uint32_t insert, std::vector<Enqueued> by_return, const Values& values)
      : insert_(insert), enqueued_(std::move(by_return)), values_(values) {
    for (std::uint32_t i = 0; i < enqueued_.size(); ++i) number_.try_emplace(enqueued_[i].value, i);
    initial_ = table_.intern({});
  }
  [[nodiscard]] bool is_distinct() const { return number_.size() == enqueued_.size(); }

  StateId initial() override { return initial_; }
  [[nodiscard]] StateId initial_state() const { return initial_; }

  // What came out between the two states; none if nothing did.
  [[nodiscard]] std::optional<Value> taken(StateId before, StateId after) const {
    const FromBelow& was = table_[before].out;
    const FromBelow& is = table_[after].out;
    if (was.size() == is.size()) return std::nullopt;
    std::uint32_t number = was.low;
    while (was.has(number) || !is.has(number)) ++number;
    return enqueued_[number].value;
  }

  void step(StateId from, const Call& call, std::optional<Value> result,
            std::vector<StateId>& next) override {
    if (call.operation == insert_) {
      InAndOut state = table_[from];
      state.in.add(number_.at(call.args[0]));
      next.push_back(table_.intern(std::move(state)));
    } else if (!result) {
      take_any(from, next);
    } else if (result->is_null()) {
      if (is_empty(table_[from])) next.push_back(from);
    } else if (const auto it = number_.find(*result); it != number_.end()) {
      take(from, it->second, next);
    }
  }

  std::vector<Value> results(StateId, const Call&) override { return {}; }
  std::string describe(StateId) const override { return ""; }
  const Values& values() const override { return values_; }
  std::size_t count() const override { return table_.count(); }
  std::size_t memory() const override { return table_.memory(); }

 private:
  static bool is_empty(const InAndOut& state) { return state.in.size() == state.out.size(); }

  // The value inside whose enqueue returned first.
  static std::uint32_t first_inside(const InAndOut& state) {
    std::uint32_t first = state.out.low;
    while (!state.in.has(first) || state.out.has(first)) ++first;
    return first;
  }

  void take(StateId from, std::uint32_t number, std::vector<StateId>& next) {
    const InAndOut& state = table_[from];
    if (!state.in.has(number) || state.out.has(number)) return;
    if (enqueued_[first_inside(state)].ret < enqueued_[number].call) return;
    InAndOut after = state;
    after.out.add(number);
    next.push_back(table_.intern(std::move(after)));
  }

  // By a dequeue that never returned: whatever may come out, or nothing.
  void take_any(StateId from, std::vector<StateId>& next) {
    const std::uint32_t low = table_[from].out.low;
    const std::uint32_t end = table_[from].in.end();
    if (is_empty(table_[from])) return next.push_back(from);
    for (std::uint32_t number = low; number < end; ++number) take(from, number, next);
  }

  std::uint32_t insert_;
  std::vector<Enqueued> enqueued_;  // by return
  absl::flat_hash_map<Value, std::uint32_t> number_;
  StateTable<InAndOut> table_;
  const Values& values_;
  StateId initial_ = 0;
};

std::vector<Enqueued> enqueues_by_return(const Part& part) {
  std::vector<Enqueued> all;
  for (std::uint32_t at = 0; at < part.events.size(); ++at) {
    const OperationId id = part.events[at].operation();
    if (part.history->role(id) != Role::kInsert) continue;
    if (part.events[at].is_return()) {
      all[part.scratch[id]].ret = at;
    } else {
      part.scratch[id] = static_cast<std::uint32_t>(all.size());
      all.push_back({part.history->call(id).args[0], at, std::numeric_limits<std::uint32_t>::max()});
    }
  }
  std::ranges::sort(all, {}, [](const Enqueued& e) { return std::pair(e.ret, e.call); });
  return all;
}

// Takes the enqueues out of the places, and puts them back where they explain what came out.
class Settling {
 public:
  Settling(const Part& part, const LazyQueue& queue, std::span<const RelaxedPlace> places,
           std::span<const StateId> after)
      : part_(part), history_(*part.history) {
    for (std::uint32_t at = 0; at < part.events.size(); ++at) {
      if (!part.events[at].is_return()) part.scratch[part.events[at].operation()] = at;
    }
    StateId before = queue.initial_state();
    std::uint32_t called = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const OperationId id = places[i].legal;
      called = std::max(called, part.scratch[places[i].sequenced]);
      if (history_.role(id) == Role::kInsert) {
        enqueues_.try_emplace(history_.call(id).args[0], id);
      } else {
        dequeues_.push_back({places[i], called, queue.taken(before, after[i])});
      }
      before = after[i];
    }
  }

  std::vector<RelaxedPlace> run() {
    for (std::size_t i = 0; i < dequeues_.size(); ++i) {
      if (dequeues_[i].taken) put(enqueues_.extract(*dequeues_[i].taken).mapped());
      all_needed_by_now(i);
    }
    put_rest();
    return merge();
  }

 private:
  struct Dequeue {
    RelaxedPlace place;
    std::uint32_t called;        // the last call, among the events, of all placed up to here
    std::optional<Value> taken;  // none: it found nothing
  };
  struct Put {
    OperationId enqueue;
    std::size_t before;  // this dequeue
  };

  // As early as it may be: see the top of the header.
  void put(OperationId enqueue) {
    const std::uint32_t call = part_.scratch[enqueue];
    const auto in_time = std::ranges::lower_bound(dequeues_, call, {}, &Dequeue::called);
    earliest_ = std::max(earliest_, static_cast<std::size_t>(in_time - dequeues_.begin()));
    puts_.push_back({enqueue, earliest_});
  }
  void all_needed_by_now(std::size_t i) {
    if (!dequeues_[i].taken) earliest_ = std::max(earliest_, i + 1);
  }
  void put_rest() {
    std::vector<OperationId> rest;
    for (const auto& [value, enqueue] : enqueues_) rest.push_back(enqueue);
    std::ranges::sort(rest, {}, [&](OperationId id) { return std::pair(history_.history().ret(id), id); });
    for (const OperationId enqueue : rest) put(enqueue);
  }
  std::vector<RelaxedPlace> merge() {
    std::vector<RelaxedPlace> all;
    auto next = puts_.begin();
    for (std::size_t i = 0; i <= dequeues_.size(); ++i) {
      for (; next != puts_.end() && next->before <= i; ++next) all.push_back({next->enqueue, next->enqueue});
      if (i < dequeues_.size()) all.push_back(dequeues_[i].place);
    }
    return all;
  }

  const Part& part_;
  const BoundHistory& history_;
  absl::flat_hash_map<Value, OperationId> enqueues_;
  std::vector<Dequeue> dequeues_;
  std::vector<Put> puts_;
  std::size_t earliest_ = 0;
};

}  // namespace

std::unique_ptr<States> lazy_queue(const Part& part, const RelaxedBounds& relaxation) {
  const BoundHistory& history = *part.history;
  if (history.family() != Family::kQueue || !history.initial().is_null() || history.may_peek())
    return nullptr;
  const auto operations = history.model().operations();
  const auto insert = static_cast<std::uint32_t>(
      std::ranges::find(operations, Role::kInsert, &OperationSpec::role) - operations.begin());
  if (relaxation.k[insert] != 0) return nullptr;
  auto queue = std::make_unique<LazyQueue>(insert, enqueues_by_return(part), history.history().values());
  return queue->is_distinct() ? std::move(queue) : nullptr;
}

std::vector<RelaxedPlace> settle_enqueues(const Part& part, const States& queue,
                                          std::span<const RelaxedPlace> places,
                                          std::span<const StateId> after) {
  return Settling(part, static_cast<const LazyQueue&>(queue), places, after).run();
}

}  // namespace plumb
