#include "report/timeline.hpp"

#include <algorithm>
#include <set>

namespace plumb {
namespace {

// Operations by call; of too many, the beginning and (of a core, whose end matters) the end.
std::vector<OperationId> chosen(const HistoryView& view, const TimelineLimits& limits) {
  const std::size_t most = limits.most;
  std::vector<OperationId> all;
  if (view.explanation() && view.history().size() > limits.all_up_to) {
    all = view.explanation()->core;
  } else {
    for (const Event event : view.history().events()) {
      if (!event.is_return() && all.size() < most) all.push_back(event.operation());
    }
  }
  std::ranges::sort(all, {}, [&](OperationId i) { return view.call_rank(i); });
  if (all.size() <= most) return all;
  const auto kept_first = static_cast<std::ptrdiff_t>(most / 4);
  const auto kept_last = static_cast<std::ptrdiff_t>(most - most / 4);
  all.erase(all.begin() + kept_first, all.end() - kept_last);
  const OperationId impossible = view.explanation()->impossible;
  if (std::ranges::find(all, impossible) == all.end()) {
    all.push_back(impossible);
    std::ranges::sort(all, {}, [&](OperationId i) { return view.call_rank(i); });
  }
  return all;
}

// How many operations that are not shown are called up to each event.
std::vector<std::uint32_t> count_hidden(const HistoryView& view, const std::vector<OperationId>& shown) {
  std::vector<bool> is_shown(view.history().size());
  for (const OperationId i : shown) is_shown[i] = true;
  std::vector<std::uint32_t> hidden;
  hidden.reserve(view.history().events().size() + 1);
  hidden.push_back(0);
  for (const Event event : view.history().events()) {
    hidden.push_back(hidden.back() + (!event.is_return() && !is_shown[event.operation()] ? 1 : 0));
  }
  return hidden;
}

std::vector<Moment> ends_of(const HistoryView& view, const std::vector<OperationId>& operations) {
  std::vector<Moment> ends;
  for (const OperationId i : operations) {
    ends.push_back({.kind = Moment::Kind::kCall, .operation = i, .rank = view.call_rank(i)});
    if (view.return_rank(i) != HistoryView::kNone) {
      ends.push_back({.kind = Moment::Kind::kReturn, .operation = i, .rank = view.return_rank(i)});
    }
  }
  std::ranges::sort(ends, {}, &Moment::rank);
  return ends;
}

}  // namespace

Timeline make_timeline(const HistoryView& view, const TimelineLimits& limits) {
  Timeline timeline;
  timeline.operations = chosen(view, limits);
  std::set<std::uint32_t> lanes;
  for (const OperationId i : timeline.operations) {
    lanes.insert(view.lane(i));
    if (view.history().is_pending(i)) timeline.pending.push_back(i);
  }
  timeline.lanes.assign(lanes.begin(), lanes.end());

  const auto hidden = count_hidden(view, timeline.operations);
  const auto ends = ends_of(view, timeline.operations);
  std::uint32_t counted = 0;
  const auto add_gap = [&](std::uint32_t rank) {
    if (hidden[rank] == counted) return;
    timeline.moments.push_back({.rank = rank, .left_out = hidden[rank] - counted});
    counted = hidden[rank];
  };
  for (std::size_t k = 0; k < ends.size(); ++k) {
    add_gap(ends[k].rank);
    Moment moment = ends[k];
    const bool joined = limits.join_ends && k + 1 < ends.size() &&
                        ends[k + 1].operation == moment.operation && hidden[ends[k + 1].rank] == counted;
    if (joined) {
      moment.kind = Moment::Kind::kBoth;
      ++k;
    }
    timeline.moments.push_back(moment);
  }
  add_gap(static_cast<std::uint32_t>(view.history().events().size()));
  return timeline;
}

}  // namespace plumb
