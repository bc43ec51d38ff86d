#include "testing/weaker_orders.hpp"

#include <array>

namespace plumb::testing {
namespace {

bool acquires(std::memory_order order) {
  return order != std::memory_order_relaxed && order != std::memory_order_release;
}
bool releases(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

bool can_have(AccessKind access, std::memory_order order) {
  const bool reads = access != AccessKind::kStore;
  const bool writes = access != AccessKind::kLoad && access != AccessKind::kFailure;
  if (order == std::memory_order_acquire) return reads;
  if (order == std::memory_order_release) return writes;
  return order != std::memory_order_acq_rel || (reads && writes);
}

}  // namespace

bool is_weaker(std::memory_order order, std::memory_order than) {
  if (order == than || order == std::memory_order_seq_cst) return false;
  if (than == std::memory_order_seq_cst) return true;
  const bool is_part = (!acquires(order) || acquires(than)) && (!releases(order) || releases(than));
  return is_part && (acquires(order) != acquires(than) || releases(order) != releases(than));
}

std::vector<std::memory_order> weaker_orders(AccessKind access, std::memory_order order) {
  constexpr std::array kOrders = {std::memory_order_relaxed, std::memory_order_acquire,
                                  std::memory_order_release, std::memory_order_acq_rel};
  std::vector<std::memory_order> weaker;
  for (const std::memory_order each : kOrders) {
    if (can_have(access, each) && is_weaker(each, order)) weaker.push_back(each);
  }
  return weaker;
}

}  // namespace plumb::testing
