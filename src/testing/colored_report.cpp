#include "testing/colored_report.hpp"

#include "report/paint.hpp"

namespace plumb::testing {
namespace {

struct Mark {
  std::string_view word;  // a line begins with it
  Paint paint;
};
constexpr Mark kMarks[] = {
    {"pass ", Paint::kGood},      {"violation ", Paint::kBad}, {"unknown ", Paint::kDoubt},
    {"warning: ", Paint::kDoubt}, {"-> ", Paint::kBold},       {"The interleaving:", Paint::kBold},
    {"Replay: ", Paint::kBold},
};

std::string colored_line(std::string_view line) {
  for (const Mark& mark : kMarks) {
    if (line.starts_with(mark.word))
      return painted(mark.paint, mark.word, true) + std::string(line.substr(mark.word.size()));
  }
  return std::string(line);
}

}  // namespace

std::string colored(std::string_view report) {
  std::string text;
  while (!report.empty()) {
    const std::size_t end = report.find('\n');
    text += colored_line(report.substr(0, end));
    if (end == std::string_view::npos) break;
    text += '\n';
    report.remove_prefix(end + 1);
  }
  return text;
}

}  // namespace plumb::testing
