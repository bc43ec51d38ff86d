// events: Jepsen's events as JSON, one per line or all in one array.
#include <array>

#include "formats/codecs.hpp"
#include "formats/event_writer.hpp"
#include "formats/jepsen_codec.hpp"
#include "formats/sniff.hpp"
#include "json/json_reader.hpp"
#include "json/quick_scanner.hpp"

namespace plumb {
namespace {

// {"process":0,"type":"invoke","f":"enqueue","value":3}, the members in any order, each once, "value" and
// "object" with anything plain.
class EventScanner : QuickScanner {
 public:
  using QuickScanner::QuickScanner;

  bool event(JepsenEvent& event) {
    if (!eat("{")) return false;
    do {
      blank();
      if (!member(event)) return false;
    } while (eat(","));
    constexpr unsigned kNeeded = kProcess | kType | kFunction;
    return eat("}") && at_ == end_ && (seen_ & kNeeded) == kNeeded;
  }

 private:
  enum Seen : unsigned { kProcess = 1, kType = 2, kFunction = 4, kValue = 8, kObject = 16 };

  bool once(Seen member) {
    if ((seen_ & member) != 0) return false;
    seen_ |= member;
    blank();
    return true;
  }

  bool member(JepsenEvent& event) {
    if (*at_ != '"') return false;
    switch (at_[1]) {
      case 'p':
        return eat("\"process\":") && once(kProcess) && scalar(event.process) && event.process.is_small();
      case 't':
        return eat("\"type\":") && once(kType) && type(event.type);
      case 'f':
        return eat("\"f\":") && once(kFunction) && text(event.function.emplace());
      case 'v':
        return eat("\"value\":") && once(kValue) && scalar(event.data.value.emplace());
      case 'o':
        return eat("\"object\":") && once(kObject) && scalar(event.object);
      default:
        return false;
    }
  }

  bool type(JepsenType& type) {
    if (eat("\"invoke\"")) return type = JepsenType::kInvoke, true;
    if (eat("\"ok\"")) return type = JepsenType::kOk, true;
    if (eat("\"fail\"")) return type = JepsenType::kFail, true;
    return eat("\"info\"") && (type = JepsenType::kInfo, true);
  }

  unsigned seen_ = 0;
};

// The event of the document that the reader is at.
Status read_json_event(JsonReader& reader, JepsenEvents& events) {
  events.begin(reader.place());
  auto status = reader.members([&](std::string_view name, JsonValue json) -> Status {
    if (!JepsenEvents::wants(name)) return reader.skip(json);
    const char* at = JsonReader::position(json);
    auto value = reader.value(json, &events.values());
    if (!value) return value.error();
    events.member(name, *value, reader.place(at));
    return Ok{};
  });
  return status ? events.end() : status;
}

class EventsLines final : public EventReader {
 public:
  EventsLines(EventSink& sink, JepsenValues kind) : sink_(sink), events_(sink, false, kind), json_("") {}

  [[nodiscard]] Status line(std::string_view text, std::uint32_t number) override {
    JepsenEvent event;
    if (!EventScanner(text, sink_.values()).event(event)) return EventReader::line(text, number);
    event.place = {number, 1};
    event.function_place = event.place;
    return events_.event(event);
  }

 private:
  [[nodiscard]] Status plain_line(std::string_view text, std::uint32_t number) override {
    json_.begin(text, number - 1);
    if (trim(text).front() == '[') return Error{"an array; expected one event per line", {number, 1}};
    auto more = json_.next();
    if (!more || !*more) return more ? Status(Ok{}) : more.error();
    return read_json_event(json_, events_);
  }

  EventSink& sink_;
  JepsenEvents events_;
  JsonReader json_;
};

constexpr EventSyntax kSyntax = {.before_name = "\"",
                                 .after_name = "\":",
                                 .between = ",",
                                 .append_value = [](const Values& values, Value value,
                                                    std::string& out) { values.append_json(value, out); },
                                 .append_word = append_json_string};

class EventsCodec final : public JepsenCodec {
 public:
  [[nodiscard]] std::string_view name() const override { return "events"; }
  [[nodiscard]] std::string_view summary() const override {
    return "Jepsen's events (invoke, ok, fail, info), in JSON";
  }
  [[nodiscard]] std::span<const std::string_view> endings() const override {
    static constexpr std::array<std::string_view, 3> kEndings = {".events.jsonl", ".events.json", ".events"};
    return kEndings;
  }
  [[nodiscard]] Recognition recognises(std::string_view head) const override {
    const auto names = sniff_json(head);
    const bool is_event = names && names->has("type") && !names->has("call") && !names->has("events");
    return is_event ? Recognition::kCertain : Recognition::kNo;
  }

  [[nodiscard]] Status read_events(std::string_view text, JepsenEvents& events) const override {
    JsonReader reader(text);
    while (true) {
      auto more = reader.next();
      if (!more) return more.error();
      if (!*more) return Ok{};
      if (auto status = read_json_event(reader, events); !status) return status;
    }
  }
  [[nodiscard]] std::unique_ptr<EventReader> line_reader(EventSink& sink, JepsenValues kind) const override {
    return std::make_unique<EventsLines>(sink, kind);
  }

  [[nodiscard]] bool can_write() const override { return true; }
  [[nodiscard]] Status write(const History& history, std::string& out) const override {
    append_json_header(history, out);
    return write_events(history, name(), kSyntax, out);
  }
};

}  // namespace

const Codec& events_codec() {
  static const EventsCodec codec;
  return codec;
}

}  // namespace plumb
