#include "explore/changed_orders.hpp"

#include <array>
#include <charconv>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/step.hpp"

namespace plumb {
namespace {

constexpr std::array<std::string_view, 5> kAccessKinds = {"load", "store", "update", "failure", "fence"};

std::string_view order_word(std::memory_order order) {
  return runtime::order_name(static_cast<std::uint8_t>(order));
}

}  // namespace

std::string_view to_string(AccessKind kind) { return kAccessKinds.at(static_cast<std::size_t>(kind)); }

std::string to_string(const OrderChange& change) {
  std::string text = fmt::format("{}:{}:{}", change.file.substr(change.file.rfind('/') + 1), change.line,
                                 to_string(change.kind));
  if (change.instead_of) text += fmt::format(":{}", order_word(*change.instead_of));
  return text + fmt::format("={}", order_word(change.order));
}

namespace engine {
namespace {

// "queue.hpp" and "src/queue.hpp" are both the end of "/home/me/src/queue.hpp".
bool is_end_of_path(std::string_view end, std::string_view path) {
  if (!path.ends_with(end)) return false;
  const std::size_t before = path.size() - end.size();
  return before == 0 || end.starts_with('/') || path[before - 1] == '/';
}

bool is_at(const OrderChange& change, const OrderSite& site) {
  return change.kind == site.kind && change.line == site.place.line &&
         (!change.instead_of || *change.instead_of == site.order) &&
         is_end_of_path(change.file, site.place.file);
}

std::optional<std::memory_order> order_named(std::string_view word) {
  constexpr std::array kOrders = {std::memory_order_relaxed, std::memory_order_acquire,
                                  std::memory_order_release, std::memory_order_acq_rel,
                                  std::memory_order_seq_cst};
  for (const std::memory_order order : kOrders) {
    if (order_word(order) == word) return order;
  }
  return std::nullopt;
}

// Loads do not release, stores do not acquire.
bool can_have(AccessKind kind, std::memory_order order) {
  if (kind == AccessKind::kLoad || kind == AccessKind::kFailure)
    return order != std::memory_order_release && order != std::memory_order_acq_rel;
  if (kind == AccessKind::kStore)
    return order != std::memory_order_acquire && order != std::memory_order_acq_rel;
  return true;
}

std::vector<std::string_view> split_from_the_end(std::string_view text, std::size_t most) {
  std::vector<std::string_view> parts;
  while (parts.size() + 1 < most) {
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos) break;
    parts.insert(parts.begin(), text.substr(colon + 1));
    text = text.substr(0, colon);
  }
  parts.insert(parts.begin(), text);
  return parts;
}

}  // namespace

void ChangedOrders::set(const std::vector<OrderChange>& changes) {
  changes_ = changes;
  rows_.clear();
  new_.clear();
  met_ = 0;
  is_on_ = !changes.empty() || OrderSites::instance().collects();
  if (!is_on_) return;
  for (const auto& [packed, site] : OrderSites::instance().known()) {
    if (site) rows_.emplace(packed, row_of(OrderKey::of_packed(packed)));
  }
}

ChangedOrders::Row ChangedOrders::row_of(OrderKey key) const {
  const auto& site = OrderSites::instance().at(key);
  for (std::size_t i = 0; site && i < changes_.size(); ++i) {
    if (is_at(changes_[i], *site))
      return {.order = static_cast<std::uint8_t>(changes_[i].order), .change = std::uint64_t{1} << i};
  }
  return {.order = key.order(), .change = 0};
}

std::uint8_t ChangedOrders::order_of(const void* pc, AccessKind kind, std::uint8_t order) {
  const OrderKey key(pc, kind, order);
  Row& row = rows_.try_emplace(key.packed(), Row{.order = order, .change = 0}).first->second;
  if (!row.is_met) {
    row.is_met = true;
    new_.push_back(key);
  }
  met_ |= row.change;
  return row.order;
}

bool ChangedOrders::learn() {
  bool differs = false;
  for (const OrderKey key : new_) {
    Row& row = rows_.at(key.packed());
    const Row right = row_of(key);
    differs |= right.order != row.order;
    row.order = right.order;
    row.change = right.change;
    OrderSites::instance().use(key);
  }
  new_.clear();
  return differs;
}

Result<OrderChange> parse_order_change(const std::string& text) {
  const auto wrong = [&](std::string_view what) {
    return Error{fmt::format(
        "'{}': {}; expected FILE:LINE:ACCESS=ORDER, as queue.hpp:31:load=relaxed, where ACCESS is {}", text,
        what, fmt::join(kAccessKinds, ", "))};
  };
  const auto equals = text.rfind('=');
  if (equals == std::string::npos) return wrong("no order is given");
  OrderChange change;
  const auto order = order_named(std::string_view(text).substr(equals + 1));
  if (!order) return wrong(fmt::format("'{}' is no memory order", text.substr(equals + 1)));
  change.order = *order;
  std::string_view place = std::string_view(text).substr(0, equals);
  if (const auto colon = place.rfind(':'); colon != std::string_view::npos) {
    change.instead_of = order_named(place.substr(colon + 1));
    if (change.instead_of) place = place.substr(0, colon);
  }
  const auto parts = split_from_the_end(place, 3);
  if (parts.size() != 3 || parts[0].empty()) return wrong("that is no place");
  const auto [end, error] = std::from_chars(parts[1].data(), parts[1].data() + parts[1].size(), change.line);
  if (error != std::errc() || end != parts[1].data() + parts[1].size() || change.line <= 0)
    return wrong(fmt::format("'{}' is no line", parts[1]));
  std::size_t kind = 0;
  while (kind < kAccessKinds.size() && kAccessKinds.at(kind) != parts[2]) ++kind;
  if (kind == kAccessKinds.size()) return wrong(fmt::format("'{}' is no access", parts[2]));
  change.file = parts[0];
  change.kind = static_cast<AccessKind>(kind);
  if (!can_have(change.kind, change.order))
    return wrong(fmt::format("a {} cannot be {}", parts[2], order_word(change.order)));
  return change;
}

}  // namespace engine
}  // namespace plumb
