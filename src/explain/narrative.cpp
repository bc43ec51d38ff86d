// One sentence about a core, for a colleague. What is said of a model's own ways is said only where it holds for
// the whole history; otherwise what the core allowed is listed.
#include "explain/narrative.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace plumb {
namespace {

// "`dequeue → 7`", "`cas(1, 2) → false`".
std::string name_of(const BoundHistory& history, OperationId id) {
  const History& h = history.history();
  std::string out = "`" + h.function_name(id);
  const auto args = h.args(id);
  for (std::size_t i = 0; i < args.size(); ++i) out += (i == 0 ? "(" : ", ") + h.values().to_json(args[i]);
  if (!args.empty()) out += ")";
  if (history.spec(id).returns != Returns::kNothing && !h.is_pending(id)) {
    out += " → " + h.values().to_json(*history.result(id));
  }
  return out + "`";
}

std::string subject(const BoundHistory& history, OperationId id) {
  return fmt::format("{} by process {} is impossible", name_of(history, id),
                     history.history().values().to_json(history.history().process(id)));
}

std::string general(const BoundHistory& history, const Core& core, const Stuck& stuck) {
  const OperationId id = core.impossible;
  const bool alone = core.events.size() <= 2;
  const std::string when = alone ? "" : "after the other operations shown, ";
  const std::string what = history.history().function_name(id);
  if (stuck.allowed.empty()) return fmt::format("{}it cannot happen", when);
  if (history.spec(id).returns == Returns::kNothing) return fmt::format("{}nothing explains it", when);
  return fmt::format("{}`{}` can return {}{}, not {}", when, what, fmt::join(stuck.allowed, " or "),
                     stuck.allowed_complete ? "" : " or others",
                     history.history().values().to_json(*history.result(id)));
}

}  // namespace

std::string narrate(const BoundHistory& history, const Core& core, const Stuck& stuck) {
  return fmt::format("{}: {}", subject(history, core.impossible), general(history, core, stuck));
}

}  // namespace plumb
