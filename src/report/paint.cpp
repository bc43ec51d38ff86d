#include "report/paint.hpp"

#include <unistd.h>

#include <cstdlib>

#include <fmt/format.h>

namespace plumb {
namespace {

std::string_view code(Paint paint) {
  switch (paint) {
    case Paint::kGood:
      return "32";
    case Paint::kBad:
      return "1;31";
    case Paint::kDoubt:
      return "33";
    case Paint::kDim:
      return "2";
    case Paint::kBold:
      return "1";
  }
  return "0";
}

}  // namespace

// NOLINTBEGIN(concurrency-mt-unsafe): nobody sets them
bool output_takes_color() {
  const char* term = std::getenv("TERM");
  return isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr && term != nullptr &&
         std::string_view(term) != "dumb";
}
// NOLINTEND(concurrency-mt-unsafe)

std::string painted(Paint paint, std::string_view text, bool wanted) {
  return wanted ? fmt::format("\x1b[{}m{}\x1b[0m", code(paint), text) : std::string(text);
}

}  // namespace plumb
