// One function for each built-in model; each is defined in its own model_*.cpp.
#pragma once

#include <memory>
#include <span>

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

}  // namespace plumb
