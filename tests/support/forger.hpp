// Certificates that nobody should believe: real ones changed at random, and made up ones that get
// as far into the verifier as they can. What a forger says is as often true as not: whether it is,
// only the definition knows.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <ranges>
#include <string>
#include <vector>

#include <plumb/certificate.hpp>

#include "base/rng.hpp"
#include "check/relaxed/relaxed.hpp"
#include "proof/rules.hpp"

namespace plumb::test {

class Forger {
 public:
  // Forges for this history as this model sees it; both must fit.
  Forger(const BoundHistory& history, Rng& rng) : history_(history), h_(history.history()), rng_(rng) {
    blank_.model = history.model().name();
    blank_.initial = h_.values().to_json(h_.initial());
    blank_.operations = h_.size();
    blank_.digest = digest_of(h_, history.model()).value();
  }

  // The certificate of another history or another model, made out for this one.
  [[nodiscard]] Certificate readdress(Certificate certificate) const {
    certificate.model = blank_.model;
    certificate.initial = blank_.initial;
    certificate.operations = blank_.operations;
    certificate.digest = blank_.digest;
    return certificate;
  }

  // One to three changes.
  Certificate change(Certificate certificate) {
    for (std::size_t changes = 1 + rng_.below(3); changes > 0; --changes) change_once(certificate);
    return certificate;
  }

  Certificate invent() {
    Certificate made = blank_;
    if (rng_.chance(0.3)) made.relax = some_relax();
    if (rng_.chance(0.4)) {
      made.outcome = Outcome::kHolds;
      made.order = rng_.chance(0.5) ? some_order() : cheating_order();
      if (!made.relax.empty()) made.legal = legal_beside(made.order, made.relax);
    } else {
      made.outcome = Outcome::kViolation;
      made.impossible = rng_.chance(0.4) ? last_to_return() : some_operation();
      made.rules = made.relax.empty() ? some_rules() : std::vector{Rule::kCut};
      made.core = rng_.chance(0.85) ? fitting_core(made) : some_operations();
      if (rng_.chance(0.1)) made.impossible = some_operation();
    }
    return made;
  }

 private:
  using Ids = std::vector<OperationId>;

  void change_once(Certificate& certificate) {
    switch (rng_.below(5)) {
      case 0:
        return change_ids(rng_.chance(0.3)                         ? certificate.legal
                          : certificate.outcome == Outcome::kHolds ? certificate.order
                                                                   : certificate.core);
      case 1:
        return change_claim(certificate);
      case 2:
        return change_rules(certificate);
      case 3:
        return change_relax(certificate);
      default:
        if (rng_.chance(0.5)) change_header(certificate);
    }
  }

  void change_ids(Ids& ids) {
    if (ids.empty()) return ids.push_back(some_operation());
    const auto at = static_cast<std::ptrdiff_t>(rng_.below(ids.size()));
    const std::size_t other = rng_.below(ids.size());
    switch (rng_.below(8)) {
      case 0:
        return std::swap(ids[static_cast<std::size_t>(at)], ids[other]);
      case 1:
        ids.erase(ids.begin() + at);
        return;
      case 2:
        ids.insert(ids.begin() + at, OperationId{ids[other]});
        return;
      case 3:
        ids[other] = some_operation();
        return;
      case 4:
        ids.insert(ids.begin() + at, some_operation());
        std::ranges::sort(ids);
        return;
      case 5:
        ids.push_back(static_cast<OperationId>(h_.size() + rng_.below(3)));  // there is none
        return;
      case 6:
        std::rotate(ids.begin(), ids.begin() + at, ids.end());
        return;
      default:
        ids = some_operations();
    }
  }

  void change_claim(Certificate& certificate) {
    switch (rng_.below(6)) {
      case 0:
        certificate.impossible = some_operation();
        return;
      case 1:
        certificate.impossible = static_cast<OperationId>(h_.size() + rng_.below(2));
        return;
      case 2:  // the other verdict, by the same operations
        certificate.outcome =
            certificate.outcome == Outcome::kViolation ? Outcome::kHolds : Outcome::kViolation;
        return std::swap(certificate.order, certificate.core);
      case 3:
        certificate.outcome = Outcome::kUnknown;
        return;
      case 4:
        certificate.order = cheating_order();
        certificate.legal = legal_beside(certificate.order, certificate.relax);
        return;
      default:
        certificate.core = fitting_core(certificate);
    }
  }

  void change_rules(Certificate& certificate) {
    auto& rules = certificate.rules;
    if (rules.empty() || rng_.chance(0.3)) {
      rules = some_rules();
    } else if (rng_.chance(0.5)) {
      rules.erase(rules.begin() + static_cast<std::ptrdiff_t>(rng_.below(rules.size())));
    } else {
      rules.insert(rules.begin() + static_cast<std::ptrdiff_t>(rng_.below(rules.size() + 1)), some_rule());
    }
    if (rng_.chance(0.7)) certificate.core = fitting_core(certificate);
  }

  void change_relax(Certificate& certificate) {
    auto& relax = certificate.relax;
    if (relax.empty() || rng_.chance(0.2)) {
      relax = some_relax();
    } else if (rng_.chance(0.3)) {
      relax.clear();
    } else {
      Relaxation& one = relax[rng_.below(relax.size())];
      one.k = one.k.value_or(0) + (rng_.chance(0.5) ? 1U : ~0U);  // one more, or one less, round the corner
    }
    if (rng_.chance(0.5)) certificate.legal = legal_beside(certificate.order, relax);
    if (rng_.chance(0.5)) certificate.core = fitting_core(certificate);
  }

  void change_header(Certificate& certificate) {
    switch (rng_.below(4)) {
      case 0:
        certificate.operations += rng_.chance(0.5) ? 1 : ~std::size_t{0};
        return;
      case 1:
        (rng_.below(2) == 0 ? certificate.digest.high : certificate.digest.low) ^= std::uint64_t{1}
                                                                                   << rng_.below(64);
        return;
      case 2:
        certificate.initial = rng_.chance(0.5) ? "[1]" : "null";
        return;
      default:
        certificate.model = rng_.chance(0.5) ? "queue" : "register";
    }
  }

  OperationId some_operation() {
    return static_cast<OperationId>(rng_.below(std::max<std::size_t>(h_.size(), 1)));
  }
  OperationId last_to_return() {
    const auto events = h_.events();
    for (auto last = events.rbegin(); last != events.rend(); ++last) {
      const Event event = *last;
      if (event.is_return()) return event.operation();
    }
    return some_operation();
  }
  Rule some_rule() { return static_cast<Rule>(rng_.below(kRuleCount)); }
  std::vector<Rule> some_rules() {
    std::vector<Rule> rules;
    for (std::size_t count = rng_.below(5); count > 0; --count) rules.push_back(some_rule());
    return rules;
  }
  Ids some_operations() {
    const double share = rng_.chance(0.3) ? 1.0 : 0.5;
    Ids some;
    for (OperationId id = 0; id < h_.size(); ++id) {
      if (rng_.chance(share)) some.push_back(id);
    }
    return some;
  }
  std::vector<Relaxation> some_relax() {
    std::vector<Relaxation> relax;
    for (const OperationSpec& spec : history_.model().operations()) {
      if (rng_.chance(0.5)) relax.push_back({spec.name, static_cast<std::uint32_t>(rng_.below(4))});
    }
    if (rng_.chance(0.02)) relax.push_back({"nonsense", 1});
    if (!relax.empty() && rng_.chance(0.02)) relax.push_back({relax[0].operation, 3});
    return relax;
  }

  // Mostly one that respects the times: the next is any whose call comes before the first return of the
  // others.
  Ids some_order() {
    const bool careless = rng_.chance(0.1);
    Ids order;
    Ids open;
    const auto take = [&](std::size_t i) {
      order.push_back(open[i]);
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
    };
    for (const Event event : h_.events()) {
      if (!event.is_return()) open.push_back(event.operation());
      while (!open.empty() && rng_.chance(0.4)) take(rng_.below(open.size()));
      if (!event.is_return() || careless) continue;
      const auto it = std::ranges::find(open, event.operation());
      if (it != open.end()) take(static_cast<std::size_t>(it - open.begin()));
    }
    while (!open.empty() && rng_.chance(careless ? 0.9 : 0.5)) take(rng_.below(open.size()));
    return order;
  }

  // One that the model runs, as long as there is one; who cannot go on otherwise cheats: takes one twice, or
  // too early, or leaves one out.
  Ids cheating_order() {
    LegalRun run(history_);
    Ids order;
    std::vector<bool> placed(h_.size());
    while (order.size() <= h_.size()) {
      const bool cheats = rng_.chance(0.15);
      const auto next = run.any_of(shuffled(everybody()), [&](OperationId id) {
        return cheats || (!placed[id] && is_in_time(id, placed));
      });
      if (!next) break;
      placed[*next] = true;
      order.push_back(*next);
    }
    return order;
  }
  [[nodiscard]] bool is_in_time(OperationId id, const std::vector<bool>& placed) const {
    for (OperationId other = 0; other < h_.size(); ++other) {
      if (!placed[other] && h_.ret(other) < h_.call(id)) return false;
    }
    return true;
  }

  // Beside this order, place by place, an operation that the model runs: of the class, from near, and not
  // there yet, but for the one thing in which this one cheats.
  enum class Cheat { kNot, kTwice, kFarther, kAnyClass };
  Ids legal_beside(const Ids& order, const std::vector<Relaxation>& relax) {
    const auto cheat = static_cast<Cheat>(rng_.below(4));
    LegalRun run(history_);
    Ids legal;
    for (std::size_t at = 0; at < order.size(); ++at) {
      const auto next = run.any_of(shuffled(order), [&](OperationId id) {
        if (id >= h_.size()) return false;
        if (cheat != Cheat::kTwice && std::ranges::find(legal, id) != legal.end()) return false;
        return id == order[at] || may_stand(order, at, id, relax, cheat);
      });
      legal.push_back(next.value_or(order[at]));
    }
    return legal;
  }
  [[nodiscard]] bool may_stand(const Ids& order, std::size_t at, OperationId id,
                               const std::vector<Relaxation>& relax, Cheat cheat) const {
    if (order[at] >= h_.size()) return false;
    const auto same_class = [&](OperationId other) {
      return other < h_.size() && history_.operation(id) == history_.operation(other) &&
             h_.object(id) == h_.object(other);
    };
    if (!same_class(order[at])) return cheat == Cheat::kAnyClass;
    const auto it = std::ranges::find(relax, history_.spec(id).name, &Relaxation::operation);
    const std::size_t k = it == relax.end() ? 0 : it->k.value_or(0);
    const auto from = static_cast<std::size_t>(std::ranges::find(order, id) - order.begin());
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(std::min(at, from));
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::max(at, from));
    const auto places = static_cast<std::size_t>(std::count_if(begin, end, same_class));
    return places <= k + (cheat == Cheat::kFarther ? 1 : 0);
  }

  [[nodiscard]] Ids everybody() const {
    Ids all(h_.size());
    std::iota(all.begin(), all.end(), 0U);
    return all;
  }
  Ids shuffled(Ids ids) {
    for (std::size_t i = ids.size(); i > 1; --i) std::swap(ids[i - 1], ids[rng_.below(i)]);
    return ids;
  }

  // The objects of a history, run one step at a time.
  class LegalRun {
   public:
    explicit LegalRun(const BoundHistory& history) : history_(history) {}

    // The first of these that is welcome and that the model can run next; it is run.
    std::optional<OperationId> any_of(const Ids& ids, const auto& welcome) {
      for (const OperationId id : ids) {
        if (welcome(id) && runs(id)) return id;
      }
      return std::nullopt;
    }

   private:
    struct Object {
      std::unique_ptr<States> states;
      StateId now = 0;
    };

    bool runs(OperationId id) {
      const History& h = history_.history();
      Object& object = objects_[h.object(id).bits()];
      if (!object.states) {
        object.states = std::move(history_.model().states(h.values(), h.initial()).value());
        object.now = object.states->initial();
      }
      std::vector<StateId> next;
      object.states->step(object.now, history_.call(id), history_.result(id), next);
      if (next.empty()) return false;
      object.now = next.front();
      return true;
    }

    const BoundHistory& history_;
    std::map<std::uint32_t, Object> objects_;
  };

  // What the rules leave of the history: so that the core is not turned away before it is looked at.
  Ids fitting_core(const Certificate& certificate) {
    if (certificate.impossible >= h_.size()) return some_operations();
    if (!certificate.relax.empty()) return relaxed_core(certificate);
    Ids core = certificate.core;
    std::erase_if(core, [&](OperationId id) { return id >= h_.size(); });
    if (core.empty() || rng_.chance(0.5)) core = some_operations();
    if (rng_.chance(0.5))
      std::erase_if(core, [&](OperationId id) { return h_.object(id) != h_.object(certificate.impossible); });
    core.push_back(certificate.impossible);
    const OperationSet chosen(h_.size(), core);
    std::vector<Event> events(h_.events().begin(), h_.events().end());
    for (const Rule rule : certificate.rules) {
      if (rule == Rule::kStates) {
        events = restrict_to(events, chosen);
      } else if (auto left = apply_rule(rule, history_, events, chosen, certificate.impossible)) {
        events = std::move(*left);
      }
    }
    return operations_of(events);
  }
  Ids relaxed_core(const Certificate& certificate) {
    RelaxedBounds relaxation{std::vector<std::uint32_t>(history_.model().operations().size())};
    for (const Relaxation& one : certificate.relax) {
      if (const auto number = find_operation(history_.model(), one.operation))
        relaxation.k[*number] = one.k.value_or(0);
    }
    std::vector<Event> events;
    const bool all = rng_.chance(0.3);  // objects
    std::ranges::copy_if(h_.events(), std::back_inserter(events), [&](Event e) {
      return all || h_.object(e.operation()) == h_.object(certificate.impossible);
    });
    return operations_of(cut_relaxed(history_, events, relaxation, certificate.impossible));
  }

  const BoundHistory& history_;
  const History& h_;
  Rng& rng_;
  Certificate blank_;  // with the right header, of no verdict
};

}  // namespace plumb::test
