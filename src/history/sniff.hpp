// Which format a text is of, by how it begins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace plumb {

enum class Shape : std::uint8_t { kUnknown, kOperations, kEvents, kViolat, kEdn, kJepsenLog, kHist };

inline constexpr std::size_t kSniffed = 1U << 16U;  // bytes of the beginning that are looked at

[[nodiscard]] Shape sniff(std::string_view head);

}  // namespace plumb
