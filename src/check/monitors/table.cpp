// The monitor of a family: the table of monitors.def.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "check/monitors/monitor.hpp"

namespace plumb {
namespace {

struct Row {
  Family family;
  ModelMonitor monitor;
};

constexpr std::array kMonitors = {
#define PLUMB_MONITOR(FAMILY, NAME, WHY, ALL_KEYS) Row{Family::FAMILY, {monitor_##NAME, WHY, ALL_KEYS}},
#include "check/monitors/monitors.def"
#undef PLUMB_MONITOR
};

}  // namespace

MonitorVerdict ModelMonitor::judge(const Part& part) const {
  const auto is_peek_call = [&](Event event) {
    return !event.is_return() && is_peek(part.history->role(event.operation()));
  };
  if (part.history->may_peek()) {
    const auto peek = std::ranges::find_if(part.events, is_peek_call);
    if (peek != part.events.end()) {
      const std::string& name = part.history->history().function_name(peek->operation());
      return MonitorVerdict::not_applicable(fmt::format("'{}' is not an operation it knows", name));
    }
  }
  return judge_without_peeks(part);
}

const ModelMonitor* find_monitor(Family family) {
  const auto* it = std::ranges::find(kMonitors, family, &Row::family);
  return it == kMonitors.end() ? nullptr : &it->monitor;
}

}  // namespace plumb
