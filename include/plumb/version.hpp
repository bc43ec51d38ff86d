// Which plumb this is, for the preprocessor and for programs. Until 1.0 any minor version may change the interface.
#pragma once

#include <string_view>

#define PLUMB_VERSION_MAJOR 0
#define PLUMB_VERSION_MINOR 1
#define PLUMB_VERSION_PATCH 0

namespace plumb {

inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace plumb
