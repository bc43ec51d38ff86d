#include "testing/reorderings.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <tuple>
#include <utility>

namespace plumb::testing {
namespace {

constexpr std::uint64_t bit_of(std::size_t operation) { return std::uint64_t{1} << operation; }

template <class F>
void each_bit(std::uint64_t set, F f) {
  for (; set != 0; set &= set - 1) f(static_cast<std::size_t>(std::countr_zero(set)));
}

// Calls and returns so far, and what may come next.
class PartialHistory {
 public:
  PartialHistory(const ObservedHistory& observed, std::span<const engine::HappensBefore> happens_before)
      : observed_(&observed), happens_before_(happens_before) {}

  [[nodiscard]] std::uint64_t called() const { return called_; }
  [[nodiscard]] bool all_called() const { return called_ == observed_->called(); }
  // Operations that overlap another one so far; of those that are open.
  [[nodiscard]] std::uint64_t contended() const { return contended_; }
  [[nodiscard]] std::uint64_t open_contended() const { return contended_ & ~returned_; }
  // An operation that can return now; each will have to, in whatever order.
  [[nodiscard]] std::optional<std::size_t> may_return() const {
    for (std::uint64_t open = called_ & observed_->returned() & ~returned_; open != 0; open &= open - 1) {
      const auto operation = static_cast<std::size_t>(std::countr_zero(open));
      if (have_happened(happens_before_[operation].ret)) return operation;
    }
    return std::nullopt;
  }
  [[nodiscard]] std::uint64_t may_be_called() const {
    std::uint64_t may = 0;
    each_bit(observed_->called() & ~called_, [&](std::size_t operation) {
      if (have_happened(happens_before_[operation].call)) may |= bit_of(operation);
    });
    return may;
  }
  void call(std::size_t operation) {
    if (const std::uint64_t open = called_ & ~returned_; open != 0) contended_ |= open | bit_of(operation);
    called_ |= bit_of(operation);
  }
  void ret(std::size_t operation) { returned_ |= bit_of(operation); }

 private:
  [[nodiscard]] bool have_happened(const engine::Predecessors& before) const {
    return (before.calls & ~called_) == 0 && (before.returns & ~returned_) == 0;
  }

  const ObservedHistory* observed_;
  std::span<const engine::HappensBefore> happens_before_;
  std::uint64_t called_ = 0;
  std::uint64_t returned_ = 0;
  std::uint64_t contended_ = 0;
};

engine::OperationEvent called(std::size_t operation) {
  return {.operation = static_cast<std::uint32_t>(operation), .returns = false};
}
engine::OperationEvent returned(std::size_t operation) {
  return {.operation = static_cast<std::uint32_t>(operation), .returns = true};
}

// Follows all histories at once with all orders of operations that may stand behind each: those that were called may
// have taken effect, those that returned must have.
class Refutation {
 public:
  Refutation(const ObservedHistory& observed, std::span<const engine::HappensBefore> happens_before,
             SerialSteps& steps, const MayBeLeftOut& failed)
      : observed_(observed), happens_before_(happens_before), steps_(steps), failed_(failed) {}

  std::optional<Refuted> run() {
    if (!from(PartialHistory(observed_, happens_before_), {{0, steps_.initial()}})) return std::nullopt;
    return Refuted{.order = std::move(order_), .blocked = blocked_};
  }

 private:
  // What has taken effect, and the state.
  using Effect = std::pair<std::uint64_t, StateId>;
  using Effects = std::vector<Effect>;  // sorted

  // True: some history from here on has no witness, and order_ is that.
  bool from(PartialHistory partial, Effects effects) {
    const std::size_t size = order_.size();
    for (;;) {
      while (const auto operation = partial.may_return()) {
        partial.ret(*operation);
        order_.push_back(returned(*operation));
        take_effect(*operation, partial, effects);
        if (effects.empty()) return true;
      }
      if (partial.all_called()) {
        if (not_all_block(effects)) return true;
        break;
      }
      const std::uint64_t may = partial.may_be_called();
      if (!std::has_single_bit(may)) {
        if (any_from(partial, effects, may)) return true;
        break;
      }
      const auto operation = static_cast<std::size_t>(std::countr_zero(may));
      partial.call(operation);
      order_.push_back(called(operation));
    }
    order_.resize(size);
    return false;
  }

  // The same, with each of these called next.
  bool any_from(const PartialHistory& partial, const Effects& effects, std::uint64_t may) {
    if (!seen_.emplace(partial.called(), failed_.if_contended & partial.open_contended(), effects).second)
      return false;
    for (; may != 0; may &= may - 1) {
      const auto operation = static_cast<std::size_t>(std::countr_zero(may));
      PartialHistory next = partial;
      next.call(operation);
      order_.push_back(called(operation));
      if (from(next, effects)) return true;
      order_.pop_back();
    }
    return false;
  }

  // The operation returns: it takes effect, and before it whatever has to. What may be left out counts as done then, and changes nothing.
  void take_effect(std::size_t operation, const PartialHistory& partial, Effects& effects) {
    const std::uint64_t left_out = failed_.always | (failed_.if_contended & partial.contended());
    after_.clear();
    left_.clear();  // without it, to go on from
    for (const Effect& effect : effects)
      ((effect.first & bit_of(operation)) != 0 ? after_ : left_).push_back(effect);
    for (std::size_t i = 0; i < left_.size(); ++i) {
      const Effect effect = left_[i];
      each_bit(partial.called() & observed_.returned() & ~effect.first, [&](std::size_t next) {
        next_.clear();
        if ((left_out & bit_of(next)) != 0) next_.push_back(effect.second);
        steps_.step(effect.second, next, next_);
        for (const StateId state : next_) {
          const Effect reached{effect.first | bit_of(next), state};
          if (next == operation) {
            after_.push_back(reached);
          } else if (std::find(left_.begin(), left_.end(), reached) == left_.end()) {
            left_.push_back(reached);
          }
        }
      });
    }
    std::sort(after_.begin(), after_.end());
    after_.erase(std::unique(after_.begin(), after_.end()), after_.end());
    effects.swap(after_);
  }

  bool not_all_block(const Effects& effects) {
    bool wrong = false;
    each_bit(observed_.called() & ~observed_.returned(), [&](std::size_t operation) {
      if (wrong || std::any_of(effects.begin(), effects.end(),
                               [&](const Effect& effect) { return steps_.blocks(effect.second, operation); }))
        return;
      wrong = true;
      blocked_ = operation;
    });
    return wrong;
  }

  const ObservedHistory& observed_;
  std::span<const engine::HappensBefore> happens_before_;
  SerialSteps& steps_;
  MayBeLeftOut failed_;
  EventOrder order_;
  std::optional<std::size_t> blocked_;
  std::set<std::tuple<std::uint64_t, std::uint64_t, Effects>> seen_;  // nothing wrong from there on
  // What take_effect() needs, kept for the next time.
  Effects after_;
  Effects left_;
  std::vector<StateId> next_;
};

bool each_from(PartialHistory partial, EventOrder& order, const std::function<bool(const EventOrder&)>& use) {
  const std::size_t size = order.size();
  while (const auto operation = partial.may_return()) {
    partial.ret(*operation);
    order.push_back(returned(*operation));
  }
  bool go_on = !partial.all_called() || use(order);
  for (std::uint64_t may = partial.may_be_called(); may != 0 && go_on; may &= may - 1) {
    const auto operation = static_cast<std::size_t>(std::countr_zero(may));
    PartialHistory next = partial;
    next.call(operation);
    order.push_back(called(operation));
    go_on = each_from(next, order, use);
    order.pop_back();
  }
  order.resize(size);
  return go_on;
}

}  // namespace

std::optional<Refuted> refute(const ObservedHistory& observed,
                              std::span<const engine::HappensBefore> happens_before, SerialSteps& steps,
                              const MayBeLeftOut& failed) {
  return Refutation(observed, happens_before, steps, failed).run();
}

std::vector<engine::HappensBefore> happens_before_as_run(const ObservedHistory& observed) {
  std::vector<engine::HappensBefore> happens_before(kMaxOperations);
  engine::Predecessors before;
  for (const Event event : observed.events()) {
    const std::uint64_t it = bit_of(event.operation());
    (event.is_return() ? happens_before[event.operation()].ret : happens_before[event.operation()].call) =
        before;
    (event.is_return() ? before.returns : before.calls) |= it;
  }
  return happens_before;
}

Hash128 key_of(const ObservedHistory& observed, std::span<const engine::HappensBefore> happens_before,
               ResultKeys& results, std::string& buffer) {
  buffer.clear();
  const auto append = [&](const auto& word) {
    buffer.append(reinterpret_cast<const char*>(&word), sizeof word);
  };
  append(observed.called());
  append(observed.returned());
  each_bit(observed.called(), [&](std::size_t operation) {
    append(happens_before[operation].call);
    if (!observed.returned(operation)) return;
    append(happens_before[operation].ret);
    append(results.of(observed.result(operation)));
  });
  return hash128(buffer);
}

void each_order(const ObservedHistory& observed, std::span<const engine::HappensBefore> happens_before,
                const std::function<bool(const EventOrder&)>& use) {
  EventOrder order;
  each_from(PartialHistory(observed, happens_before), order, use);
}

}  // namespace plumb::testing
