// What walks at random have met: how many histories, and how many of them once only. What they have not met cannot be counted, but its
// share can be estimated: the next walk meets a new history about as often as walks so far met one that no other has (Good 1953, after
// Turing).
#pragma once

#include <cstdint>

#include <absl/container/flat_hash_map.h>

#include "testing/reorderings.hpp"

namespace plumb::testing {

class WalkCensus {
 public:
  // `key`: equal for equal histories.
  void note(const Hash128& key) {
    const auto [met, is_new] = met_.try_emplace(key, false);
    if (is_new) {
      ++once_;
    } else if (!met->second) {
      met->second = true;
      --once_;
    }
  }

  [[nodiscard]] std::size_t histories() const { return met_.size(); }
  [[nodiscard]] std::size_t met_once() const { return once_; }

 private:
  absl::flat_hash_map<Hash128, bool, HashOfKey> met_;  // by its key: more than once
  std::size_t once_ = 0;
};

}  // namespace plumb::testing
