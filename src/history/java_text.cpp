#include "history/java_text.hpp"

#include <charconv>
#include <cstdint>

namespace plumb {

std::optional<Value> read_java_scalar(std::string_view text, Values& values) {
  if (text == "null") return kNull;
  if (text == "true") return kTrue;
  if (text == "false") return kFalse;
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  const bool plain = digits == "0" ? digits.size() == text.size()
                                   : !digits.empty() && digits.front() >= '1' && digits.front() <= '9';
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (!plain || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return values.integer(number);
}

}  // namespace plumb
