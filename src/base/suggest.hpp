// "Did you mean …?": the nearest of the names that would have been right.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace plumb {

// The candidate with the smallest edit distance to `word`, if one is near enough to be meant.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word,
                                                 std::span<const std::string> candidates);

// " (did you mean 'x'?)", or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

}  // namespace plumb
