// How an error reads: file:line:column: sentence.
#include <fmt/format.h>

#include <plumb/result.hpp>

namespace plumb {

std::string Error::text() const {
  std::string out = file;
  if (place.line != 0) out += fmt::format("{}{}:{}", out.empty() ? "" : ":", place.line, place.column);
  if (!out.empty()) out += ": ";
  return out + message;
}

}  // namespace plumb
