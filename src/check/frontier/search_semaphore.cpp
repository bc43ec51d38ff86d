// The search by frontiers of a semaphore: how many permits are free follows from what has been released and
// acquired.
#include <limits>

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
  };
  void add(Operation operation) { operations_.push_back(operation); }

  [[nodiscard]] bool fits(std::uint32_t op) const {
    const Operation& o = operations_[op];
    if (o.releases) return o.asked <= std::numeric_limits<std::int64_t>::max() - free_;
    return (o.asked <= free_) != o.fails;
  }
  void apply(std::uint32_t op) { free_ = sum(free_, change(op)); }
  void undo(std::uint32_t op) { free_ = sum(free_, -change(op)); }
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
  [[nodiscard]] std::int64_t change(std::uint32_t op) const {
    const Operation& o = operations_[op];
    return o.fails ? 0 : o.releases ? o.asked : -o.asked;
  }

  std::int64_t free_;
  std::vector<Operation> operations_;
};

}  // namespace

PartVerdict search_frontier_semaphore(const Part& part, const SearchLimits& limits) {
  const BoundHistory& history = *part.history;
  const Values& values = history.history().values();
  Permits permits(history.initial().is_null() ? 1 : values.as_integer(history.initial()));
  absl::flat_hash_map<std::pair<std::int64_t, int>, std::uint32_t> kinds;
  FrontierOps operations;
  each_operation(part, 0, [&](OperationId id, std::uint32_t call, std::uint32_t ret) {
    const Role role = history.role(id);
    const auto args = history.history().args(id);
    // One that never returned and may have failed is one that need not take effect.
    const bool fails = role == Role::kTryAcquire && history.result(id) == kFalse;
    const Permits::Operation operation{args.empty() ? 1 : values.as_integer(args[0]), role == Role::kRelease,
                                       role == Role::kTryAcquire, fails};
    const int what = operation.releases ? 0 : operation.fails ? 1 : operation.tries ? 2 : 3;
    const auto kind = kinds.try_emplace({operation.asked, what}, kinds.size()).first->second;
    operations.operations.push_back({call, ret, kind, fails});
    operations.ids.push_back(id);
    permits.add(operation);
  });
  return search_content(part, operations, permits, limits);
}

}  // namespace plumb
