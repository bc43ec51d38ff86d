// The core of a monitor says that some return is impossible. Whether an earlier one is, the monitor is asked again, about all
// before it: mostly not, and one more pass is all. If so, there is a new core and an earlier return; then halves are tried in
// turn, so that many faults cost no more passes than a logarithm.
#include "check/earliest.hpp"

#include <algorithm>

#include <absl/container/flat_hash_set.h>

#include "check/cut.hpp"
#include "check/frontier/frontier.hpp"
#include "check/reason.hpp"

namespace plumb {
namespace {

constexpr std::size_t kSearched =
    20'000;  // events of a core, or of a part, that are searched for what they tell

// An impossible return, and why.
struct Impossible {
  std::size_t position = 0;                     // of the return among the events of the part
  std::vector<Event> core;                      // up to it
  std::optional<DeadEnd> stuck = std::nullopt;  // what the search says of it, if it was asked
};

class Earliest {
 public:
  Earliest(const Part& part, const SearchLimits& limits) : part_(part), limits_(limits) {}

  PartVerdict run(const MonitorVerdict& violation) {
    const bool lost = has_lost_removals();
    if (lost) {
      PartVerdict whole = search_whole();
      if (whole.outcome == Outcome::kHolds) return whole;
      if (whole.outcome == Outcome::kViolation) prefer(violation, whole);
      if (whole.outcome == Outcome::kViolation || whole.spent != StopReason::kRound) return whole;
    }
    auto found = dead_end(violation.core, violation.late, part_.events.size());
    if (!found) return spent_ == StopReason::kNothing ? explained() : PartVerdict::unknown(spent_);
    if (lost) return describe(std::move(*found));
    Impossible earliest = *found;
    if (!violation.late_is_first) go_back(earliest);
    PartVerdict verdict = describe(std::move(earliest));
    // Going back is not worth a doubt in the verdict: if the search gets past that return, the core of the monitor stands.
    if (verdict.outcome != Outcome::kViolation || !explain_whole_part(verdict))
      return describe(std::move(*found));
    return verdict;
  }

 private:
  // The search contradicts the monitor.
  static PartVerdict explained() {
    PartVerdict verdict;
    verdict.outcome = Outcome::kHolds;
    return verdict;
  }

  // One that never returned may have taken any value. The core of a monitor says nothing of what it left to them, and need
  // not be stuck where the whole is: so the search is asked first.
  [[nodiscard]] bool has_lost_removals() const {
    const BoundHistory& history = *part_.history;
    if (history.history().pending() == 0) return false;
    return std::ranges::any_of(part_.events, [&](Event event) {
      const OperationId id = event.operation();
      return history.history().is_pending(id) && history.spec(id).effect == Effect::kUnlessNull;
    });
  }

  [[nodiscard]] Part some(std::span<const Event> events) const {
    return {.history = part_.history, .events = events, .positions = {}, .scratch = part_.scratch};
  }
  [[nodiscard]] PartVerdict search(std::span<const Event> events, std::uint64_t configurations) const {
    SearchLimits limits = limits_;
    limits.watch = nullptr;
    limits.configurations = configurations;
    return search_wgl(some(events), *fresh_states(*part_.history), limits);
  }
  // By frontiers, where they come first for the family.
  [[nodiscard]] PartVerdict search_whole() const {
    const std::uint64_t enough = enough_for(part_.events);
    const FamilyFrontiers* frontiers = find_frontier_search(part_.history->family());
    if (frontiers != nullptr && frontiers->comes_first) {
      SearchLimits limits = limits_;
      limits.watch = nullptr;
      limits.configurations = enough;
      PartVerdict verdict = frontiers->search(part_, limits);
      if (verdict.why_not.empty()) return verdict;
    }
    PartVerdict verdict = search(part_.events, enough);
    if (verdict.outcome == Outcome::kViolation)
      verdict.core = core_of_dead_end(part_, verdict.stuck.operation);
    return verdict;
  }
  [[nodiscard]] static std::uint64_t enough_for(std::span<const Event> events) {
    return 100'000 + 4 * events.size();
  }
  [[nodiscard]] std::size_t position_of(OperationId returning) const {
    return static_cast<std::size_t>(std::ranges::find(part_.events, Event::ret(returning)) -
                                    part_.events.begin());
  }

  // The core of the monitor, if that is stuck at the same return.
  void prefer(const MonitorVerdict& violation, PartVerdict& whole) {
    auto found = dead_end(violation.core, violation.late, part_.events.size());
    if (found && found->stuck && found->stuck->operation == whole.stuck.operation)
      whole.core = std::move(found->core);
  }

  // Where a core leads to, of events before `end`. The search goes over it from nothing, and must come to the same verdict; none:
  // it does not.
  std::optional<Impossible> dead_end(const std::vector<OperationId>& operations,
                                     std::optional<OperationId> late, std::size_t end) {
    const absl::flat_hash_set<OperationId> wanted(operations.begin(), operations.end());
    Impossible found;
    for (const Event event : part_.events.first(end)) {
      if (wanted.contains(event.operation())) found.core.push_back(event);
    }
    const auto last = std::ranges::find_if(found.core.rbegin(), found.core.rend(), &Event::is_return);
    if (last == found.core.rend()) return std::nullopt;
    OperationId impossible = last->operation();
    if (late && std::ranges::find(found.core, Event::ret(*late)) != found.core.end()) impossible = *late;
    if (found.core.size() <= kSearched) {
      PartVerdict verdict = search(found.core, enough_for(found.core));
      if (verdict.outcome == Outcome::kHolds) return std::nullopt;
      if (verdict.outcome == Outcome::kViolation) {
        impossible = verdict.stuck.operation;
        found.stuck = std::move(verdict.stuck);
      } else if (verdict.spent != StopReason::kRound) {
        spent_ = verdict.spent;
        return std::nullopt;
      }
    }
    found.position = position_of(impossible);
    found.core = core_of_dead_end(some(found.core), impossible);
    return found;
  }

  void go_back(Impossible& found) {
    std::size_t passed = 0;  // events that are known to be linearizable
    for (bool all = true; passed < found.position; all = !all) {
      const std::size_t half = passed + (found.position - passed) / 2;
      const std::size_t end = all || half == passed ? found.position : half;
      if (limits_.budget->spent(limits_.rank) != StopReason::kNothing) return;
      const CutVerdict cut = judge(part_.events.first(end));
      if (cut.outcome == Outcome::kUnknown) return;
      if (cut.outcome == Outcome::kHolds) {
        passed = end;
        continue;
      }
      auto earlier = dead_end(cut.core, cut.late, end);
      if (!earlier) return;
      found = std::move(*earlier);
    }
  }

  [[nodiscard]] CutVerdict judge(std::span<const Event> events) const {
    CutVerdict cut = judge_cut(*part_.history, events);
    if (cut.outcome != Outcome::kUnknown) return cut;
    const PartVerdict verdict = search(events, enough_for(events));
    cut.outcome = verdict.outcome;
    if (verdict.outcome == Outcome::kViolation) {
      for (const Event event : core_of_dead_end(some(events), verdict.stuck.operation)) {
        if (!event.is_return()) cut.core.push_back(event.operation());
      }
      cut.late = verdict.stuck.operation;
    }
    return cut;
  }

  PartVerdict describe(Impossible found) {
    PartVerdict verdict;
    if (!found.stuck) {
      verdict = search(found.core, enough_for(found.core));
      if (verdict.outcome == Outcome::kHolds) return explained();
      if (verdict.outcome == Outcome::kUnknown && verdict.spent != StopReason::kRound) return verdict;
      if (verdict.outcome == Outcome::kUnknown) {
        verdict = {};
        verdict.stuck.operation = part_.events[found.position].operation();
        verdict.stuck.allowed_complete = false;
      }
    } else {
      verdict.stuck = std::move(*found.stuck);
    }
    verdict.outcome = Outcome::kViolation;
    verdict.core = std::move(found.core);
    verdict.stuck.of_core_only = true;
    return verdict;
  }

  // What all that happened allowed, not only the core: where a search can still go through it. False: it gets past the return.
  [[nodiscard]] bool explain_whole_part(PartVerdict& verdict) const {
    const std::vector<Event> events = before(verdict.stuck.operation);
    if (events.size() > kSearched) return true;
    PartVerdict whole = search(events, kSearched);
    if (whole.outcome != Outcome::kViolation) return whole.outcome == Outcome::kUnknown;
    if (whole.stuck.operation != verdict.stuck.operation)
      verdict.core = core_of_dead_end(some(events), whole.stuck.operation);
    verdict.stuck = std::move(whole.stuck);
    return true;
  }

  // Up to its return, what concerns its key; all of it where there are no keys.
  [[nodiscard]] std::vector<Event> before(OperationId impossible) const {
    const BoundHistory& history = *part_.history;
    const auto key = history.model().key(history.call(impossible));
    std::vector<Event> events;
    for (const Event event : part_.events) {
      if (!key || history.model().key(history.call(event.operation())) == key) events.push_back(event);
      if (event == Event::ret(impossible)) break;
    }
    return events;
  }

  const Part& part_;
  const SearchLimits& limits_;
  StopReason spent_ = StopReason::kNothing;
};

}  // namespace

PartVerdict find_earliest(const Part& part, const MonitorVerdict& violation, const SearchLimits& limits) {
  return Earliest(part, limits).run(violation);
}

}  // namespace plumb
