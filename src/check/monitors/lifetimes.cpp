#include "check/monitors/lifetimes.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/huge_pages.hpp"
#include "check/monitors/value_numbers.hpp"

namespace plumb {
namespace {

class Collector {
 public:
  explicit Collector(const Part& part)
      : part_(part), history_(part.history->history()), result_(history_.columns(0, history_.size()).result) {
    prepare_numbers();
    lives_.who = part.scratch;
    reserve_large(lives_.values, numbers_.expected());
    lives_.values.resize(numbers_.expected());
  }

  Lifetimes run() {
    if (!part_.history->initial().is_null()) lives_.unsuitable = "it does not begin empty";
    number_operations();
    if (!lives_.unsuitable.empty()) return std::move(lives_);
    lives_.values.resize(numbers_.size());  // fewer than expected, if some came twice
    note_moments();
    find_impossible();
    drop_unseen();
    return std::move(lives_);
  }

 private:
  static constexpr std::size_t kMostValues = Lifetimes::kEmpty / 2;

  void prepare_numbers() {
    if (part_.is_whole()) {  // only insertions have arguments
      for (const Value value : history_.columns(0, history_.size()).arguments) numbers_.expect(value);
    } else {
      for (const Event event : part_.events) {
        if (event.is_return() || part_.history->role(event.operation()) != Role::kInsert) continue;
        numbers_.expect(history_.args(event.operation())[0]);
      }
    }
    numbers_.begin();
  }

  // Which value each operation is about. Needs no order in time.
  void number_operations() {
    if (part_.is_whole()) {
      constexpr OperationId kAhead = 24;
      for (OperationId op = 0; op < history_.size() && lives_.unsuitable.empty(); ++op) {
        if (op + kAhead < history_.size()) numbers_.prefetch(value_of(op + kAhead));
        number(op);
      }
      return;
    }
    for (const Event event : part_.events) {
      if (!event.is_return()) number(event.operation());
      if (!lives_.unsuitable.empty()) return;
    }
  }

  [[nodiscard]] Value value_of(OperationId op) const {
    return *(part_.history->role(op) == Role::kRemove ? &result_[op] : history_.args(op).data());
  }

  void number(OperationId op) {
    const Role role = part_.history->role(op);
    const bool is_removal = role == Role::kRemove;
    if (!is_removal && role != Role::kInsert) {
      lives_.unsuitable = fmt::format("'{}' is not an operation it knows", history_.function_name(op));
      return;
    }
    const Value value = value_of(op);
    if (value.is_null()) return number_nothing(op, is_removal);
    const std::uint32_t number = numbers_.number(value);
    if (number >= lives_.values.size()) lives_.values.resize(number + 1);
    lives_.who[op] = 2 * number + (is_removal ? 1 : 0);
    OperationId& known = lives_.values[number].operation[is_removal ? 1 : 0];
    if (known != Lifetime::kNoOperation || number == kMostValues) return twice(known, op, is_removal);
    known = op;
  }

  void number_nothing(OperationId op, bool is_removal) {
    if (!is_removal) {
      lives_.unsuitable = "null is inserted, which also stands for empty";
    } else if (history_.is_pending(op)) {
      lives_.who[op] = Lifetimes::kNobody;
    } else {
      lives_.who[op] = Lifetimes::kEmpty + static_cast<std::uint32_t>(lives_.empties.size());
      lives_.empties.push_back({op, kGone, kGone});
    }
  }

  void twice(OperationId known, OperationId op, bool is_removal) {
    if (known == Lifetime::kNoOperation) {
      lives_.unsuitable = "there are too many values";
    } else if (!is_removal) {
      lives_.unsuitable =
          fmt::format("{} is inserted twice", history_.values().to_json(history_.args(op)[0]));
    } else if (lives_.impossible.empty()) {
      lives_.impossible = {known, op};
    }
  }

  void note_moments() {
    for (std::uint32_t at = 0; at < part_.events.size(); ++at) {
      const Event event = part_.events[at];
      const std::uint32_t who = lives_.who[event.operation()];
      if (who < Lifetimes::kEmpty) {
        lives_.values[who / 2].moment[Lifetimes::moment(who, event)] = at;
      } else if (who == Lifetimes::kNobody) {
        lives_.pending.push_back({event.operation(), at});
      } else {
        EmptyRemoval& e = lives_.empties[who - Lifetimes::kEmpty];
        (event.is_return() ? e.ret : e.call) = at;
      }
    }
  }

  // Removed twice (found on the way), removed though never inserted, or removed before it was inserted.
  void find_impossible() {
    if (!lives_.impossible.empty()) {
      const std::uint32_t number = lives_.who[lives_.impossible[0]] / 2;
      const OperationId insertion = lives_.values[number].insertion();
      if (insertion != Lifetime::kNoOperation) lives_.impossible.push_back(insertion);
      return;
    }
    for (const Lifetime& l : lives_.values) {
      if (l.insertion() == Lifetime::kNoOperation) {
        lives_.impossible = {l.removal()};
        return;
      }
      if (l.rr() < l.ic()) {
        lives_.impossible = {l.insertion(), l.removal()};
        return;
      }
    }
  }

  // A pending insertion of a value that nobody removed may as well not have happened.
  void drop_unseen() {
    const auto unseen = [](const Lifetime& l) { return l.ir() == kGone && l.stays(); };
    if (std::ranges::none_of(lives_.values, unseen)) return;
    std::vector<std::uint32_t> renumbered(lives_.values.size(), Lifetimes::kNobody);
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < lives_.values.size(); ++i) {
      if (unseen(lives_.values[i])) continue;
      renumbered[i] = kept;
      lives_.values[kept++] = lives_.values[i];
    }
    lives_.values.resize(kept);
    for (const Event event : part_.events) {
      if (event.is_return()) continue;
      std::uint32_t& who = lives_.who[event.operation()];
      if (who >= Lifetimes::kEmpty) continue;
      const std::uint32_t number = renumbered[who / 2];
      who = number == Lifetimes::kNobody ? number : 2 * number + (who & 1U);
    }
  }

  const Part& part_;
  const History& history_;
  std::span<const Value> result_;
  ValueNumbers numbers_;
  Lifetimes lives_;
};

}  // namespace

Lifetimes Lifetimes::of(const Part& part) { return Collector(part).run(); }

}  // namespace plumb
