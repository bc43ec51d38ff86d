#include "check/partition.hpp"

#include <algorithm>

#include <absl/container/flat_hash_map.h>

#include "base/huge_pages.hpp"

namespace plumb {

Partition::Partition(const BoundHistory& history, PartitionBy by)
    : scratch_(large_vector<std::uint32_t>(history.history().size())) {
  const History& h = history.history();
  const bool by_key = by == PartitionBy::kObjectAndKey && history.model().is_keyed();
  if (h.empty()) return;
  if (!by_key && !h.has_objects()) {
    parts_.push_back({&history, h.events(), {}, scratch_});
    return;
  }
  absl::flat_hash_map<std::uint64_t, std::uint32_t> numbers;
  std::vector<std::uint32_t> part_of(h.size());
  for (OperationId i = 0; i < h.size(); ++i) {
    const Value key = by_key ? history.model().key(history.call(i)).value_or(kNull) : kNull;
    const std::uint64_t place = std::uint64_t{h.object(i).bits()} << 32U | key.bits();
    part_of[i] = numbers.try_emplace(place, static_cast<std::uint32_t>(numbers.size())).first->second;
  }
  split(history, part_of, numbers.size());
}

// A counting sort of the events by part; within a part they keep their order.
void Partition::split(const BoundHistory& history, const std::vector<std::uint32_t>& part_of,
                      std::size_t count) {
  const auto events = history.history().events();
  std::vector<std::size_t> start(count + 1);
  for (const Event event : events) ++start[part_of[event.operation()] + 1];
  for (std::size_t i = 1; i <= count; ++i) start[i] += start[i - 1];
  events_.resize(events.size());
  std::vector<std::size_t> at(start.begin(), start.end() - 1);
  positions_.resize(events.size());
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    const std::size_t to = at[part_of[events[i].operation()]]++;
    events_[to] = events[i];
    positions_[to] = i;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t size = start[i + 1] - start[i];
    parts_.push_back({&history, std::span(events_).subspan(start[i], size),
                      std::span(positions_).subspan(start[i], size), scratch_});
  }
  std::ranges::stable_sort(parts_, std::ranges::greater(),
                           [](const Part& part) { return part.events.size(); });
}

}  // namespace plumb
