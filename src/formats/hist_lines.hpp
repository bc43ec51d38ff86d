// Reading hist, line by line: a file that is whole, or one that grows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <absl/container/flat_hash_map.h>

#include <plumb/result.hpp>

#include "history/event_sink.hpp"
#include "history/text.hpp"

namespace plumb {

// It has a memory: a bare return means what its call says.
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

}  // namespace plumb
