// The one answer that plumb gives, whatever it was asked: of a history, whether it is linearizable; of a test and of an exploration, whether
// it passes. What cannot be asked at all (an unreadable file, a test that fits no model) is no answer but an error.
#pragma once

#include <cstdint>
#include <string_view>

namespace plumb {

enum class Outcome : std::uint8_t {
  kHolds,      // the property holds: the history is linearizable, the test passes
  kViolation,  // it does not, and there is a proof
  kUnknown,    // a budget was spent before either was certain
};

// "violation", "unknown", or the word for what holds: "linearizable" of a history, "pass" of a test.
[[nodiscard]] constexpr std::string_view to_string(Outcome outcome, std::string_view holds = "holds") {
  return outcome == Outcome::kHolds ? holds : outcome == Outcome::kViolation ? "violation" : "unknown";
}

}  // namespace plumb
