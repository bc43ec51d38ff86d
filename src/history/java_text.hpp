// Results of Java methods are recorded as the text that Java prints. What reads like null, a boolean or a whole number is
// taken for it.
#pragma once

#include <optional>
#include <string_view>

#include <plumb/value.hpp>

namespace plumb {

// Nothing where the text is only a text.
[[nodiscard]] std::optional<Value> read_java_scalar(std::string_view text, Values& values);

}  // namespace plumb
