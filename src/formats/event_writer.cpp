// From a history to Jepsen's events. See event_writer.hpp.
#include "formats/event_writer.hpp"

#include <optional>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "formats/jepsen_convention.hpp"

namespace plumb {
namespace {

struct WrittenEvent {
  Value process;
  bool is_invocation = false;
  std::string function;
  JepsenData data;
  std::optional<Value> object;
};

class EventPrinter {
 public:
  EventPrinter(const EventSyntax& syntax, const Values& values, std::string& out)
      : syntax_(syntax), values_(values), out_(out) {}

  void print(const WrittenEvent& event) {
    out_ += '{';
    name("process");
    syntax_.append_value(values_, event.process, out_);
    word("type", event.is_invocation ? "invoke" : "ok");
    word("f", event.function);
    value("key", event.data.key);
    value("value", event.data.value);
    value("args", event.data.args);
    value("result", event.data.result);
    value("object", event.object);
    out_ += "}\n";
  }

 private:
  void name(std::string_view name) { ((out_ += syntax_.before_name) += name) += syntax_.after_name; }
  void word(std::string_view member, std::string_view word) {
    out_ += syntax_.between;
    name(member);
    syntax_.append_word(word, out_);
  }
  void value(std::string_view member, const std::optional<Value>& value) {
    if (!value) return;
    out_ += syntax_.between;
    name(member);
    syntax_.append_value(values_, *value, out_);
  }

  const EventSyntax& syntax_;
  const Values& values_;
  std::string& out_;
};

}  // namespace

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
  return Ok{};
}

Status write_events(const History& history, std::string_view format, const EventSyntax& syntax,
                    std::string& out) {
  if (auto status = check_event_order(history, format); !status) return status;
  Values values(&history.values());
  EventPrinter printer(syntax, values, out);
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
    printer.print(written);
  }
  return Ok{};
}

}  // namespace plumb
