// Line by line: which format it is, and a quick way for plain JSON events.
#include "formats/event_lines.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "formats/sniff.hpp"
#include "json/json_reader.hpp"
#include "json/quick_scanner.hpp"

namespace plumb {
namespace {

// {"process":0,"type":"invoke","f":"enqueue","value":3}, the members in any order, each once, "value" and "object" with
// anything plain.
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

constexpr std::string_view kIndependent = "independent";
constexpr std::array<std::string_view, 5> kFormats = {"events", "edn", "jepsen-log", "hist", kIndependent};

std::string_view format_of(Shape shape) {
  switch (shape) {
    case Shape::kOperations:
      return "jsonl";
    case Shape::kEvents:
      return "events";
    case Shape::kViolat:
      return "violat";
    case Shape::kEdn:
      return "edn";
    case Shape::kJepsenLog:
      return "jepsen-log";
    case Shape::kHist:
      return "hist";
    case Shape::kUnknown:
      break;
  }
  return "auto";
}

}  // namespace

EventLines::EventLines(std::string_view format, EventSink& sink)
    : format_(format == kIndependent ? "auto" : format),
      is_events_(format == "events"),
      is_independent_(format == kIndependent),
      sink_(sink),
      events_(sink, false, is_independent_ ? JepsenValues::kIndependent : JepsenValues::kPlain),
      hist_(sink),
      json_(std::make_unique<JsonReader>(std::string_view())) {}

EventLines::~EventLines() = default;

bool EventLines::has(std::string_view format) {
  return std::ranges::find(kFormats, format) != kFormats.end();
}

// A header alone looks like whole operations, a comment alone like EDN: the line after it tells.
Status EventLines::recognise(std::string_view text, std::uint32_t number) {
  const std::string_view line = trim(text);
  const Shape shape = sniff(line);
  if (const auto what = not_a_history(line); !what.empty()) return Error{std::string(what), {number, 1}};
  const bool says_nothing = line.starts_with(';') || line.find("\"plumb\"") != std::string_view::npos;
  if (says_nothing || (line.starts_with('#') && shape != Shape::kHist)) return Done{};
  if (shape == Shape::kOperations && line.find("\"call\"") == std::string_view::npos &&
      line.find("\"history\"") == std::string_view::npos)
    return Error{"expected an event with process, type, f and value", {number, 1}};
  const std::string_view found = format_of(shape);
  if (is_independent_ && (shape == Shape::kHist || found == "jsonl" || found == "violat"))
    return Error{"not an event of Jepsen; expected events, edn or jepsen-log with values [key value]",
                 {number, 1}};
  format_ = found;
  is_events_ = shape == Shape::kEvents;
  return Done{};
}

Status EventLines::line(std::string_view text, std::uint32_t number) {
  if (is_events_) {
    if (Status status = Done{}; quick_event(text, number, status)) return status;
  }
  if (number == 1) text = without_byte_order_mark(text);
  if (trim(text).empty()) return Done{};
  if (const auto bad = first_invalid_utf8(text))
    return Error{"not valid UTF-8", {number, static_cast<std::uint32_t>(*bad + 1)}};
  if (format_ == "auto") {
    if (auto status = recognise(text, number); !status) return status;
  }
  const bool header = text.find("\"plumb\"") != std::string_view::npos;
  if (is_events_ || (format_ == "auto" && header)) {
    json_->begin(text, number - 1);
    if (trim(text).front() == '[') return Error{"an array; expected one event a line", {number, 1}};
    auto more = json_->next();
    if (!more || !*more) return more ? Status(Done{}) : more.error();
    return read_json_event(*json_, events_);
  }
  if (format_ == "edn") return read_edn_events(text, {number, 1}, events_);
  if (format_ == "auto" || is_other())
    return Done{};  // not known yet: a comment, or words of a log before its first event
  Lines lines(text, number - 1);
  lines.next();
  return format_ == "hist" ? hist_.line(lines) : read_log_line(lines, events_);
}

bool EventLines::quick_event(std::string_view text, std::uint32_t number, Status& status) {
  JepsenEvent event;
  if (!EventScanner(text, sink_.values()).event(event)) return false;
  event.place = {number, 1};
  event.function_place = event.place;
  status = events_.event(event);
  return true;
}

}  // namespace plumb
