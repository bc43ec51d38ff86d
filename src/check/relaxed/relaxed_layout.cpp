#include "check/relaxed/relaxed_layout.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace plumb {

RelaxedLayout::RelaxedLayout(const Part& part, const RelaxedBounds& relaxation)
    : base(part, relaxation.relaxed()) {
  find_times();
  find_classes(*part.history, relaxation);
  find_twins(part.history->model());
  find_open();
}

void RelaxedLayout::find_times() {
  ret.assign(base.operations.size(), returns());
  for (std::uint32_t r = 0; r < returns(); ++r) ret[base.returning[r]] = r;
  returns_before.assign(base.operations.size(), returns());
  for (std::uint32_t r = 0, called = 0; r < returns(); ++r) {
    for (; called < called_until(r); ++called) returns_before[called] = r;
  }
}

void RelaxedLayout::find_classes(const BoundHistory& history, const RelaxedBounds& relaxation) {
  std::vector<std::uint32_t> number(relaxation.k.size(), kNone);
  class_of.assign(base.operations.size(), kNone);
  for (std::uint32_t op = 0; op < base.operations.size(); ++op) {
    const std::uint32_t kind = history.operation(base.operations[op].id);
    if (relaxation.k[kind] == 0) continue;
    if (number[kind] == kNone) {
      number[kind] = static_cast<std::uint32_t>(classes.size());
      classes.push_back({relaxation.k[kind], {}, {}});
    }
    class_of[op] = number[kind];
    classes[number[kind]].members.push_back(op);
  }
  for (std::uint32_t r = 0; r < returns(); ++r) {
    if (class_of[base.returning[r]] != kNone) classes[class_of[base.returning[r]]].returns.push_back(r);
  }
  // Nobody can move further than the class has places.
  for (Class& one : classes) one.k = std::min(one.k, static_cast<std::uint32_t>(one.members.size()));
}

void RelaxedLayout::find_twins(const Model& model) {
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, std::vector<std::uint32_t>>;
  std::map<Key, std::uint32_t> last;
  twin.assign(base.operations.size(), kNone);
  for (std::uint32_t op = 0; op < base.operations.size(); ++op) {
    if (class_of[op] == kNone) continue;
    const Layout::Operation& operation = base.operations[op];
    std::vector<std::uint32_t> args;
    for (const Value arg : operation.call.args) args.push_back(arg.bits());
    const std::uint32_t process = model.depends_on_process() ? operation.call.process.bits() : 0;
    const std::uint64_t result = operation.result ? std::uint64_t{operation.result->bits()} + 1 : 0;
    const auto [it, is_new] =
        last.try_emplace({operation.call.operation, process, result, std::move(args)}, op);
    if (is_new) continue;
    const std::uint32_t before = std::exchange(it->second, op);
    if (ret[before] <= ret[op]) twin[op] = before;
  }
}

void RelaxedLayout::find_open() {
  constexpr std::size_t kMost = 100'000'000;
  open_start_.assign(returns() + 2, 0);
  std::size_t total = 0;
  for (const std::uint32_t op : base.completed) total += ret[op] - returns_before[op] + 1;
  too_wide = total > kMost;
  if (too_wide) return;
  for (const std::uint32_t op : base.completed) {
    for (std::uint32_t r = returns_before[op]; r <= ret[op]; ++r) ++open_start_[r + 2];
  }
  for (std::size_t i = 2; i < open_start_.size(); ++i) open_start_[i] += open_start_[i - 1];
  open_.resize(total);
  for (const std::uint32_t op : base.completed) {
    for (std::uint32_t r = returns_before[op]; r <= ret[op]; ++r) open_[open_start_[r + 1]++] = op;
  }
}

}  // namespace plumb
