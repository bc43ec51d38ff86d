#include "proof/relaxed_sweep.hpp"

#include <algorithm>
#include <memory>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

namespace plumb {
namespace {

struct Operation {
  OperationId id;
  std::uint32_t kind;    // of the model's operations
  std::uint32_t called;  // after so many returns
  std::uint32_t ret;     // which return; past the last for one that never comes
};

// Stands in one of the two orders only, at this place of its class.
struct Unpaired {
  std::uint32_t operation;
  std::uint32_t place;
  bool legal;  // in the legal history
};

struct Configuration {
  std::uint32_t returns = 0;  // passed
  StateId state = 0;
  std::vector<std::uint32_t> placed =
      {};  // in the sequentialization, beyond those that have returned; ascending
  std::vector<Unpaired> unpaired = {};    // by operation
  std::vector<std::uint32_t> count = {};  // places given to each kind
};

class RelaxedSweep {
 public:
  RelaxedSweep(const BoundHistory& history, std::span<const Event> events, const RelaxedBounds& relaxation)
      : history_(history), relaxation_(relaxation), states_(std::move(history.states().value())) {
    absl::flat_hash_map<OperationId, std::uint32_t> number;
    for (const Event event : events) {
      const OperationId id = event.operation();
      const auto returned = static_cast<std::uint32_t>(returning_.size());
      if (event.is_return()) {
        all_[number[id]].ret = returned;
        returning_.push_back(number[id]);
      } else {
        number[id] = static_cast<std::uint32_t>(all_.size());
        all_.push_back({id, history.operation(id), returned, kNever});
      }
    }
  }

  RelaxedSwept run(OperationId impossible, bool settled, std::uint64_t most) {
    settled_ = settled;
    std::uint32_t goal = 0;
    while (goal < returning_.size() && all_[returning_[goal]].id != impossible) ++goal;
    goal_ = goal + 1;
    Configuration first{.state = states_->initial()};
    first.count.resize(relaxation_.k.size());
    visit(std::move(first));
    while (!waiting_.empty() && !passed_) {
      if (seen_.size() > most) return RelaxedSwept::kGaveUp;
      const Configuration at = std::move(waiting_.back());
      waiting_.pop_back();
      go_on(at);
    }
    return passed_ ? RelaxedSwept::kPassed : RelaxedSwept::kStuck;
  }

 private:
  static constexpr std::uint32_t kNever = ~std::uint32_t{0};

  [[nodiscard]] bool is_placed(const Configuration& at, std::uint32_t op) const {
    return all_[op].ret < at.returns || std::ranges::binary_search(at.placed, op);
  }
  static const Unpaired* find(const Configuration& at, std::uint32_t op) {
    const auto it = std::ranges::find(at.unpaired, op, &Unpaired::operation);
    return it == at.unpaired.end() ? nullptr : &*it;
  }

  void go_on(const Configuration& at) {
    for (std::uint32_t op = 0; op < all_.size() && all_[op].called <= at.returns; ++op) {
      if (is_placed(at, op)) continue;
      if (relaxation_.k[all_[op].kind] == 0) {
        place(at, op, op);
      } else {
        place_beside_each(at, op);
      }
    }
  }

  // Those of its class that are not in the legal history; of the ones not called yet, those that can still come in time.
  void place_beside_each(const Configuration& at, std::uint32_t op) {
    const std::uint32_t kind = all_[op].kind;
    for (std::uint32_t other = 0; other < all_.size(); ++other) {
      if (all_[other].kind != kind) continue;
      if (all_[other].called > at.returns && must_come_before(at, other) > relaxation_.k[kind]) return;
      const Unpaired* unpaired = find(at, other);
      const bool legal = unpaired != nullptr ? unpaired->legal : is_placed(at, other);
      if (!legal) place(at, op, other);
    }
  }
  [[nodiscard]] std::uint32_t must_come_before(const Configuration& at, std::uint32_t op) const {
    std::uint32_t count = 0;
    for (std::uint32_t r = at.returns; r < all_[op].called; ++r) {
      count += all_[returning_[r]].kind == all_[op].kind && !is_placed(at, returning_[r]) ? 1 : 0;
    }
    return count;
  }

  void place(const Configuration& at, std::uint32_t op, std::uint32_t legal) {
    next_.clear();
    states_->step(at.state, history_.call(all_[legal].id), history_.result(all_[legal].id), next_);
    if (next_.empty()) return;
    Configuration after = at;
    const std::uint32_t here = after.count[all_[op].kind]++;
    if (op != legal && !(pair(after, op, here, false) && pair(after, legal, here, true))) return;
    after.placed.insert(std::ranges::lower_bound(after.placed, op), op);
    while (after.returns < returning_.size() &&
           std::ranges::binary_search(after.placed, returning_[after.returns])) {
      std::erase(after.placed, returning_[after.returns++]);
    }
    for (const StateId state : next_) {
      Configuration one = after;
      one.state = state;
      visit(std::move(one));
    }
  }

  // Its place in one order: false if the one in the other is too far away.
  [[nodiscard]] bool pair(Configuration& at, std::uint32_t op, std::uint32_t here, bool legal) const {
    if (const Unpaired* other = find(at, op)) {
      if (here - other->place > relaxation_.k[all_[op].kind]) return false;
      std::erase_if(at.unpaired, [&](const Unpaired& one) { return one.operation == op; });
      return true;
    }
    at.unpaired.push_back({op, here, legal});
    std::ranges::sort(at.unpaired, {}, &Unpaired::operation);
    return true;
  }

  void visit(Configuration at) {
    for (const Unpaired& one : at.unpaired) {  // can it still be paired?
      const std::uint32_t kind = all_[one.operation].kind;
      const std::uint32_t before = one.legal ? must_come_before(at, one.operation) : 0;
      if (at.count[kind] + before - one.place > relaxation_.k[kind]) return;
    }
    if (at.returns >= goal_ && (!settled_ || at.unpaired.empty())) passed_ = true;
    if (seen_.insert(key(at)).second) waiting_.push_back(std::move(at));
  }
  static std::vector<std::uint32_t> key(const Configuration& at) {
    std::vector<std::uint32_t> words = {at.returns, at.state, static_cast<std::uint32_t>(at.placed.size())};
    words.insert(words.end(), at.placed.begin(), at.placed.end());
    for (const Unpaired& one : at.unpaired) {
      words.push_back(one.operation);
      words.push_back(one.place);
    }
    return words;
  }

  const BoundHistory& history_;
  const RelaxedBounds& relaxation_;
  std::unique_ptr<States> states_;
  std::vector<Operation> all_;            // by call
  std::vector<std::uint32_t> returning_;  // by return
  std::uint32_t goal_ = 0;                // returns to pass
  bool settled_ = false;                  // nothing may be unpaired then
  bool passed_ = false;
  std::vector<StateId> next_;
  std::vector<Configuration> waiting_;
  absl::flat_hash_set<std::vector<std::uint32_t>> seen_;
};

}  // namespace

RelaxedSwept sweep_relaxed(const BoundHistory& history, std::span<const Event> events,
                           const RelaxedBounds& relaxation, OperationId impossible, bool settled,
                           std::uint64_t most_configurations) {
  return RelaxedSweep(history, events, relaxation).run(impossible, settled, most_configurations);
}

}  // namespace plumb
