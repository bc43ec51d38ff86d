#include "cli/console.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "history/number.hpp"
#include "history/printable.hpp"

namespace plumb::cli {
namespace {

bool wants_color(Color color) {
  return color == Color::kAuto ? output_takes_color() : color == Color::kAlways;
}

// 0, or the errno of the write that failed.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

Console::Console(Color color) : color_(wants_color(color)) {}

void Console::out(std::string_view text) {
  const std::scoped_lock lock(mutex_);
  wipe_progress();
  if (write_error_ == 0) write_error_ = write_all(STDOUT_FILENO, text);
}

void Console::error(std::string_view message) {
  const std::scoped_lock lock(mutex_);
  wipe_progress();
  write_all(STDERR_FILENO, printable_lines(message) + "\n");
}

void Console::progress(std::string_view line) {
  constexpr std::size_t kWidth = 79;
  std::string text = printable(line);
  if (text.size() > kWidth) text = text.substr(0, kWidth);
  const std::scoped_lock lock(mutex_);
  write_all(STDERR_FILENO, "\r\x1b[K" + text);
  progress_shown_ = true;
}

bool Console::has_terminal_for_progress() { return isatty(STDERR_FILENO) != 0; }

std::size_t Console::width() {
  constexpr std::size_t kLeast = 40;
  constexpr std::size_t kMost = 200;
  constexpr std::size_t kUsual = 80;
  winsize window = {};
  std::size_t columns = kUsual;
  const char* told = std::getenv("COLUMNS");
  if (const auto number = parse_integer(told == nullptr ? "" : told); number && *number > 0) {
    columns = static_cast<std::size_t>(*number);
  } else if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0) {
    columns = window.ws_col;
  }
  return std::clamp(columns, kLeast, kMost);
}

void Console::wipe_progress() {
  if (progress_shown_) write_all(STDERR_FILENO, "\r\x1b[K");
  progress_shown_ = false;
}

bool Console::finish() {
  {
    const std::scoped_lock lock(mutex_);
    wipe_progress();
    if (write_error_ == 0) return true;
  }
  error(fmt::format("plumb: cannot write to standard output: {}", std::strerror(write_error_)));
  return false;
}

}  // namespace plumb::cli
