#include "check/relaxed/relaxed_check.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/suggest.hpp"
#include "check/monitors/monitor.hpp"
#include "check/partition.hpp"
#include "check/reason.hpp"
#include "check/relaxed/relaxed.hpp"
#include "check/replay.hpp"
#include "check/runner.hpp"

namespace plumb {
namespace {

using Clock = std::chrono::steady_clock;

// One history under one relaxation after another, within one budget.
class RelaxedCheck {
 public:
  RelaxedCheck(const BoundHistory& history, const CheckOptions& options,
               std::vector<std::uint32_t> operations)
      : history_(history),
        options_(options),
        operations_(std::move(operations)),
        partition_(history, PartitionBy::kObject),
        budget_(options.timeout, options.stop),
        relax_(options.relax) {
    for (std::size_t i = 0; i < relax_.size(); ++i)
      relax_[i].operation = history.model().operations()[operations_[i]].name;
  }

  Verdict run() {
    const auto unknowns = std::ranges::count_if(relax_, [](const Relaxation& one) { return !one.k; });
    Verdict verdict = unknowns == 0 ? decide(relax_) : find_smallest();
    verdict.configurations = configurations_;
    verdict.elapsed = Clock::now() - start_;
    return verdict;
  }

 private:
  // Configurations of the other objects, once one has shown a violation: another may have an earlier one.
  static constexpr std::uint64_t kAfterViolation = 100'000;

  // First one k for all that are asked for, then each as small as it can be.
  Verdict find_smallest() {
    std::vector<Relaxation> relax = relax_;
    Verdict found = find_smallest(
        [&](std::uint32_t k) {
          for (std::size_t i = 0; i < relax.size(); ++i) {
            if (!relax_[i].k) relax[i].k = k;
          }
          return decide(relax);
        },
        options_.max_k);
    if (found.outcome == Outcome::kViolation) found.relax.clear();
    if (found.outcome != Outcome::kHolds) return found;
    if (std::ranges::count_if(relax_, [](const Relaxation& one) { return !one.k; }) == 1) return found;
    for (std::size_t i = 0; i < relax.size(); ++i) {
      const std::uint32_t most = *relax[i].k;
      if (relax_[i].k || most == 0) continue;
      Verdict smaller = find_smallest(
          [&](std::uint32_t k) {
            relax[i].k = k;
            return decide(relax);
          },
          most - 1);
      if (smaller.outcome == Outcome::kUnknown) return smaller;
      if (smaller.outcome == Outcome::kHolds) found = std::move(smaller);
      relax = found.relax;
    }
    return found;
  }

  // The verdict for the least k that accepts, or for `most`.
  template <class Decide>
  Verdict find_smallest(const Decide& decide, std::uint32_t most) {
    for (std::uint32_t k = 0;; ++k) {
      Verdict verdict = decide(k);
      if (verdict.outcome == Outcome::kUnknown) {
        verdict.why += fmt::format("; whether {} is enough is not known", to_string(verdict.relax));
        verdict.relax.clear();
      }
      if (k == most || verdict.outcome != Outcome::kViolation) return verdict;
    }
  }

  Verdict decide(const std::vector<Relaxation>& relax) {
    RelaxedBounds relaxation{std::vector<std::uint32_t>(history_.model().operations().size())};
    for (std::size_t i = 0; i < relax.size(); ++i) relaxation.k[operations_[i]] = *relax[i].k;
    Verdict verdict = relaxation.is_plain() ? decide_plain() : decide(relaxation, relax);
    verdict.relax = relax;
    return verdict;
  }

  Verdict decide_plain() {
    CheckOptions plain = options_;
    plain.relax.clear();
    if (plain.timeout) {
      const Seconds passed = Clock::now() - start_;
      plain.timeout = std::max(*plain.timeout - passed, plain.timeout->zero());
    }
    Verdict verdict = check(history_.history(), history_.model(), plain).value();
    configurations_ += verdict.configurations;
    verdict.legal = verdict.linearization;
    return verdict;
  }

  Verdict decide(const RelaxedBounds& relaxation, const std::vector<Relaxation>& relax) {
    Verdict verdict;
    verdict.engines = {options_.engine == Engine::kBrute ? Engine::kBrute : Engine::kRelaxed};
    verdict.why = options_.engine == Engine::kBrute
                      ? "asked for: every order, and every other within reach of it"
                      : "one search for both orders: " + to_string(relax);
    std::string why = verdict.why;
    verdict.outcome = Outcome::kHolds;
    verdict.parts = partition_.parts().size();
    std::vector<std::vector<RelaxedPlace>> places;
    std::optional<std::uint32_t> violated_at;  // the earliest return of any object that cannot be passed
    for (const Part& part : partition_.parts()) {
      if (violated_at && part.begins() > *violated_at) continue;
      RelaxedVerdict one = decide(part, relaxation, violated_at ? kAfterViolation : SearchLimits::kNoLimit);
      configurations_ += one.configurations;
      if (one.outcome == Outcome::kViolation) {
        const std::uint32_t at = part.position(Event::ret(one.stuck));
        if (violated_at && *violated_at < at) continue;
        violated_at = at;
        verdict.violation = describe(part, one, relaxation, relax);
        continue;
      }
      if (one.outcome == Outcome::kUnknown) {
        verdict.outcome = Outcome::kUnknown;
        verdict.why =
            one.spent == StopReason::kNoMonitor ? "no monitor judges relaxed histories" : to_text(one.spent);
      }
      places.push_back(std::move(one.places));
    }
    if (violated_at) {
      verdict.outcome = Outcome::kViolation;
      verdict.why = std::move(why);
    }
    if (verdict.outcome == Outcome::kHolds) merge(places, verdict);
    return verdict;
  }

  // What is linearizable is accepted, and a monitor knows it fast.
  RelaxedVerdict decide(const Part& part, const RelaxedBounds& relaxation, std::uint64_t configurations) {
    const SearchLimits limits{.budget = &budget_,
                              .memory = options_.memory.value_or(default_memory()),
                              .configurations = configurations};
    if (options_.engine == Engine::kBrute) return by_every_order(part, relaxation, limits);
    if (options_.engine != Engine::kWgl) {
      RelaxedVerdict verdict;
      if (is_linearizable(part, verdict)) return verdict;
      verdict.spent = StopReason::kNoMonitor;
      if (options_.engine == Engine::kMonitor) return verdict;
    }
    return search_relaxed(part, relaxation, limits);
  }

  // Every order knows whether there is one, not which return is the first that none passes: that is the search's to say.
  static RelaxedVerdict by_every_order(const Part& part, const RelaxedBounds& relaxation,
                                       const SearchLimits& limits) {
    RelaxedVerdict verdict = brute_relaxed(part, relaxation, limits);
    if (verdict.outcome != Outcome::kViolation) return verdict;
    RelaxedVerdict told = search_relaxed(part, relaxation, limits);
    if (told.outcome != Outcome::kViolation) return verdict;
    told.configurations = verdict.configurations;
    return told;
  }

  bool is_linearizable(const Part& part, RelaxedVerdict& verdict) {
    const ModelMonitor* monitor = find_monitor(history_.family());
    if (monitor == nullptr || refuted_) return false;
    const bool any_keys = monitor->all_keys && history_.initial().is_null();
    if (history_.model().is_keyed() && !any_keys) return false;  // it expects one key only
    const MonitorVerdict answer = monitor->judge(part);
    refuted_ = answer.kind == MonitorVerdict::Kind::kViolation && partition_.parts().size() == 1;
    const auto states = history_.states();
    if (answer.kind != MonitorVerdict::Kind::kLinearizable ||
        !replays(part, answer.linearization.order(), **states))
      return false;
    verdict.outcome = Outcome::kHolds;
    for (const OperationId id : answer.linearization.order()) verdict.places.push_back({id, id});
    return true;
  }

  // Places of several objects, by time: each has a point in time, and points of one object never go back.
  void merge(std::span<const std::vector<RelaxedPlace>> places, Verdict& verdict) {
    struct Placed {
      std::uint32_t position;
      RelaxedPlace place;
    };
    std::vector<Placed> all;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Part& part = partition_.parts()[i];
      const auto positions = positions_of(part, places[i]);
      for (std::size_t j = 0; j < places[i].size(); ++j) {
        const std::uint32_t at = positions[j];
        const bool last = part.positions.empty() || at == part.events.size();
        all.push_back({last && !part.positions.empty()
                           ? static_cast<std::uint32_t>(history_.history().events().size())
                       : last ? at
                              : part.positions[at],
                       places[i][j]});
      }
    }
    std::ranges::stable_sort(all, {}, &Placed::position);
    for (const Placed& one : all) {
      verdict.linearization.push_back(one.place.sequenced);
      verdict.legal.push_back(one.place.legal);
    }
    if (respects_time(history_.history(), verdict.linearization)) return;
    verdict.outcome = Outcome::kUnknown;
    verdict.why = to_text(StopReason::kInternalError);
  }

  Violation describe(const Part& part, const RelaxedVerdict& verdict, const RelaxedBounds& relaxation,
                     const std::vector<Relaxation>& relax) {
    Violation violation;
    for (const Event event : cut_relaxed(history_, part.events, relaxation, verdict.stuck)) {
      if (!event.is_return()) violation.operations.push_back(event.operation());
    }
    std::ranges::sort(violation.operations);
    violation.stuck = verdict.stuck;
    for (const RelaxedPlace& place : verdict.prefix) {
      violation.prefix.push_back(place.sequenced);
      violation.legal_prefix.push_back(place.legal);
    }
    violation.relax = relax;
    violation.allowed_complete = false;
    violation.reason = fmt::format("{} is impossible even with {}",
                                   history_.history().describe(verdict.stuck), to_string(relax));
    if (verdict.returned_before != 0) {
      violation.reason += fmt::format(" after the {} operation{} that returned before it",
                                      verdict.returned_before, verdict.returned_before == 1 ? "" : "s");
    }
    return violation;
  }

  const BoundHistory& history_;
  const CheckOptions& options_;
  std::vector<std::uint32_t> operations_;  // by entry of relax_: the model's operation
  Partition partition_;
  Clock::time_point start_ = Clock::now();
  Budget budget_;
  std::vector<Relaxation> relax_;  // as asked, by the model's own names
  bool refuted_ = false;           // not linearizable, says the monitor: it need not be asked again
  std::uint64_t configurations_ = 0;
};

}  // namespace

Result<std::vector<std::uint32_t>> relaxed_operations(const Model& model, std::span<const Relaxation> relax) {
  std::vector<std::uint32_t> operations;
  for (const Relaxation& one : relax) {
    const auto operation = find_operation(model, one.operation);
    if (!operation) {
      std::vector<std::string> names;
      for (const OperationSpec& spec : model.operations()) {
        names.push_back(spec.name);
        names.insert(names.end(), spec.aliases.begin(), spec.aliases.end());
      }
      return Error{fmt::format("relax: a {} has no operation '{}'{}; 'plumb models {}' lists them",
                               model.name(), one.operation, did_you_mean(one.operation, names),
                               model.name())};
    }
    if (std::ranges::find(operations, *operation) != operations.end()) {
      return Error{fmt::format("relax: '{}' is named twice", model.operations()[*operation].name)};
    }
    operations.push_back(*operation);
  }
  return operations;
}

std::string to_string(const std::vector<Relaxation>& relax) {
  std::string out;
  for (const Relaxation& one : relax) {
    out +=
        fmt::format("{}{}={}", out.empty() ? "" : ", ", one.operation, one.k ? fmt::to_string(*one.k) : "?");
  }
  return out;
}

Result<Verdict> check_relaxed(const BoundHistory& history, const CheckOptions& options) {
  auto operations = relaxed_operations(history.model(), options.relax);
  if (!operations) return operations.error();
  return RelaxedCheck(history, options, std::move(*operations)).run();
}

}  // namespace plumb
