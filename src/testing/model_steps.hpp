// A model as the judge of a scenario's histories: what each operation, with the result it had, leads to, and where it blocks,
// which is where the model knows no result for it.
#pragma once

#include <memory>

#include "plumb/detail/test_case.hpp"
#include "plumb/history.hpp"
#include "plumb/model.hpp"
#include "plumb/result.hpp"
#include "testing/reorderings.hpp"

namespace plumb::testing {

// The history is the observed one, of this test. Both must live longer, and the model.
[[nodiscard]] Result<std::unique_ptr<SerialSteps>> model_steps(const Model& model, const History& history,
                                                               const ObservedHistory& observed,
                                                               const TestCase& test);

}  // namespace plumb::testing
