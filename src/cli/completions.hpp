// What a shell proposes when Tab is pressed, from the same tables as every help text.
#pragma once

#include <string>

namespace plumb::cli {

// Scripts to be read by the shell.
[[nodiscard]] std::string bash_completion();
[[nodiscard]] std::string zsh_completion();

}  // namespace plumb::cli
