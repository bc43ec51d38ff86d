// The verifier: believes nothing, and uses none of the engines but the brute force.
//
// An order is replayed on the model, one pass over the history. A core is reached from the history by the rules it names,
// each applied here again; it must then be refuted: by every order where it is small, else by the plain search, of
// queues and stacks by one of their own (queue_sweep.hpp, stack_sweep.hpp).
//
// What has to hold for a verdict, and who sees to it; docs/certificates.md says the same to users:
//
//   any            the header is that of this history and this model                                  identity
//   linearizable   who returned stands in the order once, who did not at most once, in time           times
//                  the model gives the recorded results in this order, object by object               replay
//                  relaxed: the legal history is a permutation of the order within object and class,
//                  nobody farther away than K, and it is this one that the model runs                 closeness, replay
//   violation      the core names operations of the history, the impossible one among them            names_a_core
//                  each rule applies where it is used                                                 apply_rule
//                  what the rules leave is the core, and ends with the impossible return              refutation
//                  what is refuted, and whatever states are compared, is of one object: several may
//                  be in order although no single object could do what they did                       of_one_object
//                  no order explains it                                                               refute
//                  relaxed: the core is what `cut` leaves of one object, no pair of orders passes it  relaxed_refutation
//   unknown        nothing proves it
//
// What remains to be trusted: the model (its steps, what it says of keys and of operations that never change the state, and the
// family that it claims, which is tested here again), and the reading of the history. A digest that matches proves nothing; one that does not saves a misleading complaint.
#include <plumb/certificate.hpp>

#include <algorithm>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "base/count_of.hpp"
#include "check/part.hpp"
#include "proof/queue_sweep.hpp"
#include "proof/relaxed_sweep.hpp"
#include "proof/rules.hpp"
#include "proof/stack_sweep.hpp"
#include "proof/sweep.hpp"

namespace plumb {
namespace {

// Why a certificate proves nothing; none: so far it does.
using Complaint = std::optional<std::string>;

class Verifier {
 public:
  Verifier(const BoundHistory& history, const Certificate& certificate, const VerifyLimits& limits)
      : history_(history),
        own_(history.own()),
        h_(history.history()),
        certificate_(certificate),
        limits_(limits) {}

  Complaint run() {
    if (auto complaint = identity()) return complaint;
    if (!certificate_.relax.empty()) {
      if (auto complaint = resolve_relax()) return complaint;
    }
    switch (certificate_.outcome) {
      case Outcome::kHolds:
        if (auto complaint = times()) return complaint;
        if (certificate_.relax.empty()) return replay(certificate_.order);
        if (auto complaint = closeness()) return complaint;
        return replay(certificate_.legal);
      case Outcome::kViolation:
        return certificate_.relax.empty() ? refutation() : relaxed_refutation();
      case Outcome::kUnknown:
        break;
    }
    return "its verdict is 'unknown', which has no proof";
  }

 private:
  Complaint identity() const {
    if (certificate_.model != h_model().name()) {
      return fmt::format("it is for the model '{}', not '{}'", certificate_.model, h_model().name());
    }
    if (certificate_.operations != h_.size()) {
      return fmt::format("it is for a history of {}; this one has {}",
                         count_of(certificate_.operations, "operation"), h_.size());
    }
    if (certificate_.initial != h_.values().to_json(h_.initial())) return "it is for another initial value";
    if (certificate_.digest != digest_of(h_, h_model()).value()) return "it is for another history";
    return std::nullopt;
  }
  [[nodiscard]] const Model& h_model() const { return own_.model(); }

  // Every completed operation stands in the order once, every other at most once, and none after one that was called
  // when it had returned.
  Complaint times() const {
    constexpr std::uint32_t kAbsent = ~std::uint32_t{0};
    std::vector<std::uint32_t> rank(h_.size(), kAbsent);
    for (std::uint32_t i = 0; i < certificate_.order.size(); ++i) {
      const OperationId id = certificate_.order[i];
      if (id >= h_.size()) return fmt::format("there is no operation {}", id);
      if (rank[id] != kAbsent) return fmt::format("operation {} appears twice in the order", id);
      rank[id] = i;
    }
    std::uint32_t behind = 0;  // the first rank that nothing called from now on may stand before
    for (const Event event : h_.events()) {
      const OperationId id = event.operation();
      if (event.is_return()) {
        if (rank[id] == kAbsent) return fmt::format("operation {} returned and is not in the order", id);
        behind = std::max(behind, rank[id] + 1);
      } else if (rank[id] != kAbsent && rank[id] < behind) {
        return fmt::format("operation {} comes before one that had returned when it was called", id);
      }
    }
    return std::nullopt;
  }

  // Every operation, in this order, has the result that the model gives; object by object.
  Complaint replay(std::span<const OperationId> order) const {
    struct Object {
      std::unique_ptr<States> states;
      std::unique_ptr<Run> run;
    };
    absl::flat_hash_map<Value, Object> objects;
    for (const OperationId id : order) {
      Object& object = objects[h_.object(id)];
      if (!object.run) {
        object.states = fresh_states(own_);
        object.run = object.states->start_run();
      }
      if (!object.run->apply(own_.call(id), own_.result(id))) {
        return fmt::format("operation {}, {}, cannot come next in the order", id, h_.describe(id));
      }
    }
    return std::nullopt;
  }

  Complaint resolve_relax() {
    const auto operations = relaxed_operations(h_model(), certificate_.relax);
    if (!operations) return operations.error().message;
    relaxation_.k.resize(h_model().operations().size());
    for (std::size_t i = 0; i < operations->size(); ++i)
      relaxation_.k[(*operations)[i]] = certificate_.relax[i].k.value_or(0);
    return std::nullopt;
  }

  // The legal history has the same operations, at the same places but for those of relaxed classes: object by object, each
  // of these among the places of its class, and near enough.
  Complaint closeness() const {
    if (certificate_.legal.size() != certificate_.order.size())
      return "the legal history has not as many operations as the order";
    using Class = std::pair<Value, std::uint32_t>;  // object and operation
    absl::flat_hash_map<Class, std::uint32_t> places;
    absl::flat_hash_map<OperationId, std::uint32_t> place;  // in the order, within the class
    const auto class_of = [&](OperationId id) { return Class(h_.object(id), history_.operation(id)); };
    for (const OperationId id : certificate_.order) place[id] = places[class_of(id)]++;
    places.clear();
    for (std::size_t i = 0; i < certificate_.legal.size(); ++i) {
      const OperationId id = certificate_.legal[i];
      if (!place.contains(id))
        return fmt::format("operation {} is in the legal history, but not in the order", id);
      if (class_of(id) != class_of(certificate_.order[i]))
        return fmt::format("operation {} of the legal history is at the place of another class", id);
      const std::uint32_t here = places[class_of(id)]++;
      const std::uint32_t there = place[id];
      place.erase(id);
      const std::uint32_t k = relaxation_.k[history_.operation(id)];
      if (std::max(here, there) - std::min(here, there) > k)
        return fmt::format("operation {} is more than {} places off", id, k);
    }
    return std::nullopt;
  }

  // The core as a claim: operations that exist, and the impossible one is among them.
  Complaint names_a_core() const {
    for (const OperationId id : certificate_.core) {
      if (id >= h_.size()) return fmt::format("there is no operation {}", id);
    }
    if (std::ranges::find(certificate_.core, certificate_.impossible) == certificate_.core.end())
      return fmt::format("the impossible operation {} is not in the core", certificate_.impossible);
    return std::nullopt;
  }

  // One object; what was called before the impossible return, and what could have been taken from later; no pair of orders
  // of these passes that return.
  Complaint relaxed_refutation() const {
    constexpr std::uint64_t kMostConfigurations = 500'000;  // they are large
    if (auto complaint = names_a_core()) return complaint;
    if (certificate_.rules != std::vector{Rule::kCut})
      return "a relaxed violation is reached by the rule 'cut' alone";
    if (h_.is_pending(certificate_.impossible)) return "the impossible operation never returned";
    std::vector<Event> events;
    std::ranges::copy_if(h_.events(), std::back_inserter(events), [&](Event event) {
      return h_.object(event.operation()) == h_.object(certificate_.impossible);
    });
    const bool is_last =
        std::ranges::find_if(events.rbegin(), events.rend(), &Event::is_return)->operation() ==
        certificate_.impossible;
    events = cut_relaxed(history_, events, relaxation_, certificate_.impossible);
    if (operations_of(events) != certificate_.core)
      return "the core is not what was called before the impossible return, with what may be taken from "
             "later";
    switch (sweep_relaxed(history_, events, relaxation_, certificate_.impossible, is_last,
                          std::min(kMostConfigurations, limits_.configurations))) {
      case RelaxedSwept::kStuck:
        return std::nullopt;
      case RelaxedSwept::kPassed:
        return "the impossible return can be passed";
      case RelaxedSwept::kGaveUp:
        break;
    }
    return "not refuted: too many configurations for the plain search";
  }

  Complaint refutation() const {
    if (auto complaint = names_a_core()) return complaint;
    const OperationSet core(h_.size(), certificate_.core);
    std::vector<Event> events(h_.events().begin(), h_.events().end());
    for (const Rule rule : certificate_.rules) {
      if (rule == Rule::kStates) {
        if (auto complaint = compare_states(events, core)) return complaint;
        events = restrict_to(events, core);
        continue;
      }
      auto left = apply_rule(rule, history_, events, core, certificate_.impossible);
      if (!left)
        return fmt::format("the rule '{}' does not apply: {}", to_string(rule), left.error().message);
      events = std::move(*left);
    }
    const auto left = operations_of(events);
    if (left != certificate_.core) {
      return fmt::format("the rules leave {}, not the {} of the core", count_of(left.size(), "operation"),
                         certificate_.core.size());
    }
    if (events.back() != Event::ret(certificate_.impossible)) {
      return fmt::format(
          "the return of the impossible operation {} is not the last event that the rules leave",
          certificate_.impossible);
    }
    if (!of_one_object(events)) return "the operations of the core are of several objects";
    return refute(events);
  }

  [[nodiscard]] bool of_one_object(std::span<const Event> events) const {
    return std::ranges::all_of(events, [&](Event event) {
      return h_.object(event.operation()) == h_.object(certificate_.impossible);
    });
  }

  // kStates. The return cannot be explained, neither with all the events nor with those of the core; whatever state
  // the object could be in just before it, the core alone can bring it into; and if its result had been possible at an
  // earlier moment, so it had with the core. The core hides neither a way out nor what the matter is about.
  Complaint compare_states(std::span<const Event> events, const OperationSet& core) const {
    if (!of_one_object(events))
      return "the rule 'states' does not apply: the operations are of several objects";
    const auto states = fresh_states(history_);
    const std::vector<Event> few = restrict_to(events, core);
    if (few.empty() || events.back() != few.back())
      return "the rule 'states' does not apply: nothing was cut off";
    const Swept with_all = sweep_to_dead_end(history_, events, *states, {limits_.configurations});
    const Swept with_core = sweep_to_dead_end(history_, few, *states, {limits_.configurations});
    if (auto complaint = not_a_dead_end(with_all, events.size())) return complaint;
    if (auto complaint = not_a_dead_end(with_core, few.size())) return complaint;
    if (!std::ranges::includes(with_core.states, with_all.states)) {
      return "the rule 'states' does not apply: not every state that was possible is possible with the core";
    }
    if (with_all.probed && !with_core.probed) {
      return "the rule 'states' does not apply: with the core, the result was never possible; with all, it "
             "once was";
    }
    return std::nullopt;
  }

  static Complaint not_a_dead_end(const Swept& swept, std::size_t events) {
    if (swept.kind == Swept::Kind::kPassed) return "what the rules leave is linearizable";
    if (swept.kind == Swept::Kind::kGaveUp)
      return "not refuted: too many configurations for the plain search";
    if (swept.position + 1 != events)
      return "the rule 'states' does not apply: another return is impossible already";
    return std::nullopt;
  }

  Complaint refute(std::span<const Event> events) const {
    constexpr std::size_t kEveryOrder = 8;  // operations
    constexpr std::uint64_t kLarge = 10;    // pairs of a queue, as configurations
    const auto states = fresh_states(own_);
    if (certificate_.core.size() > kEveryOrder) {
      if (!history_.may_peek() && !history_.is_by_claim()) {
        const std::uint64_t most = limits_.configurations;
        if (history_.family() == Family::kQueue) return refuted(sweep_queue(history_, events, most / kLarge));
        if (history_.family() == Family::kStack) return refuted(sweep_stack(history_, events, most));
      }
      const Swept swept = sweep(own_, events, *states, {limits_.configurations});
      return swept.kind == Swept::Kind::kStuck ? std::nullopt : not_a_dead_end(swept, events.size());
    }
    const Budget unlimited(std::nullopt, nullptr);
    std::vector<std::uint32_t> scratch(h_.size());
    const PartVerdict verdict =
        search_brute_force({&own_, events, {}, scratch}, *states, {.budget = &unlimited});
    if (verdict.outcome == Outcome::kViolation) return std::nullopt;
    return "the core is linearizable";
  }

  // What queues and stacks hold may have too many orders: they have searches that do not go by it.
  static Complaint refuted(FamilySwept swept) {
    switch (swept) {
      case FamilySwept::kStuck:
        return std::nullopt;
      case FamilySwept::kPassed:
        return "the core is linearizable";
      case FamilySwept::kGaveUp:
        break;
    }
    return "not refuted: too many configurations for the plain search";
  }

  const BoundHistory& history_;  // as the rules see it: one of the family that the model claims, if it does
  const BoundHistory& own_;      // as the model itself sees it, which replays and refutes
  const History& h_;
  const Certificate& certificate_;
  VerifyLimits limits_;
  RelaxedBounds relaxation_ = {};  // by the certificate
};

}  // namespace

Result<Verification> verify(const History& history, const Model& model, const Certificate& certificate,
                            const VerifyLimits& limits) {
  const auto bound = certificate.relax.empty() ? BoundHistory::bind_as_family(history, model)
                                               : BoundHistory::bind(history, model);
  if (!bound) return bound.error();
  if (auto states = model.states(history.values(), history.initial()); !states) return states.error();
  const Complaint complaint = Verifier(*bound, certificate, limits).run();
  return Verification{!complaint, complaint.value_or("")};
}

}  // namespace plumb
