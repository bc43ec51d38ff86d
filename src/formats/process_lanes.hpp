// Processes for operations whose client may run several at a time: the first keeps the client's number, each further one that
// overlaps it is a process of its own, named after the client.
#pragma once

#include <cstdint>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <plumb/history.hpp>

namespace plumb {

class ProcessLanes {
 public:
  explicit ProcessLanes(Values& values) : values_(values) {}

  // For an operation called at `call`, which returns at `ret`; calls must ascend.
  Value take(Value client, Time call, Time ret) {
    std::vector<Time>& lanes = busy_until_[client];
    std::size_t lane = 0;
    while (lane < lanes.size() && (lanes[lane] > call || lanes[lane] == kNever)) ++lane;
    if (lane == lanes.size()) lanes.push_back(ret);
    lanes[lane] = ret;
    return lane == 0 ? client : values_.string(fmt::format("{}/{}", values_.to_json(client), lane));
  }

 private:
  Values& values_;
  absl::flat_hash_map<Value, std::vector<Time>> busy_until_;
};

}  // namespace plumb
