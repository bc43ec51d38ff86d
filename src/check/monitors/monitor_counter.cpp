// The counter monitor: where every change is a fetch_add of a positive number, the results dictate the order.
//
// Each fetch_add says what the counter was before it, so they stand in a row, each beginning where the one before it
// ended; reads of a number stand at that number's place in the row. Going along the row, each operation takes effect as
// early as it can; one that has returned by then is a violation, and so is a row with a hole or a fork. Impossible is then,
// at the latest: beyond a hole, which nobody fills, who returns first; of a fork, who returns second; who returned before
// one that stands before it in the row was called, or that one if it is a read, which changes nothing.
#include <algorithm>
#include <tuple>

#include "check/monitors/monitor.hpp"

namespace plumb {
namespace {

// An operation at its place in the row.
struct Step {
  std::int64_t number;  // what the counter was
  std::int64_t after;   // and what it was then: a read has the same number twice
  std::uint32_t call;
  std::uint32_t ret;
  OperationId operation;

  [[nodiscard]] bool is_read() const { return number == after; }
};

class CounterMonitor {
 public:
  explicit CounterMonitor(const Part& part) : part_(part), history_(part.history->history()) {}

  MonitorVerdict run() {
    if (auto why = collect(); !why.empty()) return MonitorVerdict::not_applicable(std::move(why));
    // At each number the reads, by call, then the fetch_add.
    std::ranges::sort(row_, {}, [](const Step& s) { return std::tuple(s.number, s.after, s.call); });
    return walk();
  }

 private:
  using Row = std::vector<Step>;

  std::string collect() {
    for (std::uint32_t at = 0; at < part_.events.size(); ++at) {
      const OperationId op = part_.events[at].operation();
      const Role role = part_.history->role(op);
      if (part_.events[at].is_return()) {
        row_[part_.scratch[op]].ret = at;
        continue;
      }
      if (role == Role::kAdd) return "an add does not reveal its place in the order";
      if (history_.is_pending(op)) {
        if (role == Role::kRead) continue;
        return "a fetch_add is pending";
      }
      const std::int64_t number = history_.values().as_integer(history_.result(op));
      std::int64_t after = number;
      if (role == Role::kFetchAdd) {
        const std::int64_t amount = history_.values().as_integer(history_.args(op)[0]);
        if (amount <= 0 || __builtin_add_overflow(number, amount, &after)) return "an amount is not positive";
      }
      part_.scratch[op] = static_cast<std::uint32_t>(row_.size());
      row_.push_back({number, after, at, 0, op});
    }
    return {};
  }

  MonitorVerdict walk() const {
    const Value initial = part_.history->initial();
    std::int64_t number = initial.is_null() ? 0 : history_.values().as_integer(initial);
    std::uint32_t begin = 0;   // the gap in which the counter got this number
    std::uint32_t latest = 0;  // the last gap used
    std::vector<Point> points;
    points.reserve(row_.size());
    for (auto step = row_.begin(); step != row_.end(); ++step) {
      if (step->number != number) return violation(out_of_row(step, number));
      const std::uint32_t gap = std::max(step->is_read() ? begin : latest, step->call + 1);
      if (gap > step->ret) {
        const auto late = std::ranges::find(row_, gap - 1, &Step::call);
        return violation(late->is_read() ? *late : *step);
      }
      points.push_back({step->operation, gap});
      latest = std::max(latest, gap);
      if (!step->is_read()) begin = latest;
      number = step->after;
    }
    return MonitorVerdict::linearizable(points);
  }

  // A hole or a fork: the counter is at `number` and this step is not.
  [[nodiscard]] const Step& out_of_row(Row::const_iterator step, std::int64_t number) const {
    if (step->number > number) return *std::ranges::min_element(step, row_.end(), {}, &Step::ret);
    if (step == row_.begin() || std::prev(step)->ret < step->ret) return *step;
    return *std::prev(step);
  }

  // Every change counts for every later result: nothing can be left out but what is called later.
  [[nodiscard]] MonitorVerdict violation(const Step& late) const {
    std::vector<OperationId> core;
    for (const Event event : part_.events.first(late.ret)) {
      if (!event.is_return() && !history_.is_pending(event.operation())) core.push_back(event.operation());
    }
    MonitorVerdict verdict = MonitorVerdict::violation(std::move(core));
    verdict.late = late.operation;
    return verdict;
  }

  const Part& part_;
  const History& history_;
  Row row_;
};

}  // namespace

MonitorVerdict monitor_counter(const Part& part) { return CounterMonitor(part).run(); }

}  // namespace plumb
