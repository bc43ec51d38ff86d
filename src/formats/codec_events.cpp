// events: Jepsen's events as JSON, one a line or all in one array.
#include <fmt/format.h>

#include "formats/codecs.hpp"
#include "formats/event_lines.hpp"
#include "formats/event_writer.hpp"
#include "formats/sniff.hpp"
#include "json/json_reader.hpp"

namespace plumb {
namespace {

void append_event(const WrittenEvent& event, const Values& values, std::string& out) {
  const auto member = [&](std::string_view name, const std::optional<Value>& value) {
    if (!value) return;
    fmt::format_to(std::back_inserter(out), R"(,"{}":)", name);
    values.append_json(*value, out);
  };
  out += R"({"process":)";
  values.append_json(event.process, out);
  fmt::format_to(std::back_inserter(out), R"(,"type":"{}","f":)", event.type());
  append_json_string(event.function, out);
  member("key", event.data.key);
  member("value", event.data.value);
  member("args", event.data.args);
  member("result", event.data.result);
  member("object", event.object);
  out += "}\n";
}

class EventsCodec final : public Codec {
 public:
  [[nodiscard]] std::string_view name() const override { return "events"; }
  [[nodiscard]] std::string_view summary() const override {
    return "Jepsen's events (invoke, ok, fail, info), in JSON";
  }
  [[nodiscard]] bool recognises(std::string_view head) const override {
    return sniff(head) == Shape::kEvents;
  }

  [[nodiscard]] Result<std::vector<History>> read(std::string_view bytes) const override {
    HistorySink sink;
    JepsenEvents events(sink);
    if (auto status = read_json_events(bytes, events); !status) return status.error();
    if (auto status = events.end_history(!sink.has_histories()); !status) return status.error();
    return sink.take_histories();
  }

  [[nodiscard]] bool can_write() const override { return true; }
  [[nodiscard]] Status write(const History& history, std::string& out) const override {
    append_json_header(history, out);
    return write_events(history, name(), [&](const WrittenEvent& event, const Values& values) {
      append_event(event, values, out);
    });
  }
};

}  // namespace

Status read_json_event(JsonReader& reader, JepsenEvents& events) {
  events.begin(reader.place());
  auto status = reader.members([&](std::string_view name, JsonValue json) -> Status {
    if (!JepsenEvents::wants(name)) return reader.skip(json);
    const char* at = JsonReader::position(json);
    auto value = reader.value(json, &events.values());
    if (!value) return value.error();
    events.member(name, *value, reader.place(at));
    return Done{};
  });
  return status ? events.end() : status;
}

Status read_json_events(std::string_view text, JepsenEvents& events) {
  JsonReader reader(text);
  while (true) {
    auto more = reader.next();
    if (!more) return more.error();
    if (!*more) return Done{};
    if (auto status = read_json_event(reader, events); !status) return status;
  }
}

const Codec& events_codec() {
  static const EventsCodec codec;
  return codec;
}

}  // namespace plumb
