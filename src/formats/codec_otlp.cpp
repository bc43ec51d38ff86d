// otlp: spans of OpenTelemetry, as the file exporter of its collector writes them (OTLP/JSON). A span with attributes plumb.… is an
// operation; its begin and end are the call and the return. All other spans are passed over.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "formats/codecs.hpp"
#include "formats/json_history.hpp"
#include "formats/otlp_values.hpp"
#include "formats/process_lanes.hpp"
#include "formats/sniff.hpp"
#include "history/number.hpp"
#include "json/json_text.hpp"

namespace plumb {
namespace {

constexpr std::string_view kPrefix = "plumb.";

// Of one span.
struct Span {
  Place place;
  std::string name;
  std::string id;
  std::string trace;
  std::optional<Time> start;
  std::optional<Time> end;
  bool has_error = false;
  bool is_operation = false;  // it has an attribute of plumb's
  bool did_not_happen = false;
  std::optional<std::string> function;
  std::optional<Value> args;
  std::optional<Value> result;
  std::optional<Value> process;
  std::optional<Value> object;
};

class OtlpReader final : public JsonHistoryReader {
 private:
  Status document() override {
    bool has_spans = false;
    auto status = reader().members([&](std::string_view name, JsonValue json) -> Status {
      if (name != "resourceSpans") return reader().skip(json);
      has_spans = true;
      return reader().items(json, [&](JsonValue item) { return resource_spans(item); });
    });
    if (status && !has_spans)
      return Error{"a document without \"resourceSpans\"; expected spans as OTLP/JSON", reader().place()};
    return status;
  }

  // What timed the spans stands before or after them.
  Status resource_spans(JsonValue json) {
    std::string machine;
    const std::size_t first = spans_.size();
    auto status = reader().members(json, [&](std::string_view name, JsonValue member) -> Status {
      if (name == "resource") return resource(member, machine);
      if (name == "instrumentationLibrarySpans")
        return Error{"\"instrumentationLibrarySpans\" of an old exporter; expected scopeSpans",
                     reader().place(member)};
      if (name != "scopeSpans") return reader().skip(member);
      return reader().items(member, [&](JsonValue item) {
        return reader().members(item, [&](std::string_view part, JsonValue content) -> Status {
          if (part != "spans") return reader().skip(content);
          return reader().items(content, [&](JsonValue one) { return span(one); });
        });
      });
    });
    if (spans_.size() != first) machines_.insert(machine);
    return status;
  }

  // The machine whose clock it is, by the name of its host, else of the service's instance.
  Status resource(JsonValue json, std::string& machine) {
    std::string instance;
    auto status = reader().members(json, [&](std::string_view name, JsonValue member) -> Status {
      if (name != "attributes") return reader().skip(member);
      return each_attribute(member, [&](std::string_view key, Value value, Place /*place*/) -> Status {
        if (key == "host.name" || key == "host.id") machine = text_of(value);
        if (key == "service.instance.id") instance = text_of(value);
        return Ok{};
      });
    });
    if (machine.empty()) machine = instance;
    return status;
  }

  Status span(JsonValue json) {
    Span span;
    span.place = reader().place(json);
    auto status = reader().members(json, [&](std::string_view name, JsonValue member) -> Status {
      if (name == "name") return text(member, "the span's name", span.name);
      if (name == "spanId") return text(member, "the span's id", span.id);
      if (name == "traceId") return text(member, "the trace's id", span.trace);
      if (name == "startTimeUnixNano") return time(member, span.start);
      if (name == "endTimeUnixNano") return time(member, span.end);
      if (name == "status") return status_of(member, span);
      if (name != "attributes") return reader().skip(member);
      return each_attribute(member, [&](std::string_view key, Value value, Place place) {
        return attribute(span, key, value, place);
      });
    });
    if (!status) return status;
    if (!span.is_operation) return ++passed_over_, Ok{};
    if (span.did_not_happen) return Ok{};
    if (!span.start || *span.start == 0)
      return Error{"a span without \"startTimeUnixNano\"; expected when it began", span.place};
    if (!span.function && span.name.empty())
      return Error{"a span without a name; expected one, or an attribute plumb.function", span.place};
    if (spans_.size() == History::kMaxOperations)
      return Error{"too many operations in one history", span.place};
    if (!span.id.empty() && !known_.insert({span.trace, span.id}).second)
      return Error{fmt::format("the span \"{}\" of the trace \"{}\" a second time; expected each once",
                               span.id, span.trace),
                   span.place};
    spans_.push_back(std::move(span));
    return Ok{};
  }

  Status text(JsonValue json, std::string_view what, std::string& to) {
    auto text = reader().string(json, what);
    if (!text) return text.error();
    to = *text;
    return Ok{};
  }

  // 64 bits: a string in JSON, by the rules of protobuf; some write numbers.
  Status time(JsonValue json, std::optional<Time>& to) {
    const Place place = reader().place(json);
    std::string written;
    if (JsonReader::first_char(json) == '"') {
      auto text = reader().string(json, "nanoseconds since 1970");
      if (!text) return text.error();
      to = parse_integer(*text);
      written = fmt::format("\"{}\"", *text);
    } else {
      auto number = reader().integer(json, "nanoseconds since 1970");
      if (!number) return number.error();
      to = *number;
      written = fmt::to_string(*number);
    }
    if (to && *to >= 0 && *to != kNever) return Ok{};
    return Error{
        fmt::format("expected nanoseconds since 1970 as a whole number from 0 to 2^63-2, found {}", written),
        place};
  }

  Status status_of(JsonValue json, Span& span) {
    return reader().members(json, [&](std::string_view name, JsonValue member) -> Status {
      if (name != "code") return reader().skip(member);
      auto code = reader().value(member, &table());
      if (!code) return code.error();
      static constexpr std::array<std::string_view, 3> kCodes = {"STATUS_CODE_UNSET", "STATUS_CODE_OK",
                                                                 "STATUS_CODE_ERROR"};
      const Values& values = table();
      for (std::size_t i = 0; i < kCodes.size(); ++i) {
        const bool is_name =
            values.kind(*code) == ValueKind::kString && values.as_string(*code) == kCodes.at(i);
        if (!is_name && *code != Value::small(static_cast<std::int64_t>(i))) continue;
        span.has_error = i == 2;
        return Ok{};
      }
      return Error{fmt::format("the status code {}; expected 0, 1, 2, or STATUS_CODE_UNSET, _OK, _ERROR",
                               values.to_json(*code)),
                   reader().place(member)};
    });
  }

  // visit(key, value, place) -> Status
  template <class Visit>
  Status each_attribute(JsonValue json, const Visit& visit) {
    return reader().items(json, [&](JsonValue item) -> Status {
      std::string key;
      std::optional<Value> value;
      const Place place = reader().place(item);
      auto status = reader().members(item, [&](std::string_view name, JsonValue member) -> Status {
        if (name == "key") return text(member, "the attribute's key", key);
        if (name != "value") return reader().skip(member);
        auto read = reader().value(member, &table());
        if (!read) return read.error();
        value = *read;
        return Ok{};
      });
      if (!status) return status;
      auto plain = otlp_value(value.value_or(kNull), table(), place);
      if (!plain) return plain.error();
      return visit(key, *plain, place);
    });
  }

  Status attribute(Span& span, std::string_view key, Value value, Place place) {
    if (!key.starts_with(kPrefix)) return Ok{};
    span.is_operation = true;
    key.remove_prefix(kPrefix.size());
    if (key == "function") {
      if (table().kind(value) != ValueKind::kString)
        return Error{"plumb.function is no string; expected the function's name", place};
      span.function = text_of(value);
      return Ok{};
    }
    if (key == "did_not_happen") {
      if (!value.is_bool()) return Error{"plumb.did_not_happen is neither true nor false", place};
      span.did_not_happen = value.is_true();
      return Ok{};
    }
    if (key == "process") return span.process = value, Ok{};
    if (key == "object") return span.object = value, Ok{};
    const bool is_json = key.ends_with(".json");
    if (is_json) key.remove_suffix(5);
    std::optional<Value>* to = key == "args" ? &span.args : key == "result" ? &span.result : nullptr;
    if (to == nullptr) {
      return Error{fmt::format("an attribute plumb.{}; expected plumb.function, args, args.json, result, "
                               "result.json, process, object or "
                               "did_not_happen",
                               key),
                   place};
    }
    if (*to) return Error{fmt::format("a second attribute for the {}", key), place};
    auto plain = is_json ? json_value(value, place) : Result<Value>(value);
    if (!plain) return plain.error();
    *to = *plain;
    return Ok{};
  }

  Result<Value> json_value(Value value, Place place) {
    if (table().kind(value) != ValueKind::kString)
      return Error{"an attribute ….json that is no string", place};
    auto found = json_.value(text_of(value), table(), place);
    if (found) return found;
    return Error{fmt::format("an attribute ….json that is not JSON: {}", found.error().message), place};
  }

  [[nodiscard]] std::string text_of(Value value) {
    const Values& values = table();
    return values.kind(value) == ValueKind::kString ? std::string(values.as_string(value))
                                                    : values.to_json(value);
  }

  // The span's id, which is that of one span of a trace only.
  [[nodiscard]] Value name_of(std::size_t i) {
    const std::string& id = spans_[i].id;
    const bool is_new = !id.empty() && names_of_spans_.insert(id).second;
    return table().string(is_new ? id : fmt::format("{}#{}", id, i));
  }

  // A span that ended with an error may have had its effect or not, then or later: it is pending.
  [[nodiscard]] static Time return_of(const Span& span) {
    return span.has_error || !span.end || *span.end == 0 ? kNever : *span.end;
  }

  Status build() override {
    if (spans_.empty() && passed_over_ != 0) {
      return Error{fmt::format("{} spans, and none with an attribute plumb.function, plumb.args or "
                               "plumb.result; expected them on the "
                               "spans that are operations",
                               passed_over_),
                   {1, 1}};
    }
    std::vector<ClientOperation> clients;
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      // Nobody says who ran it: a process of its own, which may do anything.
      clients.push_back({spans_[i].process.value_or(name_of(i)), *spans_[i].start, return_of(spans_[i])});
    }
    const std::vector<Value> process = processes_of(clients, table());
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      if (auto status = add(spans_[i], process[i]); !status) return status;
    }
    builder().set_clocks(machines_.size());
    return Ok{};
  }

  Status add(const Span& span, Value process) {
    const Values& values = table();
    std::vector<Value> args;
    if (span.args && values.kind(*span.args) == ValueKind::kArray) {
      const auto items = values.as_array(*span.args);
      args.assign(items.begin(), items.end());
    } else if (span.args) {
      args.push_back(*span.args);
    }
    if (args.size() > HistoryBuilder::kMaxArguments)
      return Error{fmt::format("too many arguments; expected at most {}", HistoryBuilder::kMaxArguments),
                   span.place};
    if (span.process && values.kind(*span.process) != ValueKind::kInteger &&
        values.kind(*span.process) != ValueKind::kString)
      return Error{"plumb.process is neither a whole number nor a string", span.place};
    const Time ret = return_of(span);
    const auto id = function(span.function.value_or(span.name), span.place);
    if (!id) return id.error();
    const HistoryBuilder::Completed completed{span.result.value_or(kNull),
                                              span.result.has_value() && ret != kNever};
    const OperationId added = builder().add(process, *id, args, completed, *span.start, ret, span.place);
    if (span.object) builder().set_object(added, *span.object);
    return Ok{};
  }

  JsonText json_;
  std::vector<Span> spans_;
  std::size_t passed_over_ = 0;
  absl::flat_hash_set<std::string> machines_;
  absl::flat_hash_set<std::pair<std::string, std::string>> known_;  // traces with spans
  absl::flat_hash_set<std::string> names_of_spans_;
};

class OtlpCodec final : public Codec {
 public:
  [[nodiscard]] std::string_view name() const override { return "otlp"; }
  [[nodiscard]] std::string_view summary() const override { return "spans of OpenTelemetry, as OTLP/JSON"; }
  [[nodiscard]] Recognition recognises(std::string_view head) const override {
    const auto names = sniff_json(head);
    return names && names->has("resourceSpans") ? Recognition::kCertain : Recognition::kNo;
  }
  [[nodiscard]] Result<std::vector<History>> read(std::string_view bytes) const override {
    return read_json_history<OtlpReader>(bytes);
  }
};

}  // namespace

const Codec& otlp_codec() {
  static const OtlpCodec codec;
  return codec;
}

}  // namespace plumb
