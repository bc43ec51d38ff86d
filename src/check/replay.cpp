// The other half of a verdict: a linearization is replayed before it is believed.
#include <algorithm>

#include "check/part.hpp"

namespace plumb {
namespace {

// Every completed operation stands in the order once, after all those that returned before its call.
bool respects_happens_before(const Part& part, std::span<const Point> linearization) {
  constexpr std::uint32_t kAbsent = ~std::uint32_t{0};
  const std::span<std::uint32_t> rank = part.scratch;
  for (const Event event : part.events) rank[event.operation()] = kAbsent;
  for (std::uint32_t i = 0; i < linearization.size(); ++i) {
    if (rank[linearization[i].operation] != kAbsent) return false;
    rank[linearization[i].operation] = i;
  }
  std::int64_t last_returned = -1;  // the highest rank of what has returned so far
  for (const Event event : part.events) {
    const std::uint32_t at = rank[event.operation()];
    if (event.is_return()) {
      if (at == kAbsent) return false;
      last_returned = std::max<std::int64_t>(last_returned, at);
    } else if (at != kAbsent && at <= last_returned) {
      return false;
    }
  }
  return true;
}

// Some run of the model gives every operation, in this order, the result it had.
bool is_legal(const BoundHistory& history, std::span<const Point> linearization, States& states) {
  const auto run = states.start_run();
  return std::ranges::all_of(linearization, [&](const Point point) {
    return run->apply(history.call(point.operation), history.result(point.operation));
  });
}

}  // namespace

bool replays(const Part& part, std::span<const Point> linearization, States& states) {
  return respects_happens_before(part, linearization) && is_legal(*part.history, linearization, states);
}

}  // namespace plumb
