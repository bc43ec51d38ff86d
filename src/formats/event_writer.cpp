// From a history to Jepsen's events. See event_writer.hpp.
#include "formats/event_writer.hpp"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

namespace plumb {

Status check_event_order(const History& history, std::string_view format) {
  absl::flat_hash_set<Value> running;
  for (const Event event : history.events()) {
    const OperationId op = event.operation();
    const Value process = history.process(op);
    if (event.is_return()) {
      running.erase(process);
      continue;
    }
    if (history.values().kind(process) != ValueKind::kInteger) {
      return Error{fmt::format("{} cannot hold operation {} ({}): its processes are whole numbers", format,
                               op, history.describe(op))};
    }
    if (!running.insert(process).second) {
      return Error{
          fmt::format("{} cannot hold operation {} ({}): it is called at the moment at which the operation "
                      "before it in its process returns, and an order of events cannot say that",
                      format, op, history.describe(op))};
    }
  }
  return Done{};
}

Status write_events(const History& history, std::string_view format,
                    const std::function<void(const WrittenEvent&, const Values&)>& print) {
  if (auto status = check_event_order(history, format); !status) return status;
  Values values(&history.values());
  absl::flat_hash_map<OperationId, JepsenData> invocations;  // of what is running
  for (const Event event : history.events()) {
    const OperationId op = event.operation();
    const JepsenKind kind = jepsen_kind(history.function_name(op));
    WrittenEvent written;
    written.process = history.process(op);
    written.is_invocation = !event.is_return();
    const std::string& function = history.function_name(op);
    written.function = function.starts_with(':') ? ':' + function : function;  // one colon is dropped again
    if (event.is_return()) {
      const auto invocation = invocations.extract(op);
      written.data =
          jepsen_completion(kind, invocation.mapped(), {history.result(op), history.has_result(op)});
    } else {
      written.data = jepsen_invocation(kind, history.args(op), values);
      if (!history.is_pending(op)) invocations.emplace(op, written.data);
      if (!history.object(op).is_null()) written.object = history.object(op);
    }
    print(written, values);
  }
  return Done{};
}

}  // namespace plumb
