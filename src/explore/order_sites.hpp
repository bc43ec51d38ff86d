// Where the program says memory orders: the lines of the atomic accesses that threads have made under a weak memory model, in this process.
// An address in the code is looked up once; which of them were used is counted anew for each audit.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "plumb/explore.hpp"

namespace plumb::engine {

// An access at an address in the code, with an order that it had there: a number, for tables.
class OrderKey {
 public:
  // `pc`: a return address, as steps have it.
  OrderKey(const void* pc, AccessKind kind, std::uint8_t order)
      : packed_(reinterpret_cast<std::uint64_t>(pc) | static_cast<std::uint64_t>(kind) << kKindAt |
                static_cast<std::uint64_t>(order) << kOrderAt) {}

  [[nodiscard]] std::uint64_t packed() const { return packed_; }
  [[nodiscard]] std::uint64_t pc() const { return packed_ & ((std::uint64_t{1} << kKindAt) - 1); }
  [[nodiscard]] AccessKind kind() const { return static_cast<AccessKind>(packed_ >> kKindAt & kMask); }
  [[nodiscard]] std::uint8_t order() const { return static_cast<std::uint8_t>(packed_ >> kOrderAt & kMask); }
  static OrderKey of_packed(std::uint64_t packed) {
    OrderKey key(nullptr, AccessKind::kLoad, 0);
    key.packed_ = packed;
    return key;
  }

 private:
  static constexpr unsigned kKindAt = 48;  // addresses of programs are smaller
  static constexpr unsigned kOrderAt = 52;
  static constexpr std::uint64_t kMask = 0xF;
  std::uint64_t packed_;
};

// A line that says an order.
struct OrderSite {
  SourcePlace place;
  AccessKind kind = AccessKind::kLoad;
  std::memory_order order = std::memory_order_relaxed;
};

class OrderSites {
 public:
  static OrderSites& instance();

  // Nothing: it is not the program that says the order there, but the standard library for itself.
  const std::optional<OrderSite>& at(OrderKey key);
  void use(OrderKey key);

  // Collects what is used, from now on.
  void collect(bool on) {
    collects_ = on;
    used_.clear();
  }
  [[nodiscard]] bool collects() const { return collects_; }
  // By file and line; each once.
  [[nodiscard]] std::vector<OrderSite> used();

  [[nodiscard]] const std::unordered_map<std::uint64_t, std::optional<OrderSite>>& known() const {
    return known_;
  }

 private:
  std::unordered_map<std::uint64_t, std::optional<OrderSite>> known_;  // by packed key
  std::vector<std::uint64_t> used_;
  bool collects_ = false;
};

}  // namespace plumb::engine
