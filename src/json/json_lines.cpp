#include "json/json_lines.hpp"

#include <algorithm>

#include "history/text.hpp"

namespace plumb {

// Line ends inside strings are none of JSON: they stay, and are found.
std::string documents_on_lines(std::string_view text) {
  std::string out(text);
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < out.size(); ++i) {
    char& c = out[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      depth -= depth == 0 ? 0 : 1;
    } else if ((c == '\n' || c == '\r') && depth != 0) {
      c = ' ';
    }
  }
  return out;
}

Place original_place(std::string_view original, std::string_view on_lines, Place place) {
  if (place.line == 0) return place;
  std::size_t begin = 0;
  for (std::uint32_t line = 1; line < place.line; ++line) {
    const std::size_t end = on_lines.find('\n', begin);
    if (end == std::string_view::npos) break;
    begin = end + 1;
  }
  const std::size_t offset = std::min(begin + place.column - 1, original.size());
  return PlaceTracker(original).at(original.data() + offset);
}

}  // namespace plumb
