// The rules by which operations may be dropped from a violation. Each keeps what is linearizable
// linearizable: so a core that is not proves that the whole was not. The verifier applies them; the search
// for a small core asks what they allow.
//
// A sub-history is a list of events in their order. An operation whose call stands in it and whose return
// does not need not have happened; if it did, it had its recorded result.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plumb/certificate.hpp>

#include "spec/bind.hpp"

namespace plumb {

// Some operations of a history.
class OperationSet {
 public:
  explicit OperationSet(std::size_t operations) : in_(operations) {}
  OperationSet(std::size_t operations, std::span<const OperationId> members) : in_(operations) {
    for (const OperationId id : members) in_[id] = true;
  }
  void add(OperationId id) { in_[id] = true; }
  void remove(OperationId id) { in_[id] = false; }
  [[nodiscard]] bool has(OperationId id) const { return in_[id]; }

 private:
  std::vector<bool> in_;
};

[[nodiscard]] std::vector<Event> restrict_to(std::span<const Event> events, const OperationSet& operations);
[[nodiscard]] std::vector<OperationId> operations_of(std::span<const Event> events);  // ascending

// What the rule leaves: all of `core`, and what it does not apply to. An error says why it cannot be used
// here. kStates is not among them: it is a comparison of two searches, see verify.cpp.
//
// What each owes, whatever the core is and whichever rules came before: if the events are
// linearizable, object by object, then so is what is left. The proofs stand beside the code in
// rules.cpp; they need of the events
//   kPart        nothing (of the model: that keys are independent)
//   kCut         that the impossible return is among them
//   kValues      a model with such a rule; in a cell, that nobody who returned minds which value it did not
//                find
//   kUnchanging  nothing (of the model: that what it calls unchanging is)
// None needs them to be of one object. Who refutes them, or compares their states, does: that is up to the
// verifier.
[[nodiscard]] Result<std::vector<Event>> apply_rule(Rule rule, const BoundHistory& history,
                                                    std::span<const Event> events, const OperationSet& core,
                                                    OperationId impossible);

// The value whose operations kValues would drop together with this one; none if it has none, or
// the model has no such rule.
[[nodiscard]] std::optional<Value> own_value(const BoundHistory& history, OperationId id);

// For a person: "called after the impossible return".
[[nodiscard]] std::string_view describe(Rule rule);

}  // namespace plumb
