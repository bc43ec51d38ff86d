// A journal: what a run has finished, piece by piece, so that another process goes on from there, and so that the pieces of several
// runs can be put together.
//
// It is a text, one object of JSON on each line. The first line is about the run; each further one is a piece, appended by one
// write when the piece is finished. What a person may want to read stands there as text, what a program needs as bytes (base64), which
// are up to those who write them. A line ends with a hash of itself: where a process or a machine died while it was written, it is
// cut off, and does not count. The file is synced as often as a hundredth of the time is enough for, and at the end: a process that is
// killed loses nothing, a machine that loses its power what was finished since.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plumb/result.hpp>

namespace plumb {

// The first line. `data` says what may not be different in a run that goes on.
struct JournalHead {
  std::string program;  // which one, and a hash of it
  std::string command;  // what it does, for messages
  std::string data;
};

struct JournalLine {
  std::string piece;  // its name
  std::string result;
  std::string data;
};

struct JournalText {
  std::optional<JournalHead> head;  // none: the run ended before it was written
  std::vector<JournalLine> lines;
  std::size_t size = 0;  // of the lines that count, in bytes
};

// The text of a journal. The last line may be cut off; otherwise an error names the line.
[[nodiscard]] Result<JournalText> parse_journal(std::string_view text);
[[nodiscard]] Result<JournalText> read_journal(const std::string& path);

// This program as the first line names it: "plumb 0.1.0 (12ab…)", by its content.
[[nodiscard]] std::string program_in_journal(std::string_view name);
// The hash of a file's content, to see whether it is still the same; nothing: it cannot be read.
[[nodiscard]] std::optional<std::string> content_hash(const std::string& path);

class Journal {
 public:
  // The file is there from now on, and nobody else's as long as this object lives. Nothing is written yet.
  static Result<Journal> open(const std::string& path);
  ~Journal();
  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&&) = delete;

  // What was in it.
  [[nodiscard]] const JournalText& found() const { return found_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  // Goes on where it ends, without what was cut off; in a new one, with this first line.
  [[nodiscard]] Status begin(const JournalHead& head);
  // The first error stays: nothing is written after it.
  [[nodiscard]] Status append(const JournalLine& line);
  [[nodiscard]] Status sync();

 private:
  using Clock = std::chrono::steady_clock;

  Journal(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  [[nodiscard]] Error failure(std::string_view what) const;
  [[nodiscard]] Status read_all();
  [[nodiscard]] Status write_line(const std::string& line);

  std::string path_;
  int descriptor_;
  JournalText found_;
  Status status_ = Ok{};
  Clock::time_point next_sync_;
};

}  // namespace plumb
