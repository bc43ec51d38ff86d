// The values of attributes in OTLP/JSON: each says its kind, {"intValue":"5"}.
#pragma once

#include <plumb/result.hpp>
#include <plumb/value.hpp>

namespace plumb {

// An AnyValue, read as JSON, as the value that it means: 5. One of no kind is null.
[[nodiscard]] Result<Value> otlp_value(Value any, Values& values, Place place);

}  // namespace plumb
