#include "proof/queue_sweep.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

namespace plumb {
namespace {

constexpr std::uint32_t kNever = ~std::uint32_t{0};

struct Timed {
  std::uint32_t call;
  std::uint32_t ret;           // kNever: not among the events
  std::optional<Value> value;  // null: it found nothing; none: its result is not known
};

// What an order of one kind of operations has begun with: all that return before some return, and some of
// those that are open then, ascending.
struct Begun {
  std::uint32_t returned = 0;
  std::vector<std::uint32_t> open;
  friend bool operator==(const Begun&, const Begun&) = default;
  template <class H>
  friend H AbslHashValue(H h, const Begun& b) {
    return H::combine(std::move(h), b.returned, b.open);
  }
};

// The operations of one kind.
class Kind {
 public:
  void add(Timed operation) { operations_.push_back(operation); }

  // When all are there, by call.
  void lay_out() {
    for (std::uint32_t i = 0; i < operations_.size(); ++i) {
      if (operations_[i].ret != kNever) returning_.push_back(i);
    }
    std::ranges::sort(returning_, {}, [&](std::uint32_t i) { return operations_[i].ret; });
    std::vector<std::uint32_t> open;
    std::uint32_t called = 0;
    std::uint32_t last = 0;
    for (std::size_t r = 0; r <= returning_.size(); ++r) {
      const std::uint32_t until = r < returning_.size() ? operations_[returning_[r]].ret : kNever;
      while (called < operations_.size() && operations_[called].call < until) open.push_back(called++);
      open_.push_back(open);
      last_call_.push_back(last);
      if (r == returning_.size()) break;
      std::erase(open, returning_[r]);
      last = std::max(last, operations_[returning_[r]].call);
    }
  }

  [[nodiscard]] const Timed& operator[](std::uint32_t i) const { return operations_[i]; }
  [[nodiscard]] bool has_all_returned(const Begun& begun) const {
    return begun.returned == returning_.size();
  }
  [[nodiscard]] std::vector<std::uint32_t> next(const Begun& begun) const {
    std::vector<std::uint32_t> enabled;
    std::ranges::set_difference(open_[begun.returned], begun.open, std::back_inserter(enabled));
    return enabled;
  }
  [[nodiscard]] Begun with(Begun begun, std::uint32_t operation) const {
    begun.open.insert(std::ranges::lower_bound(begun.open, operation), operation);
    while (begun.returned < returning_.size()) {
      const auto it = std::ranges::find(begun.open, returning_[begun.returned]);
      if (it == begun.open.end()) break;
      begun.open.erase(it);
      ++begun.returned;
    }
    return begun;
  }
  // Of those that it has.
  [[nodiscard]] std::uint32_t last_call(const Begun& begun) const {
    std::uint32_t last = last_call_[begun.returned];
    for (const std::uint32_t i : begun.open) last = std::max(last, operations_[i].call);
    return last;
  }
  // Of those that it does not have.
  [[nodiscard]] std::uint32_t first_return(const Begun& begun) const {
    return has_all_returned(begun) ? kNever : operations_[returning_[begun.returned]].ret;
  }

 private:
  std::vector<Timed> operations_;
  std::vector<std::uint32_t> returning_;          // by return
  std::vector<std::vector<std::uint32_t>> open_;  // by the number of returns passed: open at the next one
  std::vector<std::uint32_t> last_call_;          // likewise: of what has returned
};

class QueueSweep {
 public:
  QueueSweep(const BoundHistory& history, std::span<const Event> events) {
    std::uint32_t at = 1;
    if (history.history().values().kind(history.initial()) == ValueKind::kArray) {
      for (const Value item : history.history().values().as_array(history.initial())) {
        in_.add({at, at + 1, item});
        at += 2;
      }
    }
    absl::flat_hash_map<OperationId, std::uint32_t> returns;
    for (std::uint32_t i = 0; i < events.size(); ++i) {
      if (events[i].is_return()) returns[events[i].operation()] = at + i;
    }
    for (std::uint32_t i = 0; i < events.size(); ++i) {
      if (events[i].is_return()) continue;
      const OperationId id = events[i].operation();
      const auto ret = returns.find(id);
      const bool inserts = history.role(id) == Role::kInsert;
      const std::optional<Value> value = inserts ? history.history().args(id)[0] : history.result(id);
      (inserts ? in_ : out_).add({at + i, ret == returns.end() ? kNever : ret->second, value});
    }
    in_.lay_out();
    out_.lay_out();
  }

  // One more of each at a time.
  FamilySwept run(std::uint64_t most) {
    absl::flat_hash_set<Pair> now = {{}};
    for (std::uint64_t met = 0; !now.empty(); met += now.size()) {
      switch (take_empties(now, most - std::min(most, met))) {
        case FamilySwept::kPassed:
          return FamilySwept::kPassed;
        case FamilySwept::kGaveUp:
          return FamilySwept::kGaveUp;
        case FamilySwept::kStuck:
          break;
      }
      absl::flat_hash_set<Pair> next;
      for (const Pair& pair : now) {
        extend(pair, next);
        if (met + now.size() + next.size() > most) return FamilySwept::kGaveUp;
      }
      now = std::move(next);
    }
    return FamilySwept::kStuck;
  }

 private:
  struct Pair {
    Begun in;
    Begun out;
    friend bool operator==(const Pair&, const Pair&) = default;
    template <class H>
    friend H AbslHashValue(H h, const Pair& p) {
      return H::combine(std::move(h), p.in, p.out);
    }
  };

  // Removals that find nothing, in every order. kPassed: every removal that returned is there; kStuck: in none.
  FamilySwept take_empties(absl::flat_hash_set<Pair>& pairs, std::uint64_t most) const {
    std::vector<Pair> waiting(pairs.begin(), pairs.end());
    while (!waiting.empty()) {
      const Pair pair = std::move(waiting.back());
      waiting.pop_back();
      if (out_.has_all_returned(pair.out)) return FamilySwept::kPassed;
      if (pairs.size() > most) return FamilySwept::kGaveUp;
      for (const std::uint32_t removal : out_.next(pair.out)) {
        if (out_[removal].value != kNull || !finds_nothing(pair, out_[removal])) continue;
        Pair with = {pair.in, out_.with(pair.out, removal)};
        if (pairs.insert(with).second) waiting.push_back(std::move(with));
      }
    }
    return FamilySwept::kStuck;
  }
  [[nodiscard]] bool finds_nothing(const Pair& pair, const Timed& removal) const {
    const std::uint32_t last = std::max(out_.last_call(pair.out), removal.call);
    return removal.ret > in_.last_call(pair.in) && in_.first_return(pair.in) > last;
  }

  void extend(const Pair& pair, absl::flat_hash_set<Pair>& next) const {
    for (const std::uint32_t insertion : in_.next(pair.in)) {
      const Begun in = in_.with(pair.in, insertion);
      for (const std::uint32_t removal : out_.next(pair.out)) {
        const Timed& taker = out_[removal];
        const bool fits = !taker.value || *taker.value == *in_[insertion].value;
        if (fits && taker.ret > in_.last_call(in)) next.insert({in, out_.with(pair.out, removal)});
      }
    }
  }

  Kind in_;
  Kind out_;
};

}  // namespace

FamilySwept sweep_queue(const BoundHistory& history, std::span<const Event> events, std::uint64_t pairs) {
  return QueueSweep(history, events).run(pairs);
}

}  // namespace plumb
