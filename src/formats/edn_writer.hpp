// Values as EDN text, such that EdnReader reads the same values back.
#pragma once

#include <string>
#include <string_view>

#include <plumb/value.hpp>

namespace plumb {

// Text that begins with a colon and is a keyword becomes that keyword.
void append_edn(const Values& values, Value value, std::string& out);
void append_edn_string(std::string_view text, std::string& out);
// ":name" where that can be read again, otherwise the name as a string.
void append_edn_name(std::string_view name, std::string& out);

}  // namespace plumb
