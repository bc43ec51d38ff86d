#include "explore/order_sites.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "explore/debug_info.hpp"

namespace plumb::engine {
namespace {

// Of the standard library the headers of std::atomic pass on the order that they are given; others have orders of their own.
bool passes_orders_on(std::string_view file) {
  if (file.find("/c++/") == std::string_view::npos) return true;
  const std::string_view name = file.substr(file.rfind('/') + 1);
  return name == "atomic" || name == "atomic_base.h";
}

auto in_order(const OrderSite& site) {
  return std::tie(site.place.file, site.place.line, site.kind, site.order);
}

}  // namespace

OrderSites& OrderSites::instance() {
  static OrderSites sites;
  return sites;
}

const std::optional<OrderSite>& OrderSites::at(OrderKey key) {
  const auto [found, added] = known_.try_emplace(key.packed());
  if (!added) return found->second;
  DebugInfo& info = DebugInfo::instance();
  if (!passes_orders_on(info.file(reinterpret_cast<const void*>(key.pc())))) return found->second;
  const auto places = info.places({{.pc = static_cast<std::uintptr_t>(key.pc() - 1)}}, nullptr);
  if (places.empty() || places.front().file.find("/c++/") != std::string::npos) return found->second;
  found->second = OrderSite{places.front(), key.kind(), static_cast<std::memory_order>(key.order())};
  return found->second;
}

void OrderSites::use(OrderKey key) {
  if (collects_ && std::ranges::find(used_, key.packed()) == used_.end()) used_.push_back(key.packed());
}

std::vector<OrderSite> OrderSites::used() {
  std::vector<OrderSite> sites;
  for (const std::uint64_t packed : used_) {
    if (const auto& site = at(OrderKey::of_packed(packed))) sites.push_back(*site);
  }
  std::ranges::sort(sites, [](const OrderSite& a, const OrderSite& b) { return in_order(a) < in_order(b); });
  const auto is_same = [](const OrderSite& a, const OrderSite& b) { return in_order(a) == in_order(b); };
  sites.erase(std::unique(sites.begin(), sites.end(), is_same), sites.end());
  return sites;
}

}  // namespace plumb::engine
