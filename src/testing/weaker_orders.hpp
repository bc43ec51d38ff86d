// The orders that are weaker than one, for each kind of access.
#pragma once

#include <atomic>
#include <vector>

#include <plumb/explore.hpp>

namespace plumb::testing {

// In C++'s partial order: acquire and release are not comparable.
[[nodiscard]] bool is_weaker(std::memory_order order, std::memory_order than);

// The weakest first.
[[nodiscard]] std::vector<std::memory_order> weaker_orders(AccessKind access, std::memory_order order);

}  // namespace plumb::testing
