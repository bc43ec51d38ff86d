#include "check/partners.hpp"

#include <algorithm>

#include "check/value_numbers.hpp"

namespace plumb {
namespace {

// The same as the operator ?:, which compilers like to make a jump of.
constexpr std::uint32_t select(std::uint32_t condition, std::uint32_t yes, std::uint32_t no) {
  return no ^ ((yes ^ no) & (0U - condition));
}

ValueTable table_for(const Part& part, std::uint32_t remove) {
  const History& history = part.history->history();
  ValueTable table;
  if (part.is_whole()) {  // only insertions have arguments
    for (const Value value : history.columns(0, history.size()).arguments) table.expect(value);
  } else {
    for (const Event event : part.events) {
      const OperationId op = event.operation();
      if (!event.is_return() && part.history->operation(op) != remove) table.expect(history.args(op)[0]);
    }
  }
  table.begin();
  return table;
}

// Pairs operations as they are met. Whether one inserts or removes, and whether its partner is known already, is as good
// as random: no branches.
class Pairing {
 public:
  Pairing(const Part& part, std::uint32_t remove)
      : who_(part.scratch.data()), table_(table_for(part, remove)) {}

  // False: there is no value.
  [[gnu::always_inline]] bool add(OperationId op, std::uint32_t removes, Value value) {
    if (value.is_null()) [[unlikely]] {
      who_[op] = Partners::kNobody << 1U | removes;
      wrong_ |= removes ^ 1U;
      return false;
    }
    std::uint32_t& met = table_[value];
    const std::uint32_t is_second = met != ValueTable::kNone ? 1U : 0U;
    const std::uint32_t first = select(is_second, met, op);
    wrong_ |= is_second & (who_[first] != (Partners::kNobody << 1U | (removes ^ 1U)) ? 1U : 0U);
    who_[first] = op << 1U | (removes ^ 1U);
    who_[op] = select(is_second, met, Partners::kNobody) << 1U | removes;
    met = first;
    alone_ += removes - is_second;
    return true;
  }
  [[nodiscard]] bool is_clear() const { return wrong_ == 0 && alone_ == 0; }

 private:
  std::uint32_t* who_;
  ValueTable table_;
  std::uint32_t wrong_ = 0;
  std::uint32_t alone_ = 0;  // removals less pairs
};

}  // namespace

Partners::Partners(const Part& part, std::uint32_t remove) : who_(part.scratch) {
  clear_ = part.history->history().initial().is_null();
  if (clear_) pair_all(part, remove);
  const History& history = part.history->history();
  std::ranges::sort(pending_, {}, [&](OperationId op) { return history.call(op); });
}

void Partners::pair_all(const Part& part, std::uint32_t remove) {
  const History& history = part.history->history();
  Pairing pairing(part, remove);
  const auto note_pending = [&](OperationId op) {
    if (history.is_pending(op)) pending_.push_back(op);
  };
  if (part.is_whole()) {
    const auto arguments = history.columns(0, history.size()).arguments;
    const Value none[] = {kNull};
    const Value* argument = arguments.empty() ? none : arguments.data();
    const std::size_t last = std::max<std::size_t>(arguments.size(), 1) - 1;
    std::size_t next = 0;
    for (OperationId op = 0; op < history.size(); ++op) {
      const std::uint32_t removes = part.history->operation(op) == remove ? 1U : 0U;
      const std::uint32_t value =
          select(removes, history.result(op).bits(), argument[std::min(next, last)].bits());
      next += removes ^ 1U;
      if (!pairing.add(op, removes, Value::from_bits(value))) note_pending(op);
    }
  } else {
    for (const Event event : part.events) {
      if (event.is_return()) continue;
      const OperationId op = event.operation();
      const bool removes = part.history->operation(op) == remove;
      if (!pairing.add(op, removes ? 1U : 0U, removes ? history.result(op) : history.args(op)[0]))
        note_pending(op);
    }
  }
  clear_ = pairing.is_clear();
}

}  // namespace plumb
