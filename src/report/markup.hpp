// Text inside SVG and HTML.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace plumb {

// Printable text as the content of an element or a quoted attribute.
[[nodiscard]] std::string markup_escaped(std::string_view text);

// JSON as it can stand between <script> and </script>, and be the same JSON: what a browser could take for a
// tag or a comment is written as an escape.
[[nodiscard]] std::string json_for_script(std::string_view json);

// So many letters of a name, of which the end says more than the beginning: "…queue.cells_[0]".
[[nodiscard]] std::string end_of(const std::string& name, std::size_t room);

}  // namespace plumb
