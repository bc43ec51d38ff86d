#include "check/clocks/clock_merge.hpp"

#include <algorithm>

#include <absl/container/flat_hash_map.h>

#include "history/lane_names.hpp"

namespace plumb {
namespace {

// Operations that are not in the order yet, by their returns.
class Remaining {
 public:
  void add(Time ret) { returns_.push_back(ret); }
  void sort() { std::ranges::sort(returns_, std::ranges::greater()); }
  [[nodiscard]] Time first_return() {
    while (!returns_.empty() && !taken_.empty() && returns_.back() == taken_.front()) {
      returns_.pop_back();
      std::ranges::pop_heap(taken_, std::ranges::greater());
      taken_.pop_back();
    }
    return returns_.empty() ? kNever : returns_.back();
  }
  void take(Time ret) {
    taken_.push_back(ret);
    std::ranges::push_heap(taken_, std::ranges::greater());
  }

 private:
  std::vector<Time> returns_;  // the first one last
  std::vector<Time> taken_;    // of them, as a heap: the first one first
};

}  // namespace

// Each of the orders is followed as far as it goes, again and again, until none goes on. What has to come before what does not change on
// the way, so it makes no difference which of them goes first.
std::optional<std::vector<OperationId>> ClockMerge::in_one_order() const {
  Remaining all;
  absl::flat_hash_map<Value, Remaining> by_process;
  std::size_t count = 0;
  for (const auto& order : orders_) {
    for (const OperationId id : order) {
      all.add(history_.ret(id));
      if (!is_in_lane(history_, id)) by_process[history_.process(id)].add(history_.ret(id));
    }
    count += order.size();
  }
  all.sort();
  for (auto& [_, remaining] : by_process) remaining.sort();

  std::vector<OperationId> merged;
  merged.reserve(count);
  std::vector<std::size_t> taken(orders_.size());
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (std::size_t i = 0; i < orders_.size(); ++i) {
      for (; taken[i] < orders_[i].size(); ++taken[i], goes_on = true) {
        const OperationId id = orders_[i][taken[i]];
        Remaining* own = is_in_lane(history_, id) ? nullptr : &by_process[history_.process(id)];
        if (error_.surely_before(all.first_return(), history_.call(id)) ||
            (own != nullptr && own->first_return() < history_.call(id)))
          break;
        all.take(history_.ret(id));
        if (own != nullptr) own->take(history_.ret(id));
        merged.push_back(id);
      }
    }
  }
  if (merged.size() < count) return std::nullopt;
  return merged;
}

}  // namespace plumb
