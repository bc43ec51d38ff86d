#include "check/lifetimes.hpp"

#include <algorithm>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

namespace plumb {
namespace {

// Numbers values as they are met. Integers that lie close together are looked up in an array.
class ValueNumbers {
 public:
  ValueNumbers(const Part& part, std::uint32_t insert) {
    std::int64_t low = 0;
    std::int64_t high = -1;
    std::size_t count = 0;
    for (const Event event : part.events) {
      if (event.is_return() || part.history->operation(event.operation()) != insert) continue;
      const Value value = part.history->history().args(event.operation())[0];
      if (!value.is_small()) return;
      low = count == 0 ? value.small_integer() : std::min(low, value.small_integer());
      high = count == 0 ? value.small_integer() : std::max(high, value.small_integer());
      ++count;
    }
    constexpr std::int64_t kSparse = 8;
    if (high - low < kSparse * static_cast<std::int64_t>(count) + 1024) {
      first_ = low;
      dense_.assign(static_cast<std::size_t>(high - low + 1), Lifetimes::kNobody);
    }
  }

  // The number of the value; `next` if it is new.
  std::uint32_t number(Value value, std::uint32_t next) {
    if (value.is_small()) {
      const auto offset = static_cast<std::uint64_t>(value.small_integer() - first_);
      if (offset < dense_.size()) {
        std::uint32_t& entry = dense_[offset];
        if (entry == Lifetimes::kNobody) entry = next;
        return entry;
      }
    }
    return sparse_.try_emplace(value, next).first->second;
  }

 private:
  std::int64_t first_ = 0;
  std::vector<std::uint32_t> dense_;
  absl::flat_hash_map<Value, std::uint32_t> sparse_;
};

class Collector {
 public:
  Collector(const Part& part, std::uint32_t insert, std::uint32_t remove)
      : part_(part),
        history_(part.history->history()),
        insert_(insert),
        remove_(remove),
        numbers_(part, insert) {
    lives_.value_at.resize(part.events.size(), Lifetimes::kNobody);
  }

  Lifetimes run() {
    if (!history_.initial().is_null()) lives_.unsuitable = "it does not begin empty";
    for (std::uint32_t at = 0; at < part_.events.size() && lives_.unsuitable.empty(); ++at) {
      const Event event = part_.events[at];
      event.is_return() ? see_return(event.operation(), at) : see_call(event.operation(), at);
    }
    if (lives_.unsuitable.empty()) {
      find_impossible();
      drop_unseen();
    }
    return std::move(lives_);
  }

 private:
  Lifetime& life(Value value, std::uint32_t at) {
    const std::uint32_t number = numbers_.number(value, static_cast<std::uint32_t>(lives_.values.size()));
    if (number == lives_.values.size()) lives_.values.emplace_back();
    lives_.value_at[at] = number;
    return lives_.values[number];
  }

  void see_call(OperationId op, std::uint32_t at) {
    part_.scratch[op] = at;
    const std::uint32_t operation = part_.history->operation(op);
    if (operation == insert_) {
      const Value value = history_.args(op)[0];
      if (value.is_null()) lives_.unsuitable = "null is inserted, which also stands for empty";
      Lifetime& l = life(value, at);
      if (l.insertion != Lifetime::kNoOperation) {
        lives_.unsuitable = fmt::format("{} is inserted twice", history_.values().to_json(value));
      }
      l.insertion = op;
      l.ic = at;
    } else if (operation != remove_) {
      lives_.unsuitable = fmt::format("'{}' is not an operation it knows", history_.function_name(op));
    } else if (history_.is_pending(op)) {
      lives_.pending.push_back({op, at});
    } else if (!history_.result(op).is_null()) {
      Lifetime& l = life(history_.result(op), at);
      if (l.removal != Lifetime::kNoOperation) {
        if (lives_.impossible.empty()) lives_.impossible = {l.removal, op};
        return;
      }
      l.removal = op;
      l.rc = at;
    }
  }

  void see_return(OperationId op, std::uint32_t at) {
    const std::uint32_t call = part_.scratch[op];
    const std::uint32_t number = lives_.value_at[call];
    lives_.value_at[at] = number;
    if (number == Lifetimes::kNobody) {
      lives_.empties.push_back({op, call, at});
    } else if (lives_.values[number].insertion == op) {
      lives_.values[number].ir = at;
    } else if (lives_.values[number].removal == op) {
      lives_.values[number].rr = at;
    }
  }

  // Removed twice (found on the way), removed though never inserted, or removed before it was inserted.
  void find_impossible() {
    if (!lives_.impossible.empty()) {
      const std::uint32_t number = lives_.value_at[part_.scratch[lives_.impossible[0]]];
      const OperationId insertion = lives_.values[number].insertion;
      if (insertion != Lifetime::kNoOperation) lives_.impossible.push_back(insertion);
      return;
    }
    for (const Lifetime& l : lives_.values) {
      if (l.insertion == Lifetime::kNoOperation) {
        lives_.impossible = {l.removal};
        return;
      }
      if (l.rr < l.ic) {
        lives_.impossible = {l.insertion, l.removal};
        return;
      }
    }
  }

  // A pending insertion of a value that nobody removed may as well not have happened.
  void drop_unseen() {
    std::vector<std::uint32_t> renumbered(lives_.values.size(), Lifetimes::kNobody);
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < lives_.values.size(); ++i) {
      const Lifetime& l = lives_.values[i];
      if (l.ir == kGone && l.stays()) continue;
      renumbered[i] = kept;
      lives_.values[kept++] = l;
    }
    if (kept == lives_.values.size()) return;
    lives_.values.resize(kept);
    for (std::uint32_t& number : lives_.value_at) {
      if (number != Lifetimes::kNobody) number = renumbered[number];
    }
  }

  const Part& part_;
  const History& history_;
  std::uint32_t insert_;
  std::uint32_t remove_;
  ValueNumbers numbers_;
  Lifetimes lives_;
};

}  // namespace

Lifetimes Lifetimes::of(const Part& part, std::uint32_t insert, std::uint32_t remove) {
  return Collector(part, insert, remove).run();
}

}  // namespace plumb
