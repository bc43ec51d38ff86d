// jepsen-log: Jepsen's console log, and history.txt of its test directories. Lines "… jepsen.util - 2 :invoke :write 4", or without
// what stands before the process, are events, with values in EDN; all other lines are not for us.
#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "formats/codecs.hpp"
#include "formats/edn_reader.hpp"
#include "formats/jepsen_codec.hpp"
#include "history/number.hpp"

namespace plumb {
namespace {

constexpr std::string_view kMarker = "jepsen.util";

// The words of a line, from left to right.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}
  std::string_view next() {
    skip_blanks();
    std::size_t size = 0;
    while (size < rest_.size() && !is_blank(rest_[size])) ++size;
    const std::string_view word = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return word;
  }
  std::string_view rest() { return skip_blanks(), rest_; }

 private:
  void skip_blanks() {
    while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
  }
  std::string_view rest_;
};

// A line of history.txt: a process, a type.
bool is_bare_event(std::string_view line) {
  static constexpr std::array<std::string_view, 4> kTypes = {":invoke", ":ok", ":fail", ":info"};
  Words words(line);
  const std::string_view process = words.next();
  const bool is_process = parse_integer(process).has_value() || process.starts_with(':');
  return is_process && std::ranges::find(kTypes, words.next()) != kTypes.end();
}

// The same with a type that may be misspelt: a client, two keywords. It is one, and an error: no event gets lost.
bool is_like_bare_event(std::string_view line) {
  Words words(line);
  const bool is_client = parse_integer(words.next()).has_value();
  return is_client && words.next().starts_with(':') && words.next().starts_with(':');
}

class LogLine {
 public:
  LogLine(const Lines& lines, JepsenEvents& events) : lines_(lines), events_(events) {}

  Status run() {
    if (is_bare_event(lines_.text()) || is_like_bare_event(lines_.text()))
      return event(lines_.text());  // whose value may read like a marker
    const std::size_t marker = lines_.text().find(kMarker);
    if (marker != std::string_view::npos) return event(lines_.text().substr(marker + kMarker.size()));
    return Ok{};
  }

 private:
  Status event(std::string_view text) {
    Words words(text);
    if (words.rest().starts_with("- ")) words.next();
    const std::string_view process = words.next();
    const std::string_view type = words.next();
    const Number number = parse_number(process);
    const bool is_number = number.kind != Number::Kind::kNone;
    if (is_number && type.empty()) return missing(process, "the type of the event, such as :invoke");
    if (!type.starts_with(':') || !(is_number || process.starts_with(':'))) return Ok{};
    const Place process_place = lines_.place(process.data());
    if (number.kind == Number::Kind::kTooLarge) return Error{too_large(process), process_place};
    if (number.kind == Number::Kind::kLeadingZeros)
      return Error{fmt::format("expected the process without leading zeros, found {}", process),
                   process_place};
    events_.begin(process_place);
    Values& values = events_.values();
    events_.member("process", is_number ? number.value(values) : values.string(process), process_place);
    events_.member("type", values.string(type), lines_.place(type.data()));
    const std::string_view function = words.next();
    if (function.empty()) return missing(type, "the function, such as :read");
    if (!function.starts_with(':')) {
      return Error{fmt::format("expected the function as a keyword, such as :read, found '{}'", function),
                   lines_.place(function.data())};
    }
    events_.member("f", values.string(function), lines_.place(function.data()));
    // What did not happen, or may have, is followed by a reason instead of a value.
    if (is_number && (type == ":invoke" || type == ":ok")) {
      if (auto status = value(words.rest()); !status) return status;
    }
    return events_.end();
  }

  Status value(std::string_view text) {
    if (text.empty()) return Ok{};
    const Place place = lines_.place(text.data());
    EdnReader reader(text, place);
    auto value = reader.value(&events_.values());
    if (!value) return value.error();
    auto next = reader.peek();
    if (!next) return next.error();
    if (*next != '\0') return reader.expected("the end of the line after one value");
    events_.member("value", *value, place);
    return Ok{};
  }

  [[nodiscard]] Error missing(std::string_view after, std::string_view what) const {
    return Error{fmt::format("the line ends where {} was expected", what),
                 lines_.place(after.data() + after.size())};
  }

  const Lines& lines_;
  JepsenEvents& events_;
};

class LogLines final : public EventReader {
 public:
  LogLines(EventSink& sink, JepsenValues kind) : events_(sink, false, kind) {}

 private:
  [[nodiscard]] Status plain_line(std::string_view text, std::uint32_t number) override {
    Lines lines(text, number - 1);
    lines.next();
    return LogLine(lines, events_).run();
  }

  JepsenEvents events_;
};

class JepsenLogCodec final : public JepsenCodec {
 public:
  [[nodiscard]] std::string_view name() const override { return "jepsen-log"; }
  [[nodiscard]] std::string_view summary() const override {
    return "the console log of Jepsen, or its history.txt";
  }
  [[nodiscard]] std::span<const std::string_view> endings() const override {
    // .txt too: a stray note is reported as unreadable, which is better than a recording that nobody looked
    // at.
    static constexpr std::array<std::string_view, 2> kEndings = {".log", ".txt"};
    return kEndings;
  }
  [[nodiscard]] Recognition recognises(std::string_view head) const override {
    const bool is_one =
        head.find(kMarker) != std::string_view::npos || is_bare_event(head.substr(0, head.find('\n')));
    return is_one ? Recognition::kPossible : Recognition::kNo;
  }
  [[nodiscard]] Status read_events(std::string_view text, JepsenEvents& events) const override {
    if (auto status = check_utf8(text); !status) return status;
    for (Lines lines(text); lines.next();) {
      if (auto status = LogLine(lines, events).run(); !status) return status;
    }
    return Ok{};
  }
  [[nodiscard]] std::unique_ptr<EventReader> line_reader(EventSink& sink, JepsenValues kind) const override {
    return std::make_unique<LogLines>(sink, kind);
  }
};

}  // namespace

const Codec& jepsen_log_codec() {
  static const JepsenLogCodec codec;
  return codec;
}

}  // namespace plumb
