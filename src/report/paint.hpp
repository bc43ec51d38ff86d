// Colours of a terminal, by what they mean.
#pragma once

#include <string>
#include <string_view>

namespace plumb {

enum class Paint { kGood, kBad, kDoubt, kDim, kBold };

// The text as it is where colours are not wanted.
[[nodiscard]] std::string painted(Paint paint, std::string_view text, bool wanted);

// Standard output is a terminal that shows colours, and NO_COLOR does not forbid them.
[[nodiscard]] bool output_takes_color();

}  // namespace plumb
