// How an error reads: file:line:column: sentence.
#include <plumb/result.hpp>

namespace plumb {

std::string Error::text() const {
  std::string out = file;
  if (place.line != 0) {
    out += (out.empty() ? "" : ":") + std::to_string(place.line) + ":" + std::to_string(place.column);
  }
  if (!out.empty()) out += ": ";
  return out + message;
}

}  // namespace plumb
