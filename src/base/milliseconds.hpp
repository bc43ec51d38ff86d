// Times as all JSON and texts have them.
#pragma once

#include <plumb/seconds.hpp>

namespace plumb {

[[nodiscard]] constexpr double in_milliseconds(Seconds time) { return time.count() * 1'000; }

}  // namespace plumb
