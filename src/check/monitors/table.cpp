// The monitor of a family: the table of monitors.def.
#include <algorithm>
#include <array>

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

const ModelMonitor* find_monitor(Family family) {
  const auto* it = std::ranges::find(kMonitors, family, &Row::family);
  return it == kMonitors.end() ? nullptr : &it->monitor;
}

}  // namespace plumb
