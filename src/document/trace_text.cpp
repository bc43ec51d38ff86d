#include "document/trace_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/count_of.hpp"

namespace plumb {
namespace {

constexpr std::size_t kLongestLoop = 12;  // steps of a loop that is folded
constexpr std::size_t kFewRounds = 8;     // rounds that are all shown where their values differ
constexpr std::size_t kMostLines = 400;   // of a trace: its beginning and its end
constexpr std::size_t kWidest = 72;       // columns before the source lines

bool same(const DocumentStep& a, const DocumentStep& b) {
  return a.thread == b.thread && a.what == b.what && a.place == b.place;
}

// But for their values.
bool alike(const DocumentStep& a, const DocumentStep& b) {
  return a.thread == b.thread && a.kind == b.kind && a.place == b.place;
}

// How often lines [at, at + length) come again right after themselves.
template <class Same>
std::size_t rounds(const std::vector<DocumentStep>& lines, std::size_t at, std::size_t length, Same same) {
  std::size_t count = 0;
  for (std::size_t next = at + length; next + length <= lines.size(); next += length, ++count) {
    for (std::size_t i = 0; i < length; ++i) {
      if (!same(lines[at + i], lines[next + i])) return count;
    }
  }
  return count;
}

struct Loop {
  std::size_t length = 0;
  std::size_t more = 0;  // rounds after the first
};

// The loop that begins here and covers most.
Loop loop_at(const std::vector<DocumentStep>& lines, std::size_t at) {
  Loop best;
  for (std::size_t length = 1; length <= kLongestLoop; ++length) {
    std::size_t more = rounds(lines, at, length, same);
    if (const std::size_t many = rounds(lines, at, length, alike); many > kFewRounds)
      more = std::max(more, many);
    if (more >= 2 && more * length > best.more * best.length) best = {length, more};
  }
  return best;
}

}  // namespace

std::string trace_text(const std::vector<DocumentStep>& lines) {
  std::size_t width = 0;
  for (const DocumentStep& line : lines) width = std::max(width, std::min(line.what.size(), kWidest));
  std::vector<std::string> shown;
  int last = lines.empty() ? 0 : lines.front().thread;
  const auto show = [&](const DocumentStep& line) {
    std::string text = fmt::format("{} thread {}  {:<{}}  {}", line.thread == last ? "  " : "->", line.thread,
                                   line.what, width, line.place);
    text.erase(text.find_last_not_of(' ') + 1);
    shown.push_back(text + "\n");
    if (!line.note.empty()) shown.push_back(fmt::format("             [{}]\n", line.note));
    last = line.thread;
  };
  for (std::size_t at = 0; at < lines.size();) {
    const Loop loop = loop_at(lines, at);
    const std::size_t length = loop.more > 0 ? loop.length : 1;
    for (std::size_t i = 0; i < length; ++i) show(lines[at + i]);
    if (loop.more > 0) {
      shown.push_back(fmt::format("             … the same {} {} more times\n",
                                  length == 1 ? "step" : fmt::format("{} steps", length), loop.more));
      last = lines[at + length - 1].thread;
    }
    at += length * (loop.more + 1);
  }
  std::string out;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const bool middle =
        shown.size() > kMostLines && i >= kMostLines / 4 && i + kMostLines * 3 / 4 < shown.size();
    if (!middle) out += shown[i];
    if (middle && i == kMostLines / 4)
      out += fmt::format("   … {} left out\n", count_of(shown.size() - kMostLines, "line"));
  }
  return out;
}

}  // namespace plumb
