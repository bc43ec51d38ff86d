#include "explore/trace_text.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/count_of.hpp"

namespace plumb::engine {
namespace {

constexpr std::size_t kLongestLoop = 12;  // steps of a loop that is folded
constexpr std::size_t kFewRounds = 8;     // rounds that are all shown where their values differ
constexpr std::size_t kMostLines = 400;   // of a trace: its beginning and its end
constexpr std::size_t kWidest = 72;       // columns before the source lines

// Files by their last name, or with the folder where two share that.
class FileNames {
 public:
  explicit FileNames(const std::vector<TraceStep>& trace) {
    for (const TraceStep& step : trace) {
      for (const SourcePlace& place : step.places) {
        const auto [known, added] = paths_.try_emplace(last(place.file, 1), place.file);
        if (!added && known->second != place.file) known->second.clear();
      }
    }
  }
  std::string operator()(const std::string& path) const {
    const std::string name = last(path, 1);
    return paths_.at(name).empty() ? last(path, 2) : name;
  }

 private:
  static std::string last(const std::string& path, int parts) {
    auto at = path.size();
    while (parts-- > 0 && at != std::string::npos && at > 0) at = path.rfind('/', at - 1);
    return at == std::string::npos || at == 0 ? path : path.substr(at + 1);
  }
  std::map<std::string, std::string> paths_;
};

std::string step_text(const TraceStep& step) {
  std::string line = step.what;
  if (!step.object.empty()) line += " " + step.object;
  if (step.atomic) line += step.changed ? fmt::format(": {} -> {}", step.seen, step.left) : ": " + step.seen;
  if (!step.order.empty()) line += fmt::format(" ({})", step.order);
  return line;
}

// "stack.hpp:12 Stack::pop < test.cpp:30 < :41": outwards, the file where it changes.
std::string places_text(const TraceStep& step, const FileNames& names) {
  std::string text;
  for (std::size_t i = 0; i < step.places.size(); ++i) {
    const SourcePlace& place = step.places[i];
    const bool same_file = i > 0 && place.file == step.places[i - 1].file;
    text += fmt::format("{}{}:{}", i == 0 ? "" : " < ", same_file ? "" : names(place.file), place.line);
    if (i == 0 && !place.function.empty()) text += " " + place.function;
  }
  return text;
}

struct Line {
  int thread = 0;
  std::string step;
  std::string places;
  std::string place;  // what makes two rounds of a loop the same but for their values

  bool same(const Line& other) const {
    return thread == other.thread && step == other.step && places == other.places;
  }
  bool alike(const Line& other) const {
    return thread == other.thread && place == other.place && places == other.places;
  }
};

// How often lines [at, at + length) come again right after themselves.
template <class Same>
std::size_t rounds(const std::vector<Line>& lines, std::size_t at, std::size_t length, Same same) {
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
Loop loop_at(const std::vector<Line>& lines, std::size_t at) {
  Loop best;
  for (std::size_t length = 1; length <= kLongestLoop; ++length) {
    std::size_t more = rounds(lines, at, length, [](const Line& a, const Line& b) { return a.same(b); });
    if (const auto alike = rounds(lines, at, length, [](const Line& a, const Line& b) { return a.alike(b); });
        alike > kFewRounds)
      more = std::max(more, alike);
    if (more >= 2 && more * length > best.more * best.length) best = {length, more};
  }
  return best;
}

std::vector<Line> make_lines(const std::vector<TraceStep>& trace) {
  const FileNames names(trace);
  std::vector<Line> lines;
  lines.reserve(trace.size());
  for (const TraceStep& step : trace)
    lines.push_back({step.thread, step_text(step), places_text(step, names), step.what + " " + step.object});
  return lines;
}

}  // namespace

std::string trace_text(const std::vector<TraceStep>& trace) {
  const std::vector<Line> lines = make_lines(trace);
  std::size_t width = 0;
  for (const Line& line : lines) width = std::max(width, std::min(line.step.size(), kWidest));
  std::vector<std::string> shown;
  int last = lines.empty() ? 0 : lines.front().thread;
  const auto show = [&](const Line& line) {
    std::string text = fmt::format("{} thread {}  {:<{}}  {}", line.thread == last ? "  " : "->", line.thread,
                                   line.step, width, line.places);
    text.erase(text.find_last_not_of(' ') + 1);
    shown.push_back(text + "\n");
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

std::string evidence_text(const std::vector<Evidence>& evidence) {
  std::string out;
  for (const Evidence& item : evidence) {
    out += "  " + item.what;
    for (const SourcePlace& place : item.places) {
      out += fmt::format("{} {}:{} {}", &place == item.places.data() ? ":" : "\n    called at", place.file,
                         place.line, place.function);
    }
    out += "\n";
  }
  return out;
}

}  // namespace plumb::engine
