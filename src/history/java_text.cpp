#include "history/java_text.hpp"

#include "history/number.hpp"

namespace plumb {

std::optional<Value> read_java_scalar(std::string_view text, Values& values) {
  if (text == "null") return kNull;
  if (text == "true") return kTrue;
  if (text == "false") return kFalse;
  if (const auto number = parse_integer(text)) return values.integer(*number);
  return std::nullopt;
}

}  // namespace plumb
