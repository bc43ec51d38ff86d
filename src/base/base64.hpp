// Bytes as a text of plain characters (RFC 4648), for where a line of JSON has to hold them as they are.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace plumb {

[[nodiscard]] std::string to_base64(std::string_view bytes);
// Nothing: this is no such text.
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);

}  // namespace plumb
