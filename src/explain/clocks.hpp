// Explanations of violations where the clocks may be off.
#pragma once

#include <string>

#include <plumb/explain.hpp>

#include "spec/bind.hpp"

namespace plumb {

// Of a violation that CheckOptions::clock_error does not explain away.
[[nodiscard]] Explanation explain_with_clock_error(const BoundHistory& history, const Violation& violation,
                                                   const CheckOptions& options);

// Whether, and with how large an error of the clocks, a violation by the times as they are would be none: the end of a sentence.
// Empty where the history has no times, or so short ones that they are no clock's, or where it is not known soon.
[[nodiscard]] std::string what_clocks_would_do(const BoundHistory& history, const Violation& violation,
                                               const CheckOptions& options);

}  // namespace plumb
