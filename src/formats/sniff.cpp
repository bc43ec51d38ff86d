// Tolerant looks at the beginning: a broken file should be recognised too, so that its error is about what it
// is.
#include "formats/sniff.hpp"

#include "formats/codecs.hpp"

namespace plumb {
namespace {

// The names of the object that begins here. Leaves the cursor after it.
std::vector<std::string_view> member_names(SniffCursor& cursor) {
  std::vector<std::string_view> names;
  int depth = 0;
  bool name_next = false;
  while (!cursor.at_end()) {
    const char c = cursor.peek();
    if (c == '"') {
      const std::string_view text = cursor.string();
      if (depth == 1 && name_next) names.push_back(text);
      name_next = false;
      continue;
    }
    cursor.advance();
    if (c == '{' || c == '[') name_next = ++depth == 1;
    if (c == ',' && depth == 1) name_next = true;
    if ((c == '}' || c == ']') && --depth <= 0) break;
  }
  return names;
}

bool is_json_object(SniffCursor cursor) {
  if (cursor.peek() != '{') return false;
  cursor.advance();
  cursor.skip_blanks();
  if (cursor.peek() != '"') return cursor.peek() == '}';
  (void)cursor.string();
  cursor.skip_blanks();
  return cursor.at_end() || cursor.peek() == ':';
}

}  // namespace

std::optional<JsonNames> sniff_json(std::string_view head) {
  SniffCursor cursor(head);
  cursor.skip_blanks("[");
  if (!is_json_object(cursor)) return std::nullopt;
  while (true) {
    JsonNames names(member_names(cursor));
    cursor.skip_blanks(",");
    if (!names.has("plumb") || !is_json_object(cursor)) return names;
  }
}

std::string_view not_a_history(std::string_view head) {
  SniffCursor cursor(without_byte_order_mark(head.substr(0, kSniffed)));
  cursor.skip_blanks();
  if (!is_json_object(cursor)) return {};
  const JsonNames names(member_names(cursor));
  const auto has = [&](std::string_view name) { return names.has(name); };
  if (has("plumb-certificate"))
    return "this is a certificate, not a history; 'plumb verify FILE CERT' checks it against its history";
  // Members that are not known are ignored: those of an operation, a header or a run of violat
  // may well have these names.
  const bool may_be_one = has("f") || has("plumb") || has("schema") || has("events");
  if (!may_be_one && has("verdict") && has("elapsed_ms") && (has("file") || has("test")))
    return "this is a verdict that plumb wrote, not a history; expected the history that it is about";
  return {};
}

}  // namespace plumb
