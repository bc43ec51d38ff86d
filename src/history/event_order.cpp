// Times may be the numbers of the events: then each event has its place. Most other recordings stand in the
// order of their calls, and few operations run at a time: then events come out in one pass, with a small
// sorted window of what is running. Otherwise calls and returns are sorted and merged.
#include "history/event_order.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <absl/container/flat_hash_map.h>

#include "base/huge_pages.hpp"

namespace plumb {
namespace {

struct Extent {
  std::size_t events = 0;
  Time first = 0;
  std::uint64_t range = 0;  // how many times there are from the first to the last; 0 for 2^64
  bool calls_ascend = true;
  bool returns_ascend = true;  // of those that are not pending
};

Extent extent_of(std::span<const Time> call, std::span<const Time> ret) {
  if (call.empty()) return {};
  Time first = call[0];
  Time last = call[0];
  Time last_return = std::numeric_limits<Time>::min();
  std::size_t pending = 0;
  bool returns_ascend = true;
  for (std::size_t i = 0; i < call.size(); ++i) {
    const bool is_pending = ret[i] == kNever;
    pending += is_pending ? 1 : 0;
    first = std::min(first, call[i]);
    last = std::max(last, is_pending ? call[i] : ret[i]);
    returns_ascend &= ret[i] >= last_return;
    last_return = is_pending ? last_return : ret[i];
  }
  const std::uint64_t range = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first) + 1;
  return {2 * call.size() - pending, first, range, std::ranges::is_sorted(call), returns_ascend};
}

// For times that number the events. Says no when two are equal.
bool order_by_number(std::span<const Time> call, std::span<const Time> ret, Time first,
                     std::vector<Event>& events) {
  constexpr Event kNone = Event::ret(static_cast<OperationId>(History::kMaxOperations));
  std::ranges::fill(events, kNone);
  const auto place = [&](Time time) -> Event& { return events[static_cast<std::size_t>(time - first)]; };
  for (std::size_t i = 0; i < call.size(); ++i) {
    const auto op = static_cast<OperationId>(i);
    place(call[i]) = Event::call(op);
    if (ret[i] != kNever) place(ret[i]) = Event::ret(op);
  }
  return std::ranges::find(events, kNone) == events.end();
}

// The operations that are running, by their return; of equal ones, the first first. They stand in a part of a
// buffer that moves towards its end, and then back to its beginning. A mark of the end follows them.
class Running {
 public:
  static constexpr std::size_t kMost = 512;

  [[nodiscard]] bool full() const { return end_ - begin_ == kMost; }
  [[nodiscard]] bool empty() const { return begin_ == end_; }
  [[nodiscard]] Time first_return() const { return buffer_[begin_].ret; }  // kNever when there is none
  OperationId take_first() { return buffer_[begin_++].operation; }

  void insert(Time ret, OperationId operation) {
    if (end_ + 1 == buffer_.size()) {
      std::copy(buffer_.begin() + begin_, buffer_.begin() + end_, buffer_.begin());
      end_ -= begin_;
      begin_ = 0;
    }
    std::size_t at = end_++;
    const Item item{ret, operation};
    for (; at != begin_ && item < buffer_[at - 1]; --at) buffer_[at] = buffer_[at - 1];
    buffer_[at] = item;
    buffer_[end_].ret = kNever;
  }

 private:
  struct Item {
    Time ret = kNever;
    OperationId operation = 0;
    bool operator<(const Item& other) const {
      return ret < other.ret || (ret == other.ret && operation < other.operation);
    }
  };
  std::array<Item, 8 * kMost> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

// For calls in order. Says no when too many operations run at a time.
bool order_by_calls(std::span<const Time> call, std::span<const Time> ret, std::vector<Event>& events) {
  Running running;
  auto to = events.begin();
  for (std::size_t i = 0; i < call.size(); ++i) {
    const auto op = static_cast<OperationId>(i);
    while (running.first_return() < call[i]) *to++ = Event::ret(running.take_first());
    *to++ = Event::call(op);
    if (ret[i] == kNever) continue;
    if (running.full()) return false;
    running.insert(ret[i], op);
  }
  while (!running.empty()) *to++ = Event::ret(running.take_first());
  return true;
}

// The same for returns in order, backwards in time: an operation then begins with its return and ends with
// its call, and those that are pending run at first. `~` turns times and numbers round.
bool order_by_returns(std::span<const Time> call, std::span<const Time> ret, std::vector<Event>& events) {
  Running running;
  auto to = events.rbegin();
  for (std::size_t i = call.size(); i-- > 0;) {
    if (ret[i] != kNever) continue;
    if (running.full()) return false;
    running.insert(~call[i], ~static_cast<OperationId>(i));
  }
  for (std::size_t i = call.size(); i-- > 0;) {
    if (ret[i] == kNever) continue;
    const auto op = static_cast<OperationId>(i);
    while (running.first_return() < ~ret[i]) *to++ = Event::call(~running.take_first());
    *to++ = Event::ret(op);
    if (running.full()) return false;
    running.insert(~call[i], ~op);
  }
  while (!running.empty()) *to++ = Event::call(~running.take_first());
  return true;
}

// Stable. What is out of order by a little, as calls are in the order of their returns, is moved into its
// place; when that takes too many steps, a real sort does the rest.
void sort_by(std::span<const Time> time, std::vector<OperationId>& order) {
  constexpr std::size_t kStepsEach = 32;
  std::size_t steps = kStepsEach * order.size();
  for (std::size_t i = 1; i < order.size(); ++i) {
    const OperationId op = order[i];
    std::size_t at = i;
    for (; at != 0 && steps != 0 && time[order[at - 1]] > time[op]; --at, --steps) order[at] = order[at - 1];
    order[at] = op;
    if (steps != 0) continue;
    std::ranges::sort(
        order, [&](OperationId a, OperationId b) { return time[a] != time[b] ? time[a] < time[b] : a < b; });
    return;
  }
}

void order_by_sorting(std::span<const Time> call, std::span<const Time> ret, std::vector<Event>& events) {
  std::vector<OperationId> calls;
  std::vector<OperationId> returns;
  calls.reserve(call.size());
  returns.reserve(call.size());
  for (OperationId i = 0; i < call.size(); ++i) {
    calls.push_back(i);
    if (ret[i] != kNever) returns.push_back(i);
  }
  sort_by(call, calls);
  sort_by(ret, returns);
  auto next = calls.begin();
  auto to = events.begin();
  for (const OperationId op : returns) {
    for (; next != calls.end() && call[*next] <= ret[op]; ++next) *to++ = Event::call(*next);
    *to++ = Event::ret(op);
  }
  for (; next != calls.end(); ++next) *to++ = Event::call(*next);
}

// The last operation of each process so far. Small whole numbers, as most processes are, need no hashing.
class LastOperations {
 public:
  // The one before `op` in its process, if there is one.
  std::optional<OperationId> replace(Value process, OperationId op) {
    const std::int64_t number = process.is_small() ? process.small_integer() : -1;
    if (number < 0 || number >= kDirect) {
      const auto [it, is_new] = others_.try_emplace(process, op);
      if (is_new) return std::nullopt;
      return std::exchange(it->second, op);
    }
    const auto at = static_cast<std::size_t>(number);
    if (at >= direct_.size()) direct_.resize(at + 1, kNone);
    const OperationId before = std::exchange(direct_[at], op);
    if (before != kNone) return before;
    ++known_;
    return std::nullopt;
  }
  [[nodiscard]] std::size_t processes() const { return known_ + others_.size(); }

 private:
  static constexpr std::int64_t kDirect = 1 << 16;
  static constexpr OperationId kNone = ~OperationId{0};
  std::vector<OperationId> direct_;
  std::size_t known_ = 0;
  absl::flat_hash_map<Value, OperationId> others_;
};

}  // namespace

std::vector<Event> order_events(std::span<const Time> call, std::span<const Time> ret) {
  const Extent extent = extent_of(call, ret);
  std::vector<Event> events;
  reserve_large(events, extent.events);
  events.resize(extent.events);
  if (extent.range == extent.events && order_by_number(call, ret, extent.first, events)) return events;
  if (extent.calls_ascend && order_by_calls(call, ret, events)) return events;
  if (extent.returns_ascend && order_by_returns(call, ret, events)) return events;
  order_by_sorting(call, ret, events);
  return events;
}

ProcessCheck find_overlap(std::span<const Event> events, std::span<const Value> process,
                          std::span<const Time> call, std::span<const Time> ret) {
  const auto follows = [&](OperationId op, OperationId before) {
    return call[op] >= ret[before] && ret[before] != kNever;
  };
  // If each operation of a process, as they stand, begins when the one before it has ended, then that is
  // their order.
  LastOperations standing;
  bool one_at_a_time = true;
  for (OperationId op = 0; op < process.size() && one_at_a_time; ++op) {
    const auto before = standing.replace(process[op], op);
    one_at_a_time = !before || follows(op, *before);
  }
  if (one_at_a_time) return {standing.processes(), std::nullopt};

  // By call, and of equal calls those that return at once first: in no other order could they follow each
  // other. Events know only calls, so such an operation may stand behind one that takes its time; its place
  // is before that one, where there is always room.
  ProcessCheck found;
  LastOperations last;
  for (const Event event : events) {
    if (event.is_return()) continue;
    const OperationId op = event.operation();
    const auto before = last.replace(process[op], op);
    if (!before || follows(op, *before)) continue;
    if (call[op] == call[*before] && ret[op] == call[op] && ret[op] != kNever) {
      last.replace(process[op], *before);
      continue;
    }
    found.overlap = {*before, op};
    break;
  }
  found.processes = last.processes();
  return found;
}

}  // namespace plumb
