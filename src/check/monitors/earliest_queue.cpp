// What makes a queue impossible (monitor_queue.cpp) is at each return a matter of that return and of what came before, even if
// the history is cut there and what is open need not have happened:
//   - who removes what was never inserted, or not yet;
//   - who removes b, though a was in before b was inserted and the removal of a is not called yet;
//   - who finds it empty, though at each moment some value is surely inside. (A value whose removal is open is not, from that
//     call on; and if it cannot come out because another is before it, that one is inside all the time.)
// So the earliest is the first return at which one of them holds, in one pass over the values.
#include "check/monitors/earliest_queue.hpp"

#include <algorithm>
#include <array>

#include "check/monitors/empties.hpp"
#include "check/monitors/lifetimes.hpp"

namespace plumb {
namespace {

class QueueFaults {
 public:
  explicit QueueFaults(const Part& part) : part_(part), lives_(Lifetimes::of(part)) {}

  std::optional<MonitorVerdict> first() {
    const bool twice = std::ranges::count_if(lives_.impossible, [&](OperationId id) {
                         return part_.history->role(id) == Role::kRemove;
                       }) == 2;
    if (!lives_.unsuitable.empty() || !lives_.pending.empty() || twice) return std::nullopt;
    look_at_values();
    look_at_order();
    look_at_empties();
    if (core_.empty()) return std::nullopt;
    MonitorVerdict verdict = MonitorVerdict::violation(std::move(core_));
    verdict.late = part_.events[at_].operation();
    verdict.late_is_first = true;
    return verdict;
  }

 private:
  [[nodiscard]] static std::vector<OperationId> operations_of(const Lifetime& l) {
    std::vector<OperationId> both;
    if (l.insertion() != Lifetime::kNoOperation) both.push_back(l.insertion());
    if (l.removal() != Lifetime::kNoOperation) both.push_back(l.removal());
    return both;
  }
  void note(std::uint32_t at, std::span<const Lifetime* const> values) {
    at_ = at;
    core_.clear();
    for (const Lifetime* l : values) {
      const auto both = operations_of(*l);
      core_.insert(core_.end(), both.begin(), both.end());
    }
  }

  void look_at_values() {
    for (const Lifetime& l : lives_.values) {
      const bool early = l.insertion() == Lifetime::kNoOperation || l.rr() < l.ic();
      if (early && l.rr() < at_) note(l.rr(), std::array{&l});
    }
  }

  void look_at_order() {
    const Lifetime* last = nullptr;  // of those that are in by now, the one whose removal is called last
    for (const Event event : part_.events) {
      const std::uint32_t who = lives_.who[event.operation()];
      if (who >= Lifetimes::kEmpty) continue;
      const Lifetime& l = lives_.values[who / 2];
      switch (Lifetimes::moment(who, event)) {
        case Lifetime::kInsertReturn:
          if (last == nullptr || l.rc() > last->rc()) last = &l;
          break;
        case Lifetime::kInsertCall:
          if (last != nullptr && last->rc() > l.rr() && l.rr() < at_) note(l.rr(), std::array{last, &l});
          break;
        default:
          break;
      }
    }
  }

  void look_at_empties() {
    std::vector<Placed> placed;
    const EmptyRemoval* blocked =
        place_empties(lives_.empties_by_return(), lives_.values, part_.events.size(), placed);
    if (blocked == nullptr || blocked->ret >= at_) return;
    std::vector<const Lifetime*> values;
    for (const std::uint32_t v : values_that_block(*blocked, lives_.values))
      values.push_back(&lives_.values[v]);
    note(blocked->ret, values);
    core_.push_back(blocked->operation);
  }

  const Part& part_;
  Lifetimes lives_;
  std::uint32_t at_ = kGone;  // the earliest impossible return so far
  std::vector<OperationId> core_;
};

}  // namespace

std::optional<MonitorVerdict> earliest_of_queue(const Part& part) { return QueueFaults(part).first(); }

}  // namespace plumb
