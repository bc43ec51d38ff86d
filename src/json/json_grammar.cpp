// The grammar of JSON (RFC 8259) as a recognizer that stops at the first fault. Slow and obvious: it runs
// once, on a document that is known to be broken.
#include "json/json_grammar.hpp"

#include <fmt/format.h>

#include "history/text.hpp"

namespace plumb {
namespace {

class Grammar {
 public:
  explicit Grammar(std::string_view text) : text_(text) {}

  std::optional<JsonFault> run() {
    if (const auto bad = first_invalid_utf8(text_)) {
      at_ = *bad;
      fail("UTF-8 text");
    } else if (value(1)) {
      blanks();
      if (at_ != text_.size()) fail("the end of the line after a complete document");
    }
    return fault_;
  }

 private:
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  bool fail(std::string_view expected) {
    const std::string found = at_ < text_.size() ? shown(text_[at_]) : "the end of the text";
    fault_ = JsonFault{at_, fmt::format("broken JSON: {} where {} was expected", found, expected)};
    return false;
  }
  bool expect(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return fail(fmt::format("'{}'", c));
    ++at_;
    return true;
  }

  bool value(unsigned depth) {
    blanks();
    switch (peek()) {
      case '{':
        return members(depth, '}');
      case '[':
        return members(depth, ']');
      case '"':
        return string();
      case 't':
        return word("true");
      case 'f':
        return word("false");
      case 'n':
        return word("null");
      default:
        return number();
    }
  }

  // The inside of an object (ended by '}') or of an array (ended by ']').
  bool members(unsigned depth, char end) {
    if (depth > kMaxDepth) {
      fault_ = JsonFault{at_, fmt::format("nested too deeply; expected at most {} levels", kMaxDepth)};
      return false;
    }
    ++at_;
    blanks();
    if (peek() == end) return ++at_, true;
    while (true) {
      blanks();
      if (end == '}') {
        if (peek() != '"') return fail("a name in quotes");
        if (!string()) return false;
        blanks();
        if (!expect(':')) return false;
      }
      if (!value(depth + 1)) return false;
      blanks();
      if (peek() == end) return ++at_, true;
      if (peek() != ',') return fail(fmt::format("',' or '{}'", end));
      ++at_;
    }
  }

  bool word(std::string_view expected) {
    if (text_.substr(at_, expected.size()) != expected) return fail(fmt::format("'{}'", expected));
    at_ += expected.size();
    return ends_here();
  }

  bool number() {
    const std::size_t begin = at_;
    if (peek() == '-') ++at_;
    if (!is_digit(peek())) return fail(at_ == begin ? "a value" : "a digit");
    const bool zero = peek() == '0';
    digits();
    if (zero && at_ - begin > (text_[begin] == '-' ? 2U : 1U)) {
      at_ = begin;
      return fail("a number without leading zeros");
    }
    if (peek() == '.') {
      ++at_;
      if (!is_digit(peek())) return fail("a digit");
      digits();
    }
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      if (!is_digit(peek())) return fail("a digit");
      digits();
    }
    return ends_here();
  }
  void digits() {
    while (is_digit(peek())) ++at_;
  }

  bool string() {
    ++at_;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (static_cast<unsigned char>(text_[at_]) < 0x20) return fail("a string without control characters");
      if (text_[at_] == '\\') {
        if (!escape()) return false;
      } else {
        ++at_;
      }
    }
    return expect('"');
  }

  bool escape() {
    ++at_;
    if (std::string_view("\"\\/bfnrt").find(peek()) != std::string_view::npos && peek() != '\0')
      return ++at_, true;
    if (peek() != 'u') return fail("one of \" \\ / b f n r t u after a backslash");
    const std::size_t begin = at_ - 1;
    unsigned unit = 0;
    if (!hex(unit)) return false;
    if (unit < 0xD800 || unit > 0xDFFF) return true;
    if (unit < 0xDC00 && peek() == '\\') {
      ++at_;
      if (peek() == 'u' && hex(unit) && unit >= 0xDC00 && unit <= 0xDFFF) return true;
    }
    fault_ = JsonFault{begin, "broken JSON: half of a surrogate pair; expected both halves"};
    return false;
  }
  bool hex(unsigned& unit) {
    ++at_;  // the 'u'
    unit = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = peek();
      const unsigned digit = is_digit(c)            ? static_cast<unsigned>(c - '0')
                             : c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a' + 10)
                             : c >= 'A' && c <= 'F' ? static_cast<unsigned>(c - 'A' + 10)
                                                    : 16U;
      if (digit == 16U) return fail("four hexadecimal digits");
      unit = unit * 16 + digit;
    }
    return true;
  }

  bool ends_here() {
    if (at_ >= text_.size() || is_blank(peek()) || peek() == ',' || peek() == ']' || peek() == '}')
      return true;
    return fail("',' or the end of a value");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::optional<JsonFault> fault_;
};

}  // namespace

std::optional<JsonFault> find_json_fault(std::string_view text) { return Grammar(text).run(); }

}  // namespace plumb
