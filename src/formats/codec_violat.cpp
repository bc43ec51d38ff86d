// violat: one JSON document a line, the run of one test of a Java class: its schema (class and constructor
// arguments) and its events. Results are the text that Java prints, or what it reads like.
#include <array>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "formats/codecs.hpp"
#include "formats/sniff.hpp"
#include "history/function_names.hpp"
#include "history/java_text.hpp"
#include "json/json_reader.hpp"

namespace plumb {
namespace {

class ViolatReader {
 public:
  explicit ViolatReader(std::string_view text) : reader_(text) {}

  Result<std::vector<History>> run() {
    while (true) {
      auto more = reader_.next();
      if (!more) return more.error();
      if (!*more) break;
      if (auto status = document(); !status) return status.error();
    }
    if (histories_.empty()) {
      auto nothing = builder_.finish();
      if (!nothing) return nothing.error();
      histories_.push_back(std::move(*nothing));
    }
    return std::move(histories_);
  }

 private:
  struct EventMembers {
    bool is_call = false;
    bool has_kind = false;
    std::optional<Value> process;
    std::optional<Value> id;
    std::optional<std::string_view> function;
    std::vector<Value> args;
    std::optional<Value> result;
  };

  Status document() {
    bool has_schema = false;
    bool has_events = false;
    auto status = reader_.members([&](std::string_view name, JsonValue json) -> Status {
      if (name == "schema") return has_schema = true, schema(json);
      if (name != "events") return reader_.skip(json);
      has_events = true;
      return reader_.items(json, [&](JsonValue item) { return event(item); });
    });
    if (!status) return status;
    if (!has_schema || !has_events) {
      return Error{fmt::format("a document without \"{}\"; expected schema and events",
                               has_schema ? "events" : "schema"),
                   reader_.place()};
    }
    auto history = builder_.finish();
    if (!history) return history.error();
    histories_.push_back(std::move(*history));
    names_.clear();
    ids_.clear();
    running_.clear();
    return Ok{};
  }

  Status schema(JsonValue json) {
    bool has_class = false;
    const Place place = reader_.place(json);
    auto status = reader_.members(json, [&](std::string_view name, JsonValue member) -> Status {
      if (name == "class") {
        auto text = reader_.string(member, "the class");
        if (!text) return text.error();
        has_class = true;
        builder_.set_model("java:" + std::string(text->substr(text->rfind('.') + 1)));
        return Ok{};
      }
      if (name != "arguments") return reader_.skip(member);
      auto initial = array(member);
      if (initial) builder_.set_initial(builder_.values().array(*initial));
      return initial ? Status(Ok{}) : initial.error();
    });
    if (status && !has_class)
      return Error{"a schema without \"class\"; expected the name of a Java class", place};
    return status;
  }

  Result<std::vector<Value>> array(JsonValue json) {
    std::vector<Value> values;
    auto status = reader_.items(json, [&](JsonValue item) -> Status {
      auto value = reader_.value(item, &builder_.values());
      if (!value) return value.error();
      values.push_back(*value);
      return Ok{};
    });
    if (!status) return status.error();
    return values;
  }

  Status event(JsonValue json) {
    const Place place = reader_.place(json);
    EventMembers event;
    auto status = reader_.members(json, [&](std::string_view name, JsonValue member) -> Status {
      if (name == "kind") return kind(event, member);
      if (name == "sid") return keep(event.process, reader_.integer(member, "the session"));
      if (name == "value") return keep(event.result, result(member));
      return name == "invocation" ? invocation(event, member) : reader_.skip(member);
    });
    if (!status) return status;
    const char* missing = !event.has_kind  ? "kind"
                          : !event.process ? "sid"
                          : !event.id      ? "invocation"
                                           : nullptr;
    if (missing != nullptr) {
      return Error{
          fmt::format("an event without \"{}\"; expected kind, sid and an invocation with its id", missing),
          place};
    }
    return event.is_call ? call(event, place) : complete(event, place);
  }

  Result<Value> result(JsonValue json) {
    Values& values = builder_.values();
    auto value = reader_.value(json, &values);
    if (!value || values.kind(*value) != ValueKind::kString) return value;
    return read_java_scalar(values.as_string(*value), values).value_or(*value);
  }

  Status kind(EventMembers& event, JsonValue json) {
    auto text = reader_.string(json, "the kind");
    if (!text) return text.error();
    event.has_kind = true;
    event.is_call = *text == "call";
    if (*text == "call" || *text == "return") return Ok{};
    return Error{fmt::format("expected the kind \"call\" or \"return\", found \"{}\"", *text),
                 reader_.place(json)};
  }

  Status invocation(EventMembers& event, JsonValue json) {
    return reader_.members(json, [&](std::string_view name, JsonValue member) -> Status {
      if (name == "id") return keep(event.id, reader_.integer(member, "the invocation's id"));
      if (name == "method") {
        return reader_.members(member, [&](std::string_view part, JsonValue content) -> Status {
          if (part != "name") return reader_.skip(content);
          auto text = reader_.string(content, "the method's name");
          if (text) event.function = *text;
          return text ? Status(Ok{}) : text.error();
        });
      }
      if (name != "arguments") return reader_.skip(member);
      auto args = array(member);
      if (args) event.args = std::move(*args);
      return args ? Status(Ok{}) : args.error();
    });
  }

  Status keep(std::optional<Value>& to, Result<std::int64_t> number) {
    if (!number) return number.error();
    to = builder_.values().integer(*number);
    return Ok{};
  }
  static Status keep(std::optional<Value>& to, Result<Value> value) {
    if (!value) return value.error();
    to = *value;
    return Ok{};
  }

  Status call(const EventMembers& event, Place place) {
    if (!event.function) return Error{"a call without \"method\"; expected the method's name", place};
    if (event.args.size() > HistoryBuilder::kMaxArguments) {
      return Error{fmt::format("too many arguments; expected at most {}", HistoryBuilder::kMaxArguments),
                   place};
    }
    if (!ids_.insert(*event.id).second) {
      return Error{
          fmt::format("the id {} appears twice; expected a new one", builder_.values().to_json(*event.id)),
          place};
    }
    const auto function = names_.id(builder_, *event.function);
    if (!function) return FunctionNames::too_many(place);
    auto called = builder_.call(*event.process, *function, event.args, place);
    if (!called) return called.error();
    running_[*event.process] = *event.id;
    return Ok{};
  }

  Status complete(const EventMembers& event, Place place) {
    const auto running = running_.find(*event.process);
    if (running != running_.end() && running->second != *event.id) {
      const Values& values = builder_.values();
      return Error{fmt::format("a return of invocation {}, but session {} is running {}; expected that one",
                               values.to_json(*event.id), values.to_json(*event.process),
                               values.to_json(running->second)),
                   place};
    }
    running_.erase(*event.process);
    auto completed =
        builder_.complete(*event.process, {event.result.value_or(kNull), event.result.has_value()}, place);
    if (!completed) return completed.error();
    return Ok{};
  }

  JsonReader reader_;
  HistoryBuilder builder_;
  FunctionNames names_;
  absl::flat_hash_set<Value> ids_;
  absl::flat_hash_map<Value, Value> running_;  // session to invocation
  std::vector<History> histories_;
};

class ViolatCodec final : public Codec {
 public:
  [[nodiscard]] std::string_view name() const override { return "violat"; }
  [[nodiscard]] std::string_view summary() const override {
    return "runs of Java classes, one JSON document each";
  }
  [[nodiscard]] std::span<const std::string_view> endings() const override {
    static constexpr std::array<std::string_view, 1> kEndings = {".violat"};
    return kEndings;
  }
  [[nodiscard]] Recognition recognises(std::string_view head) const override {
    const auto names = sniff_json(head);
    return names && (names->has("schema") || names->has("events")) ? Recognition::kCertain : Recognition::kNo;
  }
  [[nodiscard]] Result<std::vector<History>> read(std::string_view bytes) const override {
    return ViolatReader(bytes).run();
  }
};

}  // namespace

const Codec& violat_codec() {
  static const ViolatCodec codec;
  return codec;
}

}  // namespace plumb
