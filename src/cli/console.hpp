// Everything the command writes goes through here: whole pieces of text, at once, with the progress line out
// of the way. A write that fails is remembered: output that did not arrive makes the run an error, whatever
// the verdict was.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>

#include "report/paint.hpp"

namespace plumb::cli {

enum class Color { kAuto, kAlways, kNever };

class Console {
 public:
  explicit Console(Color color);

  void out(std::string_view text);       // standard output, as it is
  void error(std::string_view message);  // standard error, one message, made printable
  // The line at the bottom of a terminal; the next call replaces it, any other output wipes it away.
  void progress(std::string_view line);
  [[nodiscard]] static bool has_terminal_for_progress();
  // Columns of standard output: what COLUMNS says, else the terminal; 80 where there is
  // neither. From 40 to 200.
  [[nodiscard]] static std::size_t width();

  [[nodiscard]] bool has_color() const { return color_; }
  [[nodiscard]] std::string paint(Paint paint, std::string_view text) const {
    return painted(paint, text, color_);
  }
  // Flushes; false, after a message, when any of the output was lost.
  [[nodiscard]] bool finish();

 private:
  void wipe_progress();

  std::mutex mutex_;
  bool color_;
  bool progress_shown_ = false;
  int write_error_ = 0;
};

}  // namespace plumb::cli
