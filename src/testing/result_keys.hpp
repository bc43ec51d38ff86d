// What results are known by in keys of histories: the same in every process of a run, which may have met them in another order and so have
// given them other handles.
#pragma once

#include <cstdint>

#include <absl/container/flat_hash_map.h>

#include <plumb/value.hpp>

#include "base/hash.hpp"

namespace plumb::testing {

class ResultKeys {
 public:
  explicit ResultKeys(const Values& values) : values_(values) {}

  [[nodiscard]] std::uint64_t of(Value result) {
    if (result.is_small() || result.is_null() || result.is_bool()) return result.bits();
    const auto [known, is_new] = keys_.try_emplace(result.bits());
    if (is_new) known->second = hash128(values_.to_json(result)).low;
    return known->second;
  }

 private:
  const Values& values_;
  absl::flat_hash_map<std::uint32_t, std::uint64_t> keys_;  // by handle
};

}  // namespace plumb::testing
