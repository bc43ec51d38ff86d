#include "formats/process_lanes.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>

#include <absl/container/flat_hash_map.h>

#include "history/lane_names.hpp"

namespace plumb {
namespace {

// The operations of one client. What never returns is in nobody's way: it comes last, or stands apart.
class Client {
 public:
  std::size_t take(const ClientOperation& operation) {
    if (operation.ret == kNever) return take_forever(operation.call);
    const auto is_free = [&](Time until) { return until <= operation.call; };
    const auto lane = std::ranges::find_if(busy_until_, is_free);
    const auto number = static_cast<std::size_t>(lane - busy_until_.begin());
    if (lane == busy_until_.end()) busy_until_.push_back(operation.ret);
    busy_until_[number] = operation.ret;
    return number;
  }
  [[nodiscard]] bool overlaps() const { return busy_until_.size() > 1; }

 private:
  std::size_t take_forever(Time call) {
    const bool is_last = !has_ended_ && std::ranges::all_of(busy_until_, [&](Time t) { return t <= call; });
    has_ended_ = has_ended_ || is_last;
    return is_last ? 0 : busy_until_.size() + apart_++;
  }

  std::vector<Time> busy_until_;  // each lane
  bool has_ended_ = false;
  std::size_t apart_ = 0;
};

// By their calls; those that never return after the others.
std::vector<std::size_t> in_order(const std::vector<ClientOperation>& operations) {
  std::vector<std::size_t> order(operations.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    const ClientOperation& op = operations[i];
    return std::tuple(op.ret == kNever, op.call, op.ret);
  });
  return order;
}

}  // namespace

std::vector<Value> processes_of(const std::vector<ClientOperation>& operations, Values& values) {
  absl::flat_hash_map<Value, Client> clients;
  std::vector<std::size_t> lanes(operations.size());
  for (const std::size_t i : in_order(operations))
    lanes[i] = clients[operations[i].client].take(operations[i]);
  std::vector<Value> processes;
  processes.reserve(operations.size());
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const Value client = operations[i].client;
    if (lanes[i] == 0 && !clients[client].overlaps()) {
      processes.push_back(client);
      continue;
    }
    const bool is_text = values.kind(client) == ValueKind::kString;
    const std::string name = is_text ? std::string(values.as_string(client)) : values.to_json(client);
    processes.push_back(values.string(lane_name(name, lanes[i])));
  }
  return processes;
}

}  // namespace plumb
