// porcupine: the slices of Porcupine, the checker in Go, as encoding/json writes them: []porcupine.Operation, or []porcupine.Event. In
// an array, or one after the other.
#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "formats/codecs.hpp"
#include "formats/etcd_report.hpp"
#include "formats/json_history.hpp"
#include "formats/porcupine_values.hpp"
#include "formats/process_lanes.hpp"
#include "formats/sniff.hpp"

namespace plumb {
namespace {

struct Element {
  Place place;
  Place input_place;
  Place output_place;
  std::optional<std::int64_t> client;
  std::optional<Value> input;  // of an event: its Value
  std::optional<Value> output;
  std::optional<Time> call;
  std::optional<Time> ret;
  std::optional<bool> is_return;  // of an event: its Kind
  std::optional<std::int64_t> id;
};

struct Operation {
  PorcupineCall call;
  HistoryBuilder::Completed completed{kNull, false};
  Value client;
  Time called = 0;
  Time ret = kNever;
  bool ended = false;
  Place place;
};

class PorcupineReader final : public JsonHistoryReader {
 private:
  struct Moment {
    std::size_t operation;
    bool is_return;
  };

  Status document() override {
    const auto element = read_element();
    return element ? take(*element) : element.error();
  }

  Status build() override { return events_ ? build_events() : build_operations(); }

  Result<Element> read_element() {
    Element element;
    element.place = reader().place();
    auto status = reader().members([&](std::string_view name, JsonValue json) -> Status {
      if (name == "ClientId") return keep(element.client, reader().integer(json, "the client's number"));
      if (name == "Call") return keep(element.call, reader().integer(json, "the call time"));
      if (name == "Return") return keep(element.ret, reader().integer(json, "the return time"));
      if (name == "Id") return keep(element.id, reader().integer(json, "the operation's id"));
      if (name == "Kind") return kind(element, json);
      if (name == "Input" || name == "Value") {
        element.input_place = reader().place(json);
        return keep(element.input, reader().value(json, &table()));
      }
      if (name != "Output") return reader().skip(json);
      element.output_place = reader().place(json);
      return keep(element.output, reader().value(json, &table()));
    });
    if (!status) return status.error();
    return element;
  }

  template <class T>
  static Status keep(std::optional<T>& to, Result<T> from) {
    if (!from) return from.error();
    to = *from;
    return Ok{};
  }

  // A boolean in Go; some write the names.
  Status kind(Element& element, JsonValue json) {
    const Place place = reader().place(json);
    auto value = reader().value(json, &table());
    if (!value) return value.error();
    const Values& values = table();
    const bool is_text = values.kind(*value) == ValueKind::kString;
    const std::string_view text = is_text ? values.as_string(*value) : std::string_view();
    if (value->is_bool()) {
      element.is_return = value->is_true();
    } else if (text == "CallEvent" || text == "ReturnEvent") {
      element.is_return = text == "ReturnEvent";
    } else {
      return Error{fmt::format("expected the Kind false (a call) or true (a return), found {}",
                               values.to_json(*value)),
                   place};
    }
    return Ok{};
  }

  Status take(const Element& element) {
    const bool is_event = element.is_return.has_value();
    if (operations_.empty() && moments_.empty()) events_ = is_event;
    if (events_ != is_event)
      return Error{"an operation among events; expected one of the two throughout", element.place};
    return is_event ? event(element) : operation(element);
  }

  Status operation(const Element& element) {
    const char* missing = !element.input  ? "Input"
                          : !element.call ? "Call"
                          : !element.ret  ? "Return"
                                          : nullptr;
    if (missing != nullptr) {
      return Error{
          fmt::format("an operation without \"{}\"; expected ClientId, Input, Call, Output and Return",
                      missing),
          element.place};
    }
    if (auto status = begin(element); !status) return status;
    Operation& op = operations_.back();
    op.called = *element.call;
    op.ret = *element.ret;
    if (element.output && op.ret != kNever) return end(op, *element.output, element.output_place);
    const bool has_output = element.output && !is_nothing(*element.output);
    if (!has_output) return Ok{};
    auto returned = porcupine_return(op.call.function, *element.output, table());
    if (returned && !returned->is_known) return Ok{};
    return Error{"an Output of an operation that has not returned; expected none where Return is 2^63-1",
                 element.output_place};
  }

  [[nodiscard]] bool is_nothing(Value output) {
    const Values& values = table();
    return output.is_null() ||
           (values.kind(output) == ValueKind::kObject && values.as_object(output).empty());
  }

  Status event(const Element& element) {
    if (!element.id || !element.input) {
      return Error{fmt::format("an event without \"{}\"; expected ClientId, Kind, Value and Id",
                               element.id ? "Value" : "Id"),
                   element.place};
    }
    const auto known = by_id_.find(*element.id);
    if (!*element.is_return) {
      if (known != by_id_.end())
        return Error{fmt::format("the id {} is called twice", *element.id), element.place};
      if (auto status = begin(element); !status) return status;
      by_id_.emplace(*element.id, operations_.size() - 1);
      operations_.back().called = static_cast<Time>(moments_.size());
      moments_.push_back({operations_.size() - 1, false});
      return Ok{};
    }
    if (known == by_id_.end() || operations_[known->second].ended) {
      return Error{
          fmt::format("a return of {}, which is not running; expected the Id of a call", *element.id),
          element.place};
    }
    Operation& op = operations_[known->second];
    op.ret = static_cast<Time>(moments_.size());
    moments_.push_back({known->second, true});
    return end(op, *element.input, element.input_place);
  }

  Status begin(const Element& element) {
    auto call = porcupine_call(*element.input, table());
    if (!call) return Error{call.error().message, element.input_place};
    if (call->args.size() > HistoryBuilder::kMaxArguments) {
      return Error{fmt::format("too many arguments; expected at most {}", HistoryBuilder::kMaxArguments),
                   element.input_place};
    }
    if (operations_.size() == History::kMaxOperations)
      return Error{"too many operations in one history", element.place};
    Operation op;
    op.call = std::move(*call);
    // Without a client nobody says what came after what: a process of its own.
    op.client = element.client ? table().integer(*element.client)
                               : table().string(fmt::format("operation {}", operations_.size()));
    op.place = element.place;
    operations_.push_back(std::move(op));
    return Ok{};
  }

  Status end(Operation& op, Value output, Place place) {
    auto returned = porcupine_return(op.call.function, output, table());
    if (!returned) return Error{returned.error().message, place};
    op.ended = true;
    op.completed = returned->completed;
    if (!returned->is_known) op.ret = kNever;
    return Ok{};
  }

  std::vector<Value> processes() {
    std::vector<ClientOperation> all;
    for (const Operation& op : operations_) all.push_back({op.client, op.called, op.ret});
    return processes_of(all, table());
  }

  Status build_operations() {
    const std::vector<Value> process = processes();
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      const Operation& op = operations_[i];
      const auto id = function(op.call.function, op.place);
      if (!id) return id.error();
      builder().add(process[i], *id, op.call.args, op.completed, op.called, op.ret, op.place);
    }
    return Ok{};
  }

  // The order of the events is their time.
  Status build_events() {
    const std::vector<Value> process = processes();
    for (const Moment& moment : moments_) {
      const Operation& op = operations_[moment.operation];
      if (!moment.is_return) {
        const auto id = function(op.call.function, op.place);
        if (!id) return id.error();
        auto called = builder().call(process[moment.operation], *id, op.call.args, op.place);
        if (!called) return called.error();
      } else {
        auto status = op.ret == kNever
                          ? builder().lose(process[moment.operation], op.place)
                          : completed(builder().complete(process[moment.operation], op.completed, op.place));
        if (!status) return status;
      }
    }
    return Ok{};
  }
  static Status completed(const Result<OperationId>& done) { return done ? Status(Ok{}) : done.error(); }

  std::vector<Operation> operations_;
  std::vector<Moment> moments_;
  absl::flat_hash_map<std::int64_t, std::size_t> by_id_;
  bool events_ = false;
};

class PorcupineCodec final : public Codec {
 public:
  [[nodiscard]] std::string_view name() const override { return "porcupine"; }
  [[nodiscard]] std::string_view summary() const override {
    return "operations or events of Porcupine (Go), as JSON";
  }
  [[nodiscard]] Recognition recognises(std::string_view head) const override {
    const auto names = sniff_json(head);
    const auto has = [&](std::string_view name) { return names && names->has(name); };
    const bool is_one =
        has("ClientId") ? has("Input") || has("Kind") : has("Input") && has("Call") && has("Return");
    return is_one && !is_like_etcd_report(head) ? Recognition::kCertain : Recognition::kNo;
  }
  [[nodiscard]] Result<std::vector<History>> read(std::string_view bytes) const override {
    return read_json_history<PorcupineReader>(bytes);
  }
};

}  // namespace

const Codec& porcupine_codec() {
  static const PorcupineCodec codec;
  return codec;
}

}  // namespace plumb
