// One function for each built-in model; each is defined in its own model_*.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <plumb/model.hpp>

namespace plumb {

const Model& register_model();
const Model& counter_model();
const Model& queue_model();
const Model& stack_model();
const Model& deque_model();
const Model& priority_queue_model();
const Model& set_model();
const Model& multiset_model();
const Model& map_model();
const Model& kv_append_model();
const Model& mutex_model();
const Model& multi_register_model();
const Model& semaphore_model();
std::span<const std::unique_ptr<const Model>> java_models();  // java:…

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
