#include "proof/stack_sweep.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

namespace plumb {
namespace {

using Mask = std::uint64_t;  // open operations, by slot
constexpr std::size_t kMostOpen = 64;

constexpr Mask bit(std::size_t slot) { return Mask{1} << slot; }

struct Open {
  bool pushes = false;
  std::optional<Value> value;  // of a pop: null, it found nothing; none, its result is not known
};

using Element = std::uint32_t;
constexpr Element kBottom = 0;  // below all elements

struct Configuration {
  Mask done = 0;
  Element top = kBottom;
  friend bool operator==(const Configuration&, const Configuration&) = default;
  template <class H>
  friend H AbslHashValue(H h, const Configuration& c) {
    return H::combine(std::move(h), c.done, c.top);
  }
};

class StackSweep {
 public:
  StackSweep(const BoundHistory& history, std::span<const Event> events, std::uint64_t most)
      : history_(history), events_(events), most_(most), elements_(1), frontier_(1) {
    const Values& values = history.history().values();
    if (values.kind(history.initial()) != ValueKind::kArray) return;
    for (const Value item : values.as_array(history.initial())) {
      elements_.push_back({item, {frontier_[0].top}});
      frontier_[0].top = static_cast<Element>(elements_.size() - 1);
    }
  }

  FamilySwept run() {
    for (const Event event : events_) {
      const OperationId id = event.operation();
      if (!event.is_return()) {
        if (used_ == ~Mask{0}) return FamilySwept::kGaveUp;
        call(id);
        continue;
      }
      const std::size_t slot = slot_of_[id];
      extend_until(slot);
      if (met_in_all_ > most_) return FamilySwept::kGaveUp;
      if (arrived_.empty()) return FamilySwept::kStuck;
      used_ &= ~bit(slot);
      frontier_.assign(arrived_.begin(), arrived_.end());
      for (Configuration& c : frontier_) c.done &= ~bit(slot);
    }
    return FamilySwept::kPassed;
  }

 private:
  struct Stacked {
    Value value;
    std::vector<Element> below;  // any of them can be
  };

  void call(OperationId id) {
    const auto slot = static_cast<std::size_t>(std::countr_one(used_));
    used_ |= bit(slot);
    slot_of_[id] = slot;
    const bool pushes = history_.role(id) == Role::kInsert;
    open_[slot] = {pushes, pushes ? history_.history().args(id)[0] : history_.result(id)};
  }

  // Every order of open operations up to the one in `slot`.
  void extend_until(std::size_t slot) {
    last_ = bit(slot);
    met_.clear();
    arrived_.clear();
    pushed_.clear();
    popped_.clear();
    first_pushed_ = static_cast<Element>(elements_.size());
    for (const Configuration c : frontier_) meet(c);
    while (!waiting_.empty() && met_in_all_ <= most_) {
      const Configuration c = waiting_.back();
      waiting_.pop_back();
      for (Mask rest = used_ & ~c.done; rest != 0; rest &= rest - 1) take(c, rest & -rest);
    }
  }
  void meet(Configuration c) {
    if (!((c.done & last_) != 0 ? arrived_ : met_).insert(c).second) return;
    ++met_in_all_;
    if ((c.done & last_) == 0) waiting_.push_back(c);
  }

  void take(Configuration c, Mask operation) {
    const Open& open = open_[static_cast<std::size_t>(std::countr_zero(operation))];
    const Mask done = c.done | operation;
    if (open.pushes) return push(c, operation, *open.value);
    const bool finds_nothing = open.value && open.value->is_null();
    if (c.top == kBottom) {
      if (finds_nothing || !open.value) meet({done, kBottom});
    } else if (!open.value || (!finds_nothing && *open.value == elements_[c.top].value)) {
      if (c.top >= first_pushed_) popped_[c.top - first_pushed_].push_back(done);
      for (const Element below : elements_[c.top].below) meet({done, below});
    }
  }
  // It is one element for all that lies below at this place of the search.
  void push(Configuration c, Mask operation, Value value) {
    const Mask done = c.done | operation;
    const auto [it, is_new] =
        pushed_.try_emplace(std::pair(done, operation), static_cast<Element>(elements_.size()));
    const Element element = it->second;
    if (is_new) {
      elements_.push_back({value, {}});
      popped_.emplace_back();
    }
    std::vector<Element>& below = elements_[element].below;
    if (std::ranges::find(below, c.top) != below.end()) return;
    below.push_back(c.top);
    ++met_in_all_;
    for (const Mask popped : popped_[element - first_pushed_]) meet({popped, c.top});
    meet({done, element});
  }

  const BoundHistory& history_;
  std::span<const Event> events_;
  std::uint64_t most_;
  std::uint64_t met_in_all_ = 0;
  absl::flat_hash_map<OperationId, std::size_t> slot_of_;
  Open open_[kMostOpen];
  Mask used_ = 0;
  Mask last_ = 0;  // the operation that returns
  std::vector<Stacked> elements_;
  std::vector<Configuration> frontier_;
  absl::flat_hash_set<Configuration> met_;      // while a return is awaited: it has not taken effect
  absl::flat_hash_set<Configuration> arrived_;  // it has
  absl::flat_hash_map<std::pair<Mask, Mask>, Element>
      pushed_;                             // at this return: by what has taken effect, and the push
  Element first_pushed_ = 0;               // of these
  std::vector<std::vector<Mask>> popped_;  // of these: what has taken effect after each pop
  std::vector<Configuration> waiting_;
};

}  // namespace

FamilySwept sweep_stack(const BoundHistory& history, std::span<const Event> events,
                        std::uint64_t configurations) {
  return StackSweep(history, events, configurations).run();
}

}  // namespace plumb
