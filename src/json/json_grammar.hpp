// Where a JSON document is broken. simdjson says quickly that it is; this says where, and what was expected.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace plumb {

struct JsonFault {
  std::size_t offset = 0;
  std::string message;
};

// The first fault of a text that should be one JSON document, white space around it allowed.
[[nodiscard]] std::optional<JsonFault> find_json_fault(std::string_view text);

}  // namespace plumb
