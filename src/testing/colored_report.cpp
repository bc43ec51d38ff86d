#include "testing/colored_report.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "history/printable.hpp"
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

std::string sources_text(const Document& document) {
  std::vector<std::pair<std::string, unsigned>> files;
  const auto add = [&](const std::vector<DocumentPlace>& places) {
    if (places.empty() || !places.front().file.starts_with('/')) return;
    const DocumentPlace& place = places.front();
    std::erase_if(files, [&](const auto& each) { return each.first == place.file; });
    files.emplace_back(place.file, place.line);
  };
  for (const DocumentStep& step : document.trace) add(step.places);
  for (const DocumentEvidence& each : document.accesses) add(each.places);
  std::string text;
  for (const auto& [file, line] : files) text += fmt::format("Source: {}:{}\n", printable(file), line);
  return text;
}

}  // namespace plumb::testing
