// One function for each built-in model; each is defined in its own model_*.cpp.
#pragma once

#include <plumb/model.hpp>

namespace plumb {

const Model& register_model();
const Model& queue_model();

}  // namespace plumb
