// From values to EDN. See edn_writer.hpp.
#include "formats/edn_writer.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "history/text.hpp"

namespace plumb {
namespace {

// Narrower than what EDN allows: what every reader agrees on.
bool is_keyword_name(std::string_view name) {
  const auto allowed = [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("*+!-_?$%&=<>./").find(c) != std::string_view::npos;
  };
  return !name.empty() && std::ranges::all_of(name, allowed);
}

}  // namespace

void append_edn_string(std::string_view text, std::string& out) {
  append_json_string(text, out);  // the escapes that it makes are those of EDN too
}

void append_edn_name(std::string_view name, std::string& out) {
  if (is_keyword_name(name)) {
    out += ':';
    out += name;
  } else {
    append_edn_string(name, out);
  }
}

// Recursion is as deep as the value; the readers limit that.
void append_edn(const Values& values, Value value, std::string& out) {
  switch (values.kind(value)) {
    case ValueKind::kNil:
      out += "nil";
      return;
    case ValueKind::kBool:
    case ValueKind::kInteger:
    case ValueKind::kReal:
      values.append_json(value, out);
      return;
    case ValueKind::kString: {
      const std::string_view text = values.as_string(value);
      if (text.starts_with(':') && is_keyword_name(text.substr(1))) {
        out += text;
      } else {
        append_edn_string(text, out);
      }
      return;
    }
    case ValueKind::kArray: {
      const char* between = "[";
      if (values.as_array(value).empty()) out += '[';
      for (const Value item : values.as_array(value)) {
        out += between;
        append_edn(values, item, out);
        between = " ";
      }
      out += ']';
      return;
    }
    case ValueKind::kObject: {
      const auto members = values.as_object(value);
      out += '{';
      for (std::size_t i = 0; i + 1 < members.size(); i += 2) {
        if (i != 0) out += ", ";
        append_edn_name(values.as_string(members[i]), out);
        out += ' ';
        append_edn(values, members[i + 1], out);
      }
      out += '}';
      return;
    }
  }
}

}  // namespace plumb
