// The other half of a verdict: a linearization is replayed before it is believed.
#include "check/replay.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace plumb {
namespace {

// An order respects time if no operation in it was called after one that comes later had returned: then none comes
// before an operation that happens before it.
class InTime {
 public:
  explicit InTime(const History& history) : history_(history) {}

  bool next(OperationId op) {
    latest_call_ = std::max(latest_call_, history_.call(op));
    return history_.ret(op) >= latest_call_;
  }

 private:
  const History& history_;
  Time latest_call_ = std::numeric_limits<Time>::min();
};

std::size_t count_returns(const Part& part) {
  const History& history = part.history->history();
  if (part.is_whole()) return history.size() - history.pending();
  return static_cast<std::size_t>(std::ranges::count_if(part.events, &Event::is_return));
}

// What is still to come: one entry an operation, in the part's scratch.
void expect_all(const Part& part) {
  if (part.is_whole()) {
    std::ranges::fill(part.scratch, 1U);
  } else {
    for (const Event event : part.events) part.scratch[event.operation()] = 1;
  }
}

}  // namespace

bool replays(const Part& part, std::span<const Point> linearization, States& states) {
  const BoundHistory& history = *part.history;
  const auto run = states.start_run();
  InTime in_time(history.history());
  expect_all(part);
  std::size_t completed = 0;
  for (const Point point : linearization) {
    const OperationId op = point.operation;
    const auto result = history.result(op);
    if (std::exchange(part.scratch[op], 0U) != 1 || !in_time.next(op)) return false;
    if (!run->apply(history.call(op), result)) return false;
    completed += result ? 1 : 0;
  }
  return completed == count_returns(part);
}

bool respects_time(const History& history, std::span<const OperationId> order) {
  InTime in_time(history);
  return std::ranges::all_of(order, [&](OperationId op) { return in_time.next(op); });
}

}  // namespace plumb
