#include "check/monitors/partners.hpp"

#include <algorithm>
#include <utility>

#include "check/monitors/value_numbers.hpp"

namespace plumb {
namespace {

// The same as the operator ?:, which compilers like to make a jump of.
constexpr std::uint32_t select(std::uint32_t condition, std::uint32_t yes, std::uint32_t no) {
  return no ^ ((yes ^ no) & (0U - condition));
}

ValueTable table_for(const Part& part) {
  ValueTable table;
  visit_inserted(part, [&](Value value) { table.expect(value); });
  table.begin();
  return table;
}

// Pairs operations as they are met. Whether one inserts or removes, and whether its partner is known already, is as good
// as random: no branches.
class Pairing {
 public:
  explicit Pairing(const Part& part) : who_(part.scratch.data()), table_(table_for(part)) {}

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
  [[nodiscard]] const ValueTable& table() const { return table_; }
  [[nodiscard]] bool is_wrong() const { return wrong_ != 0; }
  [[nodiscard]] bool is_clear() const { return wrong_ == 0 && alone_ == 0; }

 private:
  std::uint32_t* who_;
  ValueTable table_;
  std::uint32_t wrong_ = 0;
  std::uint32_t alone_ = 0;  // removals less pairs
};

// Whether an operation removes, and the value it is about, in a whole history; no branches either.
class WholeValues {
 public:
  explicit WholeValues(const BoundHistory& history)
      : bound_(history),
        history_(history.history()),
        arguments_(history_.columns(0, history_.size()).arguments),
        begin_(arguments_.data()),
        last_(std::max<std::size_t>(arguments_.size(), 1) - 1) {
    if (arguments_.empty()) arguments_ = {&kNull, 1};
  }

  [[gnu::always_inline]] std::pair<std::uint32_t, Value> operator[](OperationId op) const {
    const std::uint32_t removes = bound_.role(op) == Role::kRemove ? 1U : 0U;
    const auto place = static_cast<std::size_t>(history_.args(op).data() - begin_);
    const Value argument = arguments_[std::min(place, last_)];  // of a removal, that of another one
    return {removes, Value::from_bits(select(removes, history_.result(op).bits(), argument.bits()))};
  }

 private:
  const BoundHistory& bound_;
  const History& history_;
  std::span<const Value> arguments_;
  const Value* begin_;
  std::size_t last_;
};

constexpr OperationId kAhead = 24;    // of operations whose values are fetched
constexpr OperationId kAtOnce = 512;  // before it is looked whether something is wrong

}  // namespace

Partners::Partners(const Part& part) : who_(part.scratch) {
  clear_ = part.history->initial().is_null();
  if (clear_) pair_all(part);
  const History& history = part.history->history();
  std::ranges::sort(pending_, {}, [&](OperationId op) { return history.call(op); });
}

void Partners::pair_all(const Part& part) {
  const History& history = part.history->history();
  Pairing pairing(part);
  const auto note_pending = [&](OperationId op) {
    if (history.is_pending(op)) pending_.push_back(op);
  };
  if (part.is_whole()) {
    const WholeValues values(*part.history);
    const bool scattered = pairing.table().is_scattered();
    const auto size = static_cast<OperationId>(history.size());
    for (OperationId begin = 0; begin < size && !pairing.is_wrong(); begin += kAtOnce) {
      const OperationId end = std::min(begin + kAtOnce, size);
      for (OperationId op = begin; op < end; ++op) {
        if (scattered) pairing.table().prefetch(values[std::min(op + kAhead, size - 1)].second);
        const auto [removes, value] = values[op];
        if (!pairing.add(op, removes, value)) note_pending(op);
      }
    }
  } else {
    for (const Event event : part.events) {
      if (event.is_return()) continue;
      const OperationId op = event.operation();
      const bool removes = part.history->role(op) == Role::kRemove;
      if (!pairing.add(op, removes ? 1U : 0U, removes ? history.result(op) : history.args(op)[0]))
        note_pending(op);
    }
  }
  clear_ = pairing.is_clear();
}

}  // namespace plumb
