// A queue with two ends; an empty one gives null.
#include <algorithm>
#include <array>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "spec/models.hpp"
#include "spec/typed_model.hpp"

namespace plumb {
namespace {

class Deque {
 public:
  enum Operation : std::uint32_t { kPushFront, kPushBack, kPopFront, kPopBack, kPeekFront, kPeekBack };
  using State = std::vector<Value>;  // front first
  static constexpr std::string_view kName = "deque";
  static constexpr Family kFamily = Family::kDeque;
  static constexpr std::string_view kSummary =
      "a queue with two ends; pop and peek of an empty one return null";

  static std::vector<OperationSpec> operations() {
    return {{"push_front", {}, {Takes::kNotNull}, Returns::kNothing, Effect::kMayChange, Role::kInsertFront},
            {"push_back", {}, {Takes::kNotNull}, Returns::kNothing, Effect::kMayChange, Role::kInsertBack},
            {"pop_front", {}, {}, Returns::kAny, Effect::kUnlessNull, Role::kRemoveFront},
            {"pop_back", {}, {}, Returns::kAny, Effect::kUnlessNull, Role::kRemoveBack},
            {"peek_front", {"front"}, {}, Returns::kAny, Effect::kNeverChanges, Role::kPeekFront},
            {"peek_back", {"back"}, {}, Returns::kAny, Effect::kNeverChanges, Role::kPeekBack}};
  }

  Result<State> initial(const Values& values, Value given) {
    auto items = initial_items(kName, values, given);
    begins_empty_ = items && items->empty();
    return items;
  }

  static std::optional<Value> result(const State& items, const Call& call, Values&) {
    if (call.operation == kPushFront || call.operation == kPushBack || items.empty()) return kNull;
    return call.operation == kPopFront || call.operation == kPeekFront ? items.front() : items.back();
  }

  static void update(State& items, const Call& call, Values&) {
    switch (call.operation) {
      case kPushFront:
        items.insert(items.begin(), call.args[0]);
        break;
      case kPushBack:
        items.push_back(call.args[0]);
        break;
      case kPopFront:
        items.erase(items.begin());
        break;
      default:
        items.pop_back();
    }
  }

  // A wrong order of two concurrent pushes would show only when the values come out. Where no value is pushed
  // twice, it shows at once: what lies between a value and the end that it is popped from has to come out of
  // that end, too, and earlier; so none of it may be there whose pop at that end begins after the value is
  // out. Only what returns before `until` has to happen by then; a value whose pop need not, a pending one may take.
  void look_ahead(std::span<const Lookahead> operations, std::uint32_t until) {
    out_.clear();
    others_ = {};
    if (!begins_empty_) return;  // what is inside already may be pushed once more
    absl::flat_hash_set<Value> pushed;
    for (const Lookahead& f : operations) {
      if (f.call.operation == kPushFront || f.call.operation == kPushBack) {
        if (!pushed.insert(f.call.args[0]).second) return out_.clear();
      } else if (f.call.operation == kPeekFront || f.call.operation == kPeekBack) {
        continue;
      } else if (!f.result) {
        std::uint32_t& from = others_.from[end_of(f.call)];
        from = std::min(from, f.returns_before);
      } else if (!f.result->is_null() && f.returns_before < until) {
        out_[*f.result].add(f, until);
      }
    }
    for (auto& [value, out] : out_) out.complete(others_);
  }

  [[nodiscard]] bool is_dead_end(const State& items) const {
    return !out_.empty() &&
           (is_stuck(items.begin(), items.end(), kFront) || is_stuck(items.rbegin(), items.rend(), kBack));
  }

  static std::string describe(const State& items, const Values& values) { return list_items(items, values); }

 private:
  static constexpr std::uint32_t kNever = ~std::uint32_t{0};
  enum End : std::uint8_t { kFront, kBack };
  static End end_of(const Call& call) { return call.operation == kPopFront ? kFront : kBack; }

  // When a value can come out, by end. Moments are counted in returns.
  struct Out {
    std::array<std::uint32_t, 2> from = {kNever, kNever};  // how many come before the call of its pop
    std::array<std::uint32_t, 2> ret = {kNever, kNever};   // the return by which it has to

    void add(const Lookahead& pop, std::uint32_t until) {
      const End end = end_of(pop.call);
      from[end] = std::min(from[end], pop.returns_before);
      if (pop.ret < until) ret[end] = std::min(ret[end], pop.ret);
    }
    // Where it has to come out of one end, it cannot come out of the other; where of none, it may of either.
    void complete(const Out& others) {
      for (const End end : {kFront, kBack}) {
        const End other = end == kFront ? kBack : kFront;
        if (ret[end] != kNever) continue;
        from[end] = ret[other] != kNever ? kNever : std::min(from[end], others.from[end]);
      }
    }
  };

  template <class Iterator>
  [[nodiscard]] bool is_stuck(Iterator first, Iterator last, End end) const {
    std::uint32_t latest = 0;  // the return after which the last pop of the values before begins
    for (; first != last; ++first) {
      const auto it = out_.find(*first);
      const Out& out = it == out_.end() ? others_ : it->second;
      if (out.ret[end] < latest) return true;
      latest = std::max(latest, out.from[end]);
    }
    return false;
  }

  absl::flat_hash_map<Value, Out> out_;  // by value that comes out
  Out others_;                           // of every other
  bool begins_empty_ = true;
};

}  // namespace

const Model& deque_model() {
  static const TypedModel<Deque> model;
  return model;
}

}  // namespace plumb
