// Tolerant looks at the beginning: a broken file should be recognised too, so that its error is about what it
// is.
#include "formats/sniff.hpp"

#include <algorithm>
#include <vector>

#include "history/text.hpp"

namespace plumb {
namespace {

class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  [[nodiscard]] char peek() const { return rest_.empty() ? '\0' : rest_.front(); }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  [[nodiscard]] std::string_view rest() const { return rest_; }
  void advance() { rest_.remove_prefix(rest_.empty() ? 0 : 1); }
  void skip_blanks(std::string_view more = {}) {
    while (!rest_.empty() && (is_blank(peek()) || more.find(peek()) != std::string_view::npos)) advance();
  }
  void skip_line() {
    while (!rest_.empty() && peek() != '\n') advance();
  }
  std::string_view string() {  // the text between quotes, escapes left as they are
    advance();
    const char* begin = rest_.data();
    while (!rest_.empty() && peek() != '"') {
      if (peek() == '\\') advance();
      advance();
    }
    const std::string_view text(begin, static_cast<std::size_t>(rest_.data() - begin));
    advance();
    return text;
  }

 private:
  std::string_view rest_;
};

// The names of the object that begins here, its own and not those of what is inside. Leaves the cursor after
// it.
std::vector<std::string_view> member_names(Cursor& cursor) {
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

bool is_json_object(Cursor cursor) {
  if (cursor.peek() != '{') return false;
  cursor.advance();
  cursor.skip_blanks();
  if (cursor.peek() != '"') return cursor.peek() == '}';
  (void)cursor.string();
  cursor.skip_blanks();
  return cursor.at_end() || cursor.peek() == ':';
}

Shape sniff_json(Cursor cursor) {
  cursor.skip_blanks("[");
  if (!is_json_object(cursor)) return Shape::kUnknown;
  while (is_json_object(cursor)) {
    const auto names = member_names(cursor);
    const auto has = [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); };
    if (has("schema") || has("events")) return Shape::kViolat;
    if (has("type") && !has("call")) return Shape::kEvents;
    if (!has("plumb")) break;
    cursor.skip_blanks(",");  // a header: what follows it tells
  }
  return Shape::kOperations;
}

bool is_hist(std::string_view head) {
  for (Lines lines(head); lines.next();) {
    Cursor cursor(lines.text());
    cursor.skip_blanks();
    if (cursor.at_end()) continue;
    if (cursor.peek() == '#') {
      cursor.advance();
      cursor.skip_blanks();
      if (cursor.rest().starts_with("@object")) return true;
      continue;
    }
    if (cursor.peek() != '[') return false;
    cursor.advance();
    while (is_digit(cursor.peek())) cursor.advance();
    if (cursor.peek() != ']') return false;
    cursor.advance();
    cursor.skip_blanks();
    return cursor.rest().starts_with("call") || cursor.rest().starts_with("ret");
  }
  return false;
}

void skip_edn_blanks(Cursor& cursor) {
  cursor.skip_blanks(",");
  while (cursor.peek() == ';') {
    cursor.skip_line();
    cursor.skip_blanks(",");
  }
}

bool is_edn(Cursor cursor) {
  const bool commented = cursor.peek() == ';';
  skip_edn_blanks(cursor);
  const char first = cursor.peek();
  cursor.advance();
  if (first == '{' || (first == '\0' && commented)) return true;
  if (first == '#') return cursor.peek() > ' ' && cursor.peek() != '#' && cursor.peek() != '!';
  if (first != '[' && first != '(') return false;
  skip_edn_blanks(cursor);
  return cursor.at_end() || std::string_view("{#])").find(cursor.peek()) != std::string_view::npos;
}

}  // namespace

std::string_view not_a_history(std::string_view head) {
  Cursor cursor(without_byte_order_mark(head.substr(0, kSniffed)));
  cursor.skip_blanks();
  if (!is_json_object(cursor)) return {};
  const auto names = member_names(cursor);
  const auto has = [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); };
  if (has("plumb-certificate"))
    return "this is a certificate, not a history; 'plumb verify FILE CERT' holds it against its history";
  // Members that are not known are ignored: those of an operation, a header or a run of violat may well have these names.
  const bool may_be_one = has("f") || has("plumb") || has("schema") || has("events");
  if (!may_be_one && has("verdict") && has("elapsed_ms") && (has("file") || has("test")))
    return "this is a verdict that plumb wrote, not a history; expected the history that it is about";
  return {};
}

Shape sniff(std::string_view head) {
  Cursor cursor(without_byte_order_mark(head.substr(0, kSniffed)));
  cursor.skip_blanks();
  if (const Shape json = sniff_json(cursor); json != Shape::kUnknown) return json;
  if (is_hist(cursor.rest())) return Shape::kHist;
  if (is_edn(cursor)) return Shape::kEdn;
  if (cursor.rest().find("jepsen.util") != std::string_view::npos) return Shape::kJepsenLog;
  return Shape::kUnknown;
}

}  // namespace plumb
