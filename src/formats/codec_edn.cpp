// edn: Jepsen's events as EDN maps: bare, or in a vector or list, which is then one history.
#include <array>

#include <fmt/format.h>

#include "formats/codecs.hpp"
#include "formats/edn_reader.hpp"
#include "formats/edn_writer.hpp"
#include "formats/event_writer.hpp"
#include "formats/jepsen_codec.hpp"
#include "formats/sniff.hpp"

namespace plumb {
namespace {

class EdnEvents {
 public:
  EdnEvents(std::string_view text, Place start, JepsenEvents& events)
      : reader_(text, start), events_(events) {}

  Status run() {
    while (true) {
      auto next = reader_.peek();
      if (!next) return next.error();
      if (*next == '\0') return Ok{};
      auto status = *next == '[' || *next == '(' ? sequence(*next == '[' ? ']' : ')') : event();
      if (!status) return status.error();
    }
  }

 private:
  Status sequence(char close) {
    if (auto status = events_.end_history(); !status) return status;
    reader_.pass(close == ']' ? '[' : '(');
    while (true) {
      auto next = reader_.peek();
      if (!next) return next.error();
      if (*next == close) break;
      if (*next != '{') return reader_.expected(fmt::format("a map or '{}'", close));
      if (auto status = event(); !status) return status;
    }
    reader_.pass(close);
    return events_.end_history();
  }

  Status event() {
    auto next = reader_.peek();
    if (!next) return next.error();
    if (*next != '{') return reader_.expected("a map, a vector or a list");
    events_.begin(reader_.place());
    auto status = reader_.members([&](std::string_view name) -> Status {
      auto first = reader_.peek();
      if (!first) return first.error();
      const Place place = reader_.place();
      auto value = reader_.value(JepsenEvents::wants(name) ? &events_.values() : nullptr);
      if (!value) return value.error();
      events_.member(name, *value, place);
      return Ok{};
    });
    if (!status) return status;
    return events_.end();
  }

  EdnReader reader_;
  JepsenEvents& events_;
};

void skip_edn_blanks(SniffCursor& cursor) {
  cursor.skip_blanks(",");
  while (cursor.peek() == ';') {
    cursor.skip_line();
    cursor.skip_blanks(",");
  }
}

// A map of JSON looks like one of EDN.
bool is_edn(SniffCursor cursor) {
  const bool commented = cursor.peek() == ';';
  skip_edn_blanks(cursor);
  const char first = cursor.peek();
  cursor.advance();
  if (first == '{' || (first == '\0' && commented)) return true;
  if (first == '#') return cursor.peek() > ' ' && cursor.peek() != '#' && cursor.peek() != '!';
  if (first != '[' && first != '(') return false;
  skip_edn_blanks(cursor);
  return cursor.at_end() || std::string_view("{#])").find(cursor.peek()) != std::string_view::npos;
}

class EdnLines final : public EventReader {
 public:
  EdnLines(EventSink& sink, JepsenValues kind) : events_(sink, false, kind) {}

 private:
  [[nodiscard]] Status plain_line(std::string_view text, std::uint32_t number) override {
    return EdnEvents(text, {number, 1}, events_).run();
  }

  JepsenEvents events_;
};

void append_header(const History& history, std::string& out) {
  if (!needs_header(history, out)) return;
  out += "{:plumb 1";
  if (!history.model().empty()) {
    out += ", :model ";
    append_edn_string(header_model(history), out);
  }
  if (!history.initial().is_null()) {
    out += ", :initial ";
    append_edn(history.values(), history.initial(), out);
  }
  if (!history.name().empty()) {
    out += ", :id ";
    append_edn_string(history.name(), out);
  }
  out += "}\n";
}

constexpr EventSyntax kSyntax = {.before_name = ":",
                                 .after_name = " ",
                                 .between = ", ",
                                 .append_value = append_edn,
                                 .append_word = append_edn_name};

class EdnCodec final : public JepsenCodec {
 public:
  [[nodiscard]] std::string_view name() const override { return "edn"; }
  [[nodiscard]] std::string_view summary() const override { return "Jepsen's events, in EDN"; }
  [[nodiscard]] std::span<const std::string_view> endings() const override {
    static constexpr std::array<std::string_view, 1> kEndings = {".edn"};
    return kEndings;
  }
  [[nodiscard]] Recognition recognises(std::string_view head) const override {
    return is_edn(SniffCursor(head)) ? Recognition::kPossible : Recognition::kNo;
  }
  [[nodiscard]] Status read_events(std::string_view text, JepsenEvents& events) const override {
    if (auto status = check_utf8(text); !status) return status;
    return EdnEvents(text, {1, 1}, events).run();
  }
  [[nodiscard]] std::unique_ptr<EventReader> line_reader(EventSink& sink, JepsenValues kind) const override {
    return std::make_unique<EdnLines>(sink, kind);
  }
  [[nodiscard]] bool can_write() const override { return true; }
  [[nodiscard]] Status write(const History& history, std::string& out) const override {
    append_header(history, out);
    return write_events(history, name(), kSyntax, out);
  }
};

}  // namespace

const Codec& edn_codec() {
  static const EdnCodec codec;
  return codec;
}

}  // namespace plumb
