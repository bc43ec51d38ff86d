// The one rule by which operations may be dropped from a relaxed violation.
#include <algorithm>

#include "check/relaxed/relaxed.hpp"

namespace plumb {

std::vector<Event> cut_relaxed(const BoundHistory& history, std::span<const Event> events,
                               const RelaxedBounds& relaxation, OperationId impossible) {
  std::vector<std::uint64_t> called(relaxation.k.size());    // of each kind, before the impossible return
  std::vector<std::uint64_t> returned(relaxation.k.size());  // of each kind, so far
  std::vector<bool> kept(history.history().size());
  bool before = true;
  bool is_last = true;
  for (const Event event : events) {
    const std::uint32_t kind = history.operation(event.operation());
    if (event.is_return()) {
      ++returned[kind];
      is_last = is_last && before;
      before = before && event != Event::ret(impossible);
    } else if (before) {
      ++called[kind];
      kept[event.operation()] = true;
    } else {
      const std::uint64_t k = relaxation.k[kind];
      kept[event.operation()] = k != 0 && returned[kind] <= called[kind] + k;
    }
  }
  if (is_last) return {events.begin(), events.end()};
  std::vector<Event> left;
  std::ranges::copy_if(events, std::back_inserter(left), [&](Event e) { return kept[e.operation()]; });
  return left;
}

}  // namespace plumb
