// The search by frontiers of a semaphore: how many permits are free follows from what has been released and
// acquired.
//
// Only who found too few can have come too late. Any other operation that does not overlap one of these has a best
// moment: a release takes effect when it is called, an acquisition when it returns, or never if it need not. For take
// an order with a moment for each operation, and move this one there: those that it passes find more permits than
// before, and who found too few is not among them. (Where so many are released that they cannot be counted, more
// is not better, and nothing is moved.) So such operations need no search, and the others are searched only from
// when one of them is called until none is open: then what is free is known again.
#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "check/frontier/content_part.hpp"
#include "check/frontier/frontier.hpp"

namespace plumb {
namespace {

class Permits {
 public:
  explicit Permits(std::int64_t free) : free_(free) {}

  struct Operation {
    std::int64_t asked;
    bool releases;
    bool tries;
    bool fails;  // it found too few
    [[nodiscard]] std::int64_t change() const { return fails ? 0 : releases ? asked : -asked; }
  };
  void add(Operation operation) { operations_.push_back(operation); }

  [[nodiscard]] bool fits(std::uint32_t op) const {
    const Operation& o = operations_[op];
    if (o.releases) return o.asked <= std::numeric_limits<std::int64_t>::max() - free_;
    return (o.asked <= free_) != o.fails;
  }
  void apply(std::uint32_t op) { free_ = sum(free_, operations_[op].change()); }
  void undo(std::uint32_t op) { free_ = sum(free_, -operations_[op].change()); }
  [[nodiscard]] std::optional<Value> result(std::uint32_t op) const {
    if (operations_[op].tries) return Value::boolean(operations_[op].asked <= free_);
    return fits(op) ? std::optional(kNull) : std::nullopt;
  }
  void set_result(std::uint32_t op, Value result) { operations_[op].fails = result == kFalse; }
  // What is done without a return is known: it is what was asked for.
  static bool can_wait(std::uint32_t) { return false; }
  static bool can_be_helped(std::uint32_t) { return false; }
  static bool takes_unknown(std::uint32_t) { return false; }
  static std::optional<ContentNeed> need(std::uint32_t, std::uint32_t) { return std::nullopt; }
  static std::uint32_t unknown() { return 0; }
  static void change_by(std::uint32_t, bool) {}

 private:
  // Out of order, what is in between may be anything.
  static std::int64_t sum(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  }

  std::int64_t free_;
  std::vector<Operation> operations_;
};

class SemaphorePart {
 public:
  SemaphorePart(const Part& part, const SearchLimits& limits) : part_(part), limits_(limits) {
    const BoundHistory& history = *part.history;
    const Values& values = history.history().values();
    free_ = history.initial().is_null() ? 1 : values.as_integer(history.initial());
    operations_.reserve(part.events.size() / 2 + 1);
    each_operation(part, 0, [&](OperationId id, std::uint32_t call, std::uint32_t ret) {
      const Role role = history.role(id);
      const auto args = history.history().args(id);
      // One that never returned and may have failed is one that need not take effect.
      const bool fails = role == Role::kTryAcquire && history.result(id) == kFalse;
      operations_.push_back({id,
                             call,
                             ret,
                             {args.empty() ? 1 : values.as_integer(args[0]), role == Role::kRelease,
                              role == Role::kTryAcquire, fails}});
    });
    for (std::uint32_t op = 0; op < operations_.size(); ++op) part.scratch[operations_[op].id] = op;
    find_open_to_question();
  }

  PartVerdict search() {
    order_.reserve(operations_.size());
    for (std::size_t at = 0; at < part_.events.size();) {
      const Event event = part_.events[at];
      const Operation& op = operations_[number(event)];
      if (op.is_in_question) {
        const std::size_t end = end_of_question(at);
        if (auto verdict = search_between(at, end)) return std::move(*verdict);
        at = end;
        continue;
      }
      if (op.takes_effect_at(event)) {
        if (!op.what.releases && op.what.asked > free_) return too_few(op);
        free_ += op.what.change();
        order_.push_back(op.id);
      }
      ++at;
    }
    PartVerdict verdict = frontier_linearizable(part_, std::move(order_));
    verdict.configurations = states_;
    return verdict;
  }

 private:
  struct Operation {
    OperationId id;
    std::uint32_t call;
    std::uint32_t ret;
    Permits::Operation what;
    bool is_in_question = true;  // it has to be searched when it takes effect
    [[nodiscard]] bool takes_effect_at(Event event) const { return event.is_return() != what.releases; }
  };

  [[nodiscard]] std::uint32_t number(Event event) const { return part_.scratch[event.operation()]; }

  // Those that overlap one that found too few, and these themselves.
  void find_open_to_question() {
    if (!can_count_all()) return;
    std::vector<std::uint32_t> calls;    // of those that found too few
    std::vector<std::uint32_t> returns;  // likewise: the last one so far
    for (const Operation& op : operations_) {
      if (!op.what.fails || op.ret == FrontierOp::kNever) continue;
      calls.push_back(op.call);
      returns.push_back(std::max(op.ret, returns.empty() ? 0 : returns.back()));
    }
    for (Operation& op : operations_) {
      const auto before = std::ranges::lower_bound(calls, op.ret) - calls.begin();
      op.is_in_question = before > 0 && returns[static_cast<std::size_t>(before - 1)] > op.call;
    }
  }
  [[nodiscard]] bool can_count_all() const {
    std::int64_t left = std::numeric_limits<std::int64_t>::max() - free_;
    for (const Operation& op : operations_) {
      if (!op.what.releases) continue;
      if (op.what.asked > left) return false;
      left -= op.what.asked;
    }
    return true;
  }

  // From the call of an operation in question to where none is open any more.
  [[nodiscard]] std::size_t end_of_question(std::size_t at) const {
    std::size_t open = 0;
    do {
      const Event event = part_.events[at++];
      if (!operations_[number(event)].is_in_question) continue;
      open += event.is_return() ? ~std::size_t{0} : 1;
    } while (open > 0 && at < part_.events.size());
    return at;
  }

  // What takes effect there is searched, and added to the order. A verdict: there it ends.
  std::optional<PartVerdict> search_between(std::size_t begin, std::size_t end) {
    FrontierOps some;
    Permits permits(free_);
    list_between(begin, end, some, permits);
    if (std::string why_not = some.too_wide(); !why_not.empty()) {
      PartVerdict verdict;
      verdict.why_not = std::move(why_not);
      return verdict;
    }
    SearchLimits limits = limits_;
    if (limits.configurations != SearchLimits::kNoLimit)
      limits.configurations -= std::min(limits.configurations, states_);
    ContentAnswer answer = ContentSearch<Permits>(std::move(some.operations), permits, limits).run();
    states_ += answer.states;
    if (answer.outcome != Outcome::kHolds) {
      PartVerdict verdict = content_verdict(part_, std::move(answer), some.ids, std::move(order_));
      verdict.configurations = states_;
      return verdict;
    }
    for (const std::uint32_t op : answer.order) {
      const OperationId id = some.ids[op];
      free_ += operations_[part_.scratch[id]].what.change();
      order_.push_back(id);
    }
    return std::nullopt;
  }
  // Who is not in question is there for a moment only.
  void list_between(std::size_t begin, std::size_t end, FrontierOps& some, Permits& permits) const {
    absl::flat_hash_map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> kinds;
    absl::flat_hash_map<OperationId, std::size_t> open;
    std::uint32_t now = 0;
    for (std::size_t at = begin; at < end; ++at) {
      const Event event = part_.events[at];
      const Operation& op = operations_[number(event)];
      if (op.is_in_question && event.is_return()) {
        some.operations[open.at(op.id)].ret = now++;
        continue;
      }
      if (!op.is_in_question && !op.takes_effect_at(event)) continue;
      const auto kind =
          kinds.try_emplace({op.what.change(), op.what.fails ? op.what.asked : 0}, kinds.size());
      some.operations.push_back({now++, FrontierOp::kNever, kind.first->second, op.what.fails});
      some.ids.push_back(op.id);
      permits.add(op.what);
      if (op.is_in_question) {
        open.emplace(op.id, some.ids.size() - 1);
      } else {
        some.operations.back().ret = now++;
      }
    }
  }

  [[nodiscard]] PartVerdict too_few(const Operation& op) const {
    PartVerdict verdict = frontier_violation(part_, op.id, order_);
    if (op.what.tries) verdict.stuck.allowed = {"false"};
    verdict.configurations = states_;
    return verdict;
  }

  const Part& part_;
  const SearchLimits& limits_;
  std::int64_t free_ = 0;
  std::vector<Operation> operations_;  // by call
  std::vector<OperationId> order_;
  std::uint64_t states_ = 0;
};

}  // namespace

PartVerdict search_frontier_semaphore(const Part& part, const SearchLimits& limits) {
  return SemaphorePart(part, limits).search();
}

}  // namespace plumb
