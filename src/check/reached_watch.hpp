// How far the search of a history has come. Another thread may ask at any time, even when the search does not answer.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include <plumb/check.hpp>

namespace plumb {

class ReachedWatch {
 public:
  static constexpr std::uint32_t kAll = ~std::uint32_t{0};

  // The positions of each part's events among all; empty: there is only one part. And its first return, or kAll.
  void begin(std::vector<std::span<const std::uint32_t>> positions,
             const std::vector<std::uint32_t>& first_returns) {
    const std::scoped_lock lock(mutex_);
    positions_ = std::move(positions);
    reached_ = std::make_unique<std::atomic<std::uint32_t>[]>(positions_.size());
    for (std::uint32_t part = 0; part < positions_.size(); ++part)
      first_returns[part] == kAll ? pass(part) : reach(part, first_returns[part]);
  }

  // The part has been explained up to its event `position`. Called by the search of the part, often.
  void reach(std::uint32_t part, std::uint32_t position) {
    const auto& among_all = positions_[part];
    const std::uint32_t at = among_all.empty() ? position : among_all[position];
    if (at > reached_[part].load(std::memory_order_relaxed))
      reached_[part].store(at, std::memory_order_relaxed);
  }
  void pass(std::uint32_t part) { reached_[part].store(kAll, std::memory_order_relaxed); }

  // The first event that is not explained. Nothing: no search has begun, or all are over.
  [[nodiscard]] std::optional<std::uint32_t> position() {
    const std::scoped_lock lock(mutex_);
    std::uint32_t least = kAll;
    for (std::size_t part = 0; part < positions_.size(); ++part)
      least = std::min(least, reached_[part].load(std::memory_order_relaxed));
    return least == kAll ? std::nullopt : std::optional(least);
  }

 private:
  std::mutex mutex_;  // of begin() against position(); parts are told of without
  std::vector<std::span<const std::uint32_t>> positions_;  // by part
  std::unique_ptr<std::atomic<std::uint32_t>[]> reached_;  // by part
};

// check(), watched. A watch is for one check.
[[nodiscard]] Result<Verdict> check_watched(const History& history, const Model& model,
                                            const CheckOptions& options, ReachedWatch& watch);

// What is explained of a history up to this event, a return; without the order.
[[nodiscard]] Explained explained_before(const History& history, std::size_t position);

}  // namespace plumb
