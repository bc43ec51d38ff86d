// What `jobs` means in all options: how many threads or processes work at a time, and 0 for one per core.
#pragma once

#include <algorithm>
#include <thread>

namespace plumb {

[[nodiscard]] inline unsigned cores() { return std::max(1U, std::thread::hardware_concurrency()); }
[[nodiscard]] inline unsigned workers_for(unsigned jobs) { return jobs != 0 ? jobs : cores(); }

}  // namespace plumb
