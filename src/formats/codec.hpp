// The seam between bytes and histories: one codec per format, each in its own codec_*.cpp, with all that
// plumb knows of the format.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plumb/history.hpp>
#include <plumb/result.hpp>

#include "history/event_sink.hpp"

namespace plumb {

// How much a text looks like a format. A codec that is certain has it; else the first in the
// table that holds it possible.
enum class Recognition : std::uint8_t { kNo, kPossible, kCertain };

// The events of a text that is read line by line, while it grows, as the codec would read the whole.
class EventReader {
 public:
  virtual ~EventReader() = default;

  // The line as it came, without its end; kLineSlack bytes after it must be readable. A reader with a faster way for lines
  // that allow it tries that first.
  [[nodiscard]] virtual Status line(std::string_view text, std::uint32_t number);
  static constexpr std::size_t kLineSlack = 64;

  // Whether what the lines are written in is known, for a format that has several forms.
  [[nodiscard]] virtual bool knows_form() const { return true; }

 private:
  // The same for a line that is valid UTF-8, not blank, and without a byte order mark.
  [[nodiscard]] virtual Status plain_line(std::string_view text, std::uint32_t number) = 0;
};

class Codec {
 public:
  virtual ~Codec() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual std::string_view summary() const = 0;

  // How names of files of this format end (".edn"), the usual ending first. The longest that fits
  // decides, across all codecs.
  [[nodiscard]] virtual std::span<const std::string_view> endings() const { return {}; }

  // Whether bytes that begin like this, with the first that is not blank, are of this format. Tolerant: a
  // broken file should be recognised too, so that its error is about what it is.
  [[nodiscard]] virtual Recognition recognises(std::string_view head) const = 0;

  // Every history in `bytes`. Errors carry line and column where there are such; the caller adds the file.
  [[nodiscard]] virtual Result<std::vector<History>> read(std::string_view bytes) const = 0;

  // For formats of events; null where a line means nothing before all are there.
  [[nodiscard]] virtual std::unique_ptr<EventReader> event_reader(EventSink& sink) const;

  [[nodiscard]] virtual bool can_write() const { return false; }
  // Appends one history. Fails where the format cannot hold what the history has.
  [[nodiscard]] virtual Status write(const History& history, std::string& out) const;
};

}  // namespace plumb
