// "Behaves as a queue": a model's claim to belong to a family, tested against the class itself.
//
// The operations are matched with those of the family's built-in model by their roles. Then both are run side by side, from
// the beginning: through every sequence of operations that leads to the first thousand states, and through one long run that
// fills the object and empties it again. Results must be the same at every step: the conventions are those of the built-in
// model (null for a removal from what is empty), but an operation that returns nothing there may always return one and the
// same value here (Java's offer returns true).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plumb/model.hpp>

namespace plumb {

class BoundHistory;

struct TestedClaim {
  static constexpr std::uint32_t kOutside = ~std::uint32_t{0};

  std::optional<Error> wrong;       // the claim does not hold, or cannot be tested: nothing else counts
  const Model* built_in = nullptr;  // of the family
  std::vector<std::uint32_t> operation_of;   // of the built-in model, by the model's operation; or kOutside
  std::vector<std::optional<Value>> always;  // what it always returns, where the built-in one returns nothing
  Value initial;                             // as the built-in model is told it: what the object begins with
  bool has_outside = false;

  // Why the family says nothing of this history, which is bound to the model itself; empty if it does.
  [[nodiscard]] std::string leaves_family(const BoundHistory& history) const;
  // The same of a call, and of a result.
  [[nodiscard]] bool covers_arguments(const Model& model, const Call& call, const Values& values) const;
  [[nodiscard]] bool covers_result(const Model& model, std::uint32_t operation, Value result,
                                   const Values& values) const;
};

// The model must have a claim. It is tested when this is asked first.
[[nodiscard]] const TestedClaim& tested_claim(const Model& model);

}  // namespace plumb
