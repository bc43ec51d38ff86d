// Why a history is not even quasi linearizable.
#pragma once

#include <plumb/explain.hpp>

#include "spec/bind.hpp"

namespace plumb {

// Of a violation with relaxed classes. What may be left out is little (src/check/relaxed/relaxed.hpp says why), so the core is that
// of the check; the sentence says how much would have been enough, if that is found soon.
[[nodiscard]] Explanation explain_relaxed(const BoundHistory& history, const Violation& violation,
                                          const CheckOptions& options);

}  // namespace plumb
