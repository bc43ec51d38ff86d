// Requests and responses of etcd's robustness tests (tests/robustness/model/types.go, from 2023 on), as calls and results of the model
// etcd.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <plumb/history.hpp>
#include <plumb/result.hpp>

namespace plumb {

struct EtcdCall {
  std::string_view function;
  std::vector<Value> args;
  bool only_reads = false;
  std::optional<Value> result;  // none: nobody knows whether it took effect
};

// The error is a sentence; the caller knows the place.
[[nodiscard]] Result<EtcdCall> etcd_call(Value input, Value output, Values& values);

}  // namespace plumb
