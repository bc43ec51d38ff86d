// From the text after an option to its value, with a sentence about what was expected.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plumb/check.hpp>
#include <plumb/result.hpp>

namespace plumb::cli {

[[nodiscard]] Result<std::uint64_t> parse_whole(const std::string& text, std::uint64_t least,
                                                std::uint64_t most);
[[nodiscard]] Result<double> parse_share(const std::string& text);  // 0 to 1
[[nodiscard]] Result<std::chrono::duration<double>> parse_seconds(const std::string& text);
[[nodiscard]] Result<std::size_t> parse_bytes(const std::string& text);  // 4096, 512K, 100M, 2G
// CLASS=K or CLASS=?, several with commas between. Whether there is such a class is for the model to say.
[[nodiscard]] Result<std::vector<Relax>> parse_relax(const std::string& text);

// The position of `text` in `names`; otherwise an error that names the nearest and lists them all.
[[nodiscard]] Result<std::size_t> parse_choice(const std::string& text, std::span<const std::string> names);

[[nodiscard]] std::vector<std::string> readable_formats();  // "auto" first
[[nodiscard]] std::vector<std::string> writable_formats();  // likewise

}  // namespace plumb::cli
