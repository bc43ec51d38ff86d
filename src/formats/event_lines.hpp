// The formats of events, text by text: each reads the events of a piece of text (a whole file, or one line of it) and tells
// a sink. What they make of a whole file, and what somebody who watches hears line by line, is the same code.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <absl/container/flat_hash_map.h>

#include <plumb/result.hpp>

#include "formats/jepsen_event.hpp"
#include "history/event_sink.hpp"
#include "history/text.hpp"

namespace plumb {

class JsonReader;

// The event of the document that the reader is at; and of every one.
[[nodiscard]] Status read_json_event(JsonReader& reader, JepsenEvents& events);
[[nodiscard]] Status read_json_events(std::string_view text, JepsenEvents& events);
// Every EDN form of a text that begins at this place.
[[nodiscard]] Status read_edn_events(std::string_view text, Place start, JepsenEvents& events);
// One line of Jepsen's log; and all.
[[nodiscard]] Status read_log_line(const Lines& line, JepsenEvents& events);
[[nodiscard]] Status read_log_lines(std::string_view text, JepsenEvents& events);

// hist, which has a memory: a bare return means what its call says.
class HistLines {
 public:
  // `whole` is all of the text, if there is more of it than the lines to come.
  explicit HistLines(EventSink& sink, std::string_view whole = {}) : sink_(sink), whole_(whole) {}
  [[nodiscard]] Status line(const Lines& lines);
  [[nodiscard]] bool started() const { return started_; }
  [[nodiscard]] Status finish_history();

 private:
  [[nodiscard]] Status comment(std::string_view line);
  [[nodiscard]] Status event(std::string_view line);
  [[nodiscard]] Status call(Value process, std::string_view text, Place place);
  [[nodiscard]] Status complete(Value process, std::string_view text, Place place);
  [[nodiscard]] Value value_of(std::int64_t process);
  void abandon(std::int64_t process);
  [[nodiscard]] Error missing(std::string_view after, std::string_view what) const;

  EventSink& sink_;
  std::string_view whole_;
  const Lines* lines_ = nullptr;
  std::string line_before_;
  absl::flat_hash_map<Value, Value> removed_;  // what the running removal of a process says it removes
  absl::flat_hash_map<std::int64_t, std::int64_t> renamed_;
  std::int64_t fresh_process_ = 0;
  Header header_;
  bool started_ = false;
};

// One line after the other, as they come, in a format that is named or shows itself in the first lines.
class EventLines {
 public:
  // "auto", or one of: events, edn, jepsen-log, hist; independent, which is one of the first three.
  EventLines(std::string_view format, EventSink& sink);
  ~EventLines();

  // The line without its end; kLineSlack bytes after it must be readable.
  static constexpr std::size_t kLineSlack = 64;
  [[nodiscard]] Status line(std::string_view text, std::uint32_t number);
  [[nodiscard]] std::string_view format() const { return format_; }
  // The first line is of a format that has no events: of whole operations.
  [[nodiscard]] bool is_other() const { return format_ == "jsonl" || format_ == "violat"; }

  static bool has(std::string_view format);

 private:
  [[nodiscard]] Status recognise(std::string_view text, std::uint32_t number);
  bool quick_event(std::string_view text, std::uint32_t number, Status& status);

  std::string format_;
  bool is_events_;  // the format is
  bool is_independent_;
  EventSink& sink_;
  JepsenEvents events_;
  HistLines hist_;
  std::unique_ptr<JsonReader> json_;
};

}  // namespace plumb
