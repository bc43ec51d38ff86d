// One function for each built-in model of models.def; each is defined in its own model_*.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <plumb/model.hpp>

namespace plumb {

#define PLUMB_BUILT_IN(NAME, HAS_PROFILES) const Model& NAME##_model();
#include "spec/models.def"
#undef PLUMB_BUILT_IN
std::span<const std::unique_ptr<const Model>> java_models();  // java:…

// The family that is sure: none where it is only claimed.
inline Family known_family(const Model& model) {
  return model.claim() == nullptr ? model.family() : Family::kNone;
}
// The built-in model of a family; null for none.
const Model* model_of(Family family);

// k-queue:K, k-stack:K, k-priority-queue:K. One of each, for lists of models; and any by its name: none if it is no such
// name, an error if it is but has no good K.
std::vector<const Model*> relaxed_models();
std::optional<Result<const Model*>> find_relaxed_model(std::string_view name);
struct RelaxedName {
  std::string_view family;  // without K
  std::optional<std::uint32_t> k;
};
std::optional<RelaxedName> parse_relaxed_name(std::string_view name);

}  // namespace plumb
