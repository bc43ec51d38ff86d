// Time in options and results. Whatever <chrono> has converts to it: `options.timeout = 500ms`. An option that limits a time is a
// std::optional of it: none is no limit, and 0 is no time at all.
#pragma once

#include <chrono>

namespace plumb {

using Seconds = std::chrono::duration<double>;

}  // namespace plumb
