// Which format a text is of, by how it begins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace plumb {

enum class Shape : std::uint8_t { kUnknown, kOperations, kEvents, kViolat, kEdn, kJepsenLog, kHist };

inline constexpr std::size_t kSniffed = 1U << 16U;  // bytes of the beginning that are looked at

[[nodiscard]] Shape sniff(std::string_view head);

// What plumb itself writes and is no history, a certificate or a verdict as JSON: a sentence that says so, and what it is
// for. Empty for everything else.
[[nodiscard]] std::string_view not_a_history(std::string_view head);

}  // namespace plumb
