#include "watch/online_stack_report.hpp"

#include <fmt/format.h>

namespace plumb {
namespace {

using Id = StackOrder::Id;

constexpr std::size_t kMostNamed = 20;
constexpr std::size_t kMostShown = 8;

class Report {
 public:
  Report(const Values& values, const WatchedStack& stack, const StackOrder& order, const StackPop& pop)
      : values_(values), stack_(stack), order_(order), pop_(pop) {}

  [[nodiscard]] WatchViolation not_empty() const {
    WatchViolation alarm{
        fmt::format("{} is impossible: at each moment while it ran a value was surely inside",
                    pop_text(values_, pop_.process, kNull)),
        {pop_.name}};
    const Id first = order_.first();
    if (first == StackOrder::kNone || order_[first].ir > pop_.called) return alarm;
    alarm.reason += fmt::format(" ({} was)", text(first));
    alarm.operations.push_back(stack_.names[first].push);
    return alarm;
  }

  [[nodiscard]] WatchViolation conflict(const StackOrder::Conflict& conflict) const {
    WatchViolation alarm{conflict.are_inside ? still_inside(conflict.values) : held_up(conflict.values),
                         {pop_.name, stack_.names[pop_.takes].push}};
    for (const Id v : conflict.values) {
      if (v == pop_.takes) continue;
      alarm.operations.push_back(stack_.names[v].push);
      if (!conflict.are_inside) alarm.operations.push_back(stack_.names[v].pop);
    }
    if (alarm.operations.size() > kMostNamed) alarm.operations.resize(kMostNamed);
    return alarm;
  }

 private:
  [[nodiscard]] std::string text(Id v) const { return values_.to_json(stack_.names[v].value); }
  [[nodiscard]] std::string pop() const {
    return pop_text(values_, pop_.process, stack_.names[pop_.takes].value);
  }

  [[nodiscard]] std::string still_inside(std::span<const Id> above) const {
    const std::string more = above.size() == 1 ? "" : fmt::format(" (so are {} more)", above.size() - 1);
    if (order_[above[0]].ic > order_[pop_.takes].ir) {
      return fmt::format("{} is impossible: {} was pushed after {} and is still inside{}", pop(),
                         text(above[0]), text(pop_.takes), more);
    }
    return fmt::format(
        "{} is impossible: {} is still inside{}, and at each moment at which it can have been pushed {} or a "
        "value that "
        "is out by now was there, below it",
        pop(), text(above[0]), more, text(pop_.takes));
  }

  [[nodiscard]] std::string held_up(std::span<const Id> held) const {
    std::string others;
    std::size_t count = 0;
    for (const Id v : held) {
      if (v == pop_.takes || ++count > kMostShown) continue;
      others += (others.empty() ? "" : ", ") + text(v);
    }
    if (count > kMostShown) others += fmt::format(" and {} more", count - kMostShown);
    return fmt::format(
        "{} is called too late: {} and {} were each pushed above another of them or above a value that was "
        "out by then",
        pop(), text(pop_.takes), others);
  }

  const Values& values_;
  const WatchedStack& stack_;
  const StackOrder& order_;
  const StackPop& pop_;
};

}  // namespace

std::string pop_text(const Values& values, Value process, Value result) {
  return fmt::format("`pop → {}` by process {}", result.is_null() ? "empty" : values.to_json(result),
                     values.to_json(process));
}

WatchViolation stack_alarm(const Values& values, const WatchedStack& stack, const StackOrder& order,
                           const StackPop& pop, const StackFinding& found) {
  const Report report(values, stack, order, pop);
  return found.conflict ? report.conflict(*found.conflict) : report.not_empty();
}

}  // namespace plumb
