#include "document/source_excerpts.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <utility>

namespace plumb {
namespace {

constexpr unsigned kAround = 6;             // lines before and after
constexpr std::size_t kMostLines = 20'000;  // of a file: who has more is not read on
constexpr std::size_t kLongest = 400;       // bytes of a line

// The lines of a file that are wanted, as stretches.
void add_stretches(const std::string& file, const std::set<unsigned>& wanted,
                   std::vector<DocumentSource>& all) {
  std::ifstream in(file);
  std::string text;
  DocumentSource* current = nullptr;
  for (unsigned line = 1; line <= kMostLines && std::getline(in, text); ++line) {
    const unsigned from = line > kAround ? line - kAround : 0;
    const auto near = wanted.lower_bound(from);
    if (near == wanted.end() || *near > line + kAround) {
      current = nullptr;
      if (near == wanted.end()) return;
      continue;
    }
    if (current == nullptr) current = &all.emplace_back(DocumentSource{file, line, {}});
    if (text.ends_with('\r')) text.pop_back();
    current->lines.push_back(text.substr(0, kLongest));
  }
}

}  // namespace

std::vector<DocumentSource> source_excerpts(const Document& document) {
  std::map<std::string, std::set<unsigned>> wanted;
  const auto want = [&](const std::vector<DocumentPlace>& places) {
    if (!places.empty() && places.front().line > 0) wanted[places.front().file].insert(places.front().line);
  };
  for (const DocumentStep& step : document.trace) want(step.places);
  for (const DocumentEvidence& each : document.accesses) want(each.places);
  std::vector<DocumentSource> all;
  for (const auto& [file, lines] : wanted) add_stretches(file, lines, all);
  return all;
}

}  // namespace plumb
