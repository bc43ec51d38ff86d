// JSON documents over several lines, for JsonReader, which takes one per line: their own line ends become blanks. Every byte keeps its
// offset, so that places can be told as they are in the original.
#pragma once

#include <string>
#include <string_view>

#include <plumb/result.hpp>

namespace plumb {

[[nodiscard]] std::string documents_on_lines(std::string_view text);

// The place in `original` of one in what documents_on_lines() made of it.
[[nodiscard]] Place original_place(std::string_view original, std::string_view on_lines, Place place);

}  // namespace plumb
