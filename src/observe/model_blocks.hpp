// Whether a model lets an operation block: after some order of everything that returned, the model knows no result for it.
#pragma once

#include <cstddef>

#include "observe/log.hpp"
#include "plumb/history.hpp"
#include "plumb/model.hpp"

namespace plumb::observe {

[[nodiscard]] bool may_block_in_model(const Model& model, const History& history, std::size_t operation,
                                      const Log& log);

}  // namespace plumb::observe
