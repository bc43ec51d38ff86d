// What a plain search of one family of objects says of a history.
#pragma once

#include <cstdint>

namespace plumb {

enum class FamilySwept : std::uint8_t { kPassed, kStuck, kGaveUp };

}  // namespace plumb
