#include "json/json_text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace plumb {

// As the one member of a document on a line.
Result<Value> JsonText::value(std::string_view text, Values& values, Place place) {
  line_ = fmt::format("{{\"\":{}}}", text);
  std::ranges::replace(line_, '\n', ' ');
  reader_.begin(line_);
  Value found;
  const auto next = reader_.next();
  Status status = next ? Status(Ok{}) : Status(next.error());
  if (status) {
    status = reader_.members([&](std::string_view name, JsonValue json) -> Status {
      if (!name.empty()) return Error{"more than one value"};
      auto value = reader_.value(json, &values);
      if (value) found = *value;
      return value ? Status(Ok{}) : Status(value.error());
    });
  }
  if (!status) return Error{status.error().message, place};
  return found;
}

}  // namespace plumb
