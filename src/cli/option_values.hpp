// Values of options that only the command has, with a sentence about what was expected.
#pragma once

#include <string>
#include <vector>

#include <plumb/check.hpp>
#include <plumb/result.hpp>

namespace plumb::cli {

// CLASS=K or CLASS=?, several with commas between. Whether there is such a class is for the model to say.
[[nodiscard]] Result<std::vector<Relaxation>> parse_relax(const std::string& text);

[[nodiscard]] std::vector<std::string> readable_formats();  // "auto" first
[[nodiscard]] std::vector<std::string> writable_formats();  // likewise

}  // namespace plumb::cli
