// The other half of a verdict: a linearization is replayed before it is believed.
#include "check/replay.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace plumb {
namespace {

// An order respects time if no operation in it was called after one that comes later had returned: then none comes
// before an operation that happens before it.
class RealTimeOrder {
 public:
  explicit RealTimeOrder(const History& history) : history_(history) {}

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

// Tells a run the operations in the order, many at a time.
class BatchReplay {
 public:
  BatchReplay(const BoundHistory& history, Run& run) : history_(history), run_(run) {
    for (const OperationSpec& spec : history.model().operations())
      result_bits_.push_back(spec.returns == Returns::kNothing ? 0 : ~std::uint32_t{0});
  }

  // False, now or later: an operation could not come next with its result.
  bool next(OperationId op) {
    Step& step = steps_[size_++];
    step.call = history_.call(op);
    step.returned = !history_.history().is_pending(op);
    step.result = Value::from_bits(history_.history().result(op).bits() & result_bits_[step.call.operation]);
    return size_ < steps_.size() || flush();
  }
  bool flush() { return run_.apply_all(std::span(steps_).first(std::exchange(size_, 0))); }

 private:
  const BoundHistory& history_;
  Run& run_;
  std::vector<std::uint32_t>
      result_bits_;  // by operation of the model: none where it returns nothing (null is 0)
  std::array<Step, 256> steps_;
  std::size_t size_ = 0;
};

// What is still to come: one entry per operation, in the part's scratch.
void expect_all(const Part& part) {
  if (part.is_whole()) {
    std::ranges::fill(part.scratch, 1U);
  } else {
    for (const Event event : part.events) part.scratch[event.operation()] = 1;
  }
}

}  // namespace

bool replays(const Part& part, std::span<const OperationId> order, States& states) {
  const BoundHistory& history = *part.history;
  const auto run = states.start_run();
  RealTimeOrder in_time(history.history());
  BatchReplay batch(history, *run);
  expect_all(part);
  std::size_t completed = 0;
  for (const OperationId op : order) {
    if (std::exchange(part.scratch[op], 0U) != 1 || !in_time.next(op) || !batch.next(op)) return false;
    completed += history.history().is_pending(op) ? 0 : 1;
  }
  return completed == count_returns(part) && batch.flush();
}

bool respects_time(const History& history, std::span<const OperationId> order) {
  RealTimeOrder in_time(history);
  return std::ranges::all_of(order, [&](OperationId op) { return in_time.next(op); });
}

}  // namespace plumb
