// plumb(1), from the same tables as every help text.
#pragma once

#include <string>

namespace plumb::cli {

// In the language of man(7).
[[nodiscard]] std::string man_page();

}  // namespace plumb::cli
