// A queue, first in, first out; an empty one gives null.
#include <algorithm>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "spec/models.hpp"
#include "spec/typed_model.hpp"

namespace plumb {
namespace {

class Queue {
 public:
  enum Operation : std::uint32_t { kEnqueue, kDequeue, kPeek };
  using State = std::vector<Value>;  // oldest first
  static constexpr std::string_view kName = "queue";
  static constexpr Family kFamily = Family::kQueue;
  static constexpr std::string_view kSummary =
      "first in, first out; dequeue and peek of an empty queue return null";

  static std::vector<OperationSpec> operations() {
    return {{"enqueue",
             {"enq", "push", "add"},
             {Takes::kNotNull},
             Returns::kNothing,
             Effect::kMayChange,
             Role::kInsert},
            {"dequeue", {"deq", "pop", "remove"}, {}, Returns::kAny, Effect::kUnlessNull, Role::kRemove},
            {"peek", {"front"}, {}, Returns::kAny, Effect::kNeverChanges, Role::kPeek}};
  }

  Result<State> initial(const Values& values, Value given) {
    auto items = initial_items(kName, values, given);
    begins_empty_ = items && items->empty();
    return items;
  }

  static std::optional<Value> result(const State& items, const Call& call, Values&) {
    if (call.operation == kEnqueue || items.empty()) return kNull;
    return items.front();
  }

  static void update(State& items, const Call& call, Values&) {
    if (call.operation == kEnqueue) {
      items.push_back(call.args[0]);
    } else {
      items.erase(items.begin());
    }
  }

  // A wrong order of two concurrent enqueues would show only when the values come out. Where no value is
  // enqueued twice, it shows at once: the later value of a state must not be out before the dequeue of the
  // earlier one begins.
  // Only what returns before `until` has to happen by then; a value whose dequeue need not, a pending one may take.
  void look_ahead(std::span<const Lookahead> operations, std::uint32_t until) {
    out_.clear();
    stays_until_ = kNever;
    if (!begins_empty_) return;  // what is inside already may be enqueued once more
    for (const Lookahead& f : operations) {
      if (f.call.operation == kDequeue && !f.result) stays_until_ = std::min(stays_until_, f.returns_before);
    }
    absl::flat_hash_set<Value> enqueued;
    for (const Lookahead& f : operations) {
      if (f.call.operation == kEnqueue) {
        if (!enqueued.insert(f.call.args[0]).second) return out_.clear();
      } else if (f.call.operation == kDequeue && f.result && !f.result->is_null() &&
                 f.returns_before < until) {
        const bool has_to = f.ret < until;
        out_.try_emplace(*f.result, Out{has_to ? f.returns_before : std::min(f.returns_before, stays_until_),
                                        has_to ? f.ret : kNever});
      }
    }
  }

  [[nodiscard]] bool is_dead_end(const State& items) const {
    if (out_.empty()) return false;
    std::uint32_t latest = 0;  // the return after which the last dequeue of the values before begins
    for (const Value item : items) {
      const auto it = out_.find(item);
      const Out out = it == out_.end() ? Out{stays_until_, kNever} : it->second;
      if (out.ret < latest) return true;
      latest = std::max(latest, out.from);
    }
    return false;
  }

  class Sequential {
   public:
    Sequential(const State& initial, const Queue&, const Values&)
        : items_(initial.begin(), initial.end()), end_(items_.size()) {}

    // Which of them it is, is as good as random in a long order: no branch.
    Value apply(const Call& call, const Values&) {
      if (end_ == items_.size()) make_room();
      const bool enqueues = call.operation == kEnqueue;
      const bool finds = !enqueues && first_ != end_;
      items_[end_] = *(enqueues ? call.args.data() : &kNull);
      const Value found = Value::from_bits(items_[first_].bits() & (finds ? ~std::uint32_t{0} : 0));
      end_ += enqueues ? 1 : 0;
      first_ += finds && call.operation == kDequeue ? 1 : 0;
      return found;
    }

   private:
    void make_room() {
      constexpr std::size_t kLeast = 64;
      const auto begin = items_.begin();
      std::copy(begin + static_cast<std::ptrdiff_t>(first_), items_.end(), begin);
      end_ -= std::exchange(first_, 0);
      items_.resize(std::max({items_.size(), 2 * end_, kLeast}));
    }

    std::vector<Value> items_;  // with room for more
    std::size_t first_ = 0;     // what stands before it has been taken out
    std::size_t end_;
  };

  static std::string describe(const State& items, const Values& values) { return list_items(items, values); }

 private:
  static constexpr std::uint32_t kNever = ~std::uint32_t{0};
  struct Out {
    std::uint32_t from;  // how many returns come before the call of its dequeue
    std::uint32_t ret;   // the return of its dequeue
  };
  absl::flat_hash_map<Value, Out> out_;
  std::uint32_t stays_until_ = kNever;
  bool begins_empty_ = true;
};

}  // namespace

const Model& queue_model() {
  static const TypedModel<Queue> model;
  return model;
}

}  // namespace plumb
