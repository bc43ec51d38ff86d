// All histories of one execution's steps. Steps that commute could have come in another order, with the same results but
// with other returns before other calls; each such history needs a witness, too. They are not run but gone through here,
// call by call: what the engine says had to come first (engine::HappensBefore) is all that limits them.
//
// Only histories with the most order count, since a witness of one is a witness of all with less: so whatever can return
// does before anything else is called, and an operation is called with its first step.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/hash.hpp"
#include "explore/observer.hpp"
#include "plumb/model.hpp"
#include "testing/observed_history.hpp"
#include "testing/result_keys.hpp"
#include "testing/scenario.hpp"
#include "testing/spurious_failures.hpp"

namespace plumb::testing {

// What is right, one operation after the other, with the results that were observed.
class SerialSteps {
 public:
  SerialSteps() = default;
  SerialSteps(const SerialSteps&) = delete;
  SerialSteps& operator=(const SerialSteps&) = delete;
  virtual ~SerialSteps() = default;

  [[nodiscard]] virtual StateId initial() = 0;
  // Appends the states in which the operation may leave `from` when it returns what it did.
  virtual void step(StateId from, std::size_t operation, std::vector<StateId>& next) = 0;
  [[nodiscard]] virtual bool blocks(StateId state, std::size_t operation) = 0;
};

using EventOrder = std::vector<engine::OperationEvent>;

struct Refuted {
  EventOrder order;                    // of calls and returns: a history without a witness
  std::optional<std::size_t> blocked;  // nothing: its results are wrong; else this operation must not block
};

// A history without a witness, if there is one. Where operations of it are open, each of them must block after
// all that returned (definition 2 of the paper). Calls that failed and may have done so without a cause may be left out.
[[nodiscard]] std::optional<Refuted> refute(const ObservedHistory& observed,
                                            std::span<const engine::HappensBefore> happens_before,
                                            SerialSteps& steps, const MayBeLeftOut& failed = {});
// The same for the history as it is: nothing could have come in another order.
[[nodiscard]] std::vector<engine::HappensBefore> happens_before_as_run(const ObservedHistory& observed);
// For histories to be met once: equal where the same operations have the same results and the same happens_before. `buffer`: kept from one to
// the next.
[[nodiscard]] Hash128 key_of(const ObservedHistory& observed,
                             std::span<const engine::HappensBefore> happens_before, ResultKeys& results,
                             std::string& buffer);
struct HashOfKey {
  std::size_t operator()(const Hash128& key) const { return key.low; }
};

// Each history with the most order, until `use` returns false. For properties that are not judged step by step.
void each_order(const ObservedHistory& observed, std::span<const engine::HappensBefore> happens_before,
                const std::function<bool(const EventOrder&)>& use);

}  // namespace plumb::testing
