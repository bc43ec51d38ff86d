// Monitors: engines for one family of objects each (monitors.def), exact in linear or log-linear time where they apply.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/part.hpp"

namespace plumb {

// What a monitor says of a part: linearizable with the order, a violation with its core, or that it cannot judge.
struct MonitorVerdict {
  enum class Kind : std::uint8_t { kLinearizable, kViolation, kNotApplicable };
  Kind kind = Kind::kNotApplicable;
  std::string why;  // why it does not apply
  Linearization linearization;
  std::vector<OperationId> core;  // these operations alone are a violation
  std::size_t parts = 1;          // independent ones among them: the keys
  // Of a violation, where the monitor knows one: an operation whose return is impossible; and whether it is the first such.
  std::optional<OperationId> late = std::nullopt;
  bool late_is_first = false;

  static MonitorVerdict linearizable(Linearization order) {
    return {Kind::kLinearizable, {}, std::move(order), {}, 1, {}, false};
  }
  static MonitorVerdict violation(std::vector<OperationId> operations) {
    std::ranges::sort(operations);
    operations.erase(std::unique(operations.begin(), operations.end()), operations.end());
    return {Kind::kViolation, {}, {}, std::move(operations), 1, {}, false};
  }
  static MonitorVerdict not_applicable(std::string reason) {
    return {Kind::kNotApplicable, std::move(reason), {}, {}, 1, {}, false};
  }
};

struct ModelMonitor {
  MonitorVerdict (*judge_without_peeks)(const Part&);
  std::string_view why;   // why it applies, where it does
  bool all_keys = false;  // judges all keys at once, if it begins empty

  // It does not apply to a collection at which somebody looks.
  [[nodiscard]] MonitorVerdict judge(const Part& part) const;
};

// Null where there is none.
[[nodiscard]] const ModelMonitor* find_monitor(Family family);

#define PLUMB_MONITOR(FAMILY, NAME, WHY, ALL_KEYS) \
  [[nodiscard]] MonitorVerdict monitor_##NAME(const Part& part);
#include "check/monitors/monitors.def"
#undef PLUMB_MONITOR

}  // namespace plumb
