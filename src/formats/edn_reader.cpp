// A recursive reader with a counted depth. See edn_reader.hpp for what becomes what.
#include "formats/edn_reader.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "history/number.hpp"

namespace plumb {
namespace {

bool is_blank_edn(char c) { return is_blank(c) || c == ',' || c == '\f' || c == '\v'; }

// Characters that end a token.
bool is_delimiter(char c) {
  return static_cast<unsigned char>(c) <= 0x20 || c == ',' || c == ';' || c == '"' || c == '(' || c == ')' ||
         c == '[' || c == ']' || c == '{' || c == '}' || c == 0x7F;
}

bool is_ratio(std::string_view text) {
  const auto all_digits = [](std::string_view part) {
    return !part.empty() && std::ranges::all_of(part, is_digit);
  };
  if (text.starts_with('-')) text.remove_prefix(1);
  const std::size_t slash = text.find('/');
  return slash != std::string_view::npos && all_digits(text.substr(0, slash)) &&
         all_digits(text.substr(slash + 1));
}

}  // namespace

EdnReader::EdnReader(std::string_view text, Place start)
    : at_(text.data()), end_(text.data() + text.size()), tracker_(text, start) {}

void EdnReader::skip_blanks() {
  while (at_ != end_) {
    if (is_blank_edn(*at_)) {
      ++at_;
    } else if (*at_ == ';') {
      at_ = std::find(at_, end_, '\n');
    } else {
      return;
    }
  }
}

Result<char> EdnReader::peek() {
  skip_blanks();
  if (at_ != end_ && *at_ == '#') {
    if (auto status = skip_discarded_and_tags(); !status) return status.error();
  }
  if (at_ == end_) return '\0';
  if (*at_ == '\0') return expected("a value");
  return *at_;
}

Status EdnReader::skip_discarded_and_tags() {
  while (at_ != end_ && *at_ == '#' && end_ - at_ > 1 && at_[1] != '{') {
    const bool discard = at_[1] == '_';
    if (!discard && at_[1] != ':' &&
        (is_delimiter(at_[1]) || std::ispunct(static_cast<unsigned char>(at_[1])) != 0)) {
      return expected("a tag, a set or a discarded form");
    }
    at_ += discard ? 2 : 1;
    if (discard) {
      if (auto gone = value(nullptr); !gone) return gone.error();
    } else {
      (void)token();
    }
    skip_blanks();
    const bool missing = at_ == end_ || *at_ == ')' || *at_ == ']' || *at_ == '}';
    if (!discard && missing) return expected("a value after the tag");
  }
  return Ok{};
}

bool EdnReader::pass(char bracket) {
  if (at_ == end_ || *at_ != bracket) return false;
  ++at_;
  return true;
}

Error EdnReader::expected(std::string_view what) {
  const std::string found = at_ == end_ ? "the end of the text" : shown(*at_);
  return Error{fmt::format("broken EDN: {} where {} was expected", found, what), place()};
}

Result<Value> EdnReader::value(Values* table) {
  if (depth_ == kMaxDepth) {
    return Error{fmt::format("nested too deeply; expected at most {} levels", kMaxDepth), place()};
  }
  ++depth_;
  auto first = peek();
  if (!first) return first.error();
  auto result = form(table, *first);
  --depth_;
  return result;
}

Result<Value> EdnReader::form(Values* table, char first) {
  switch (first) {
    case '[':
      return ++at_, sequence(table, ']');
    case '(':
      return ++at_, sequence(table, ')');
    case '{':
      return map(table);
    case '"':
      return string(table);
    case '\\':
      return character(table);
    case '#': {
      at_ = std::min(at_ + 2, end_);
      if (at_[-1] == '#') return expected("a tag, a set or a discarded form");
      auto set = sequence(table, '}');
      if (!set || table == nullptr) return set;
      const auto items = table->as_array(*set);
      std::vector<Value> sorted(items.begin(), items.end());
      std::ranges::sort(sorted, [&](Value a, Value b) { return table->compare(a, b) < 0; });
      return table->array(sorted);
    }
    default:
      if (is_delimiter(first)) return expected("a value");
      return atom(table);
  }
}

Result<Value> EdnReader::sequence(Values* table, char close) {
  std::vector<Value> items;
  while (true) {
    auto next = peek();
    if (!next) return next.error();
    if (*next == close) break;
    if (*next == '\0' || *next == ')' || *next == ']' || *next == '}') {
      return expected(fmt::format("a value or '{}'", close));
    }
    auto item = value(table);
    if (!item) return item.error();
    if (table != nullptr) items.push_back(*item);
  }
  ++at_;
  return table == nullptr ? kNull : table->array(items);
}

Result<Value> EdnReader::map(Values* table) {
  std::vector<Member> entries;
  auto status = members([&](std::string_view name) -> Status {
    auto content = value(table);
    if (!content) return content.error();
    if (table != nullptr) entries.emplace_back(table->string(name), *content);
    return Ok{};
  });
  if (!status) return status.error();
  return table == nullptr ? kNull : table->object(entries);
}

// A keyword's name, a string's content, or the text of any other key.
Result<std::string_view> EdnReader::member_name(std::forward_list<std::string>& made) {
  if (at_ == end_ || *at_ == ')' || *at_ == ']') return expected("a key or '}'");
  if (*at_ == ':') return token().substr(1);
  Values keys;
  auto key = value(&keys);
  if (!key) return key.error();
  const bool is_text = keys.kind(*key) == ValueKind::kString;
  return std::string_view(
      made.emplace_front(is_text ? std::string(keys.as_string(*key)) : keys.to_json(*key)));
}

Error EdnReader::twice(std::string_view name, const char* position) {
  std::string shown;
  append_json_string(name, shown);
  return Error{fmt::format("the key {} appears twice in one map; expected each key once", shown),
               tracker_.at(position)};
}

std::string_view EdnReader::token() {
  const char* begin = at_;
  at_ = std::find_if(at_, end_, is_delimiter);
  return {begin, static_cast<std::size_t>(at_ - begin)};
}

Result<Value> EdnReader::atom(Values* table) {
  const char* begin = at_;
  const std::string_view text = token();
  if (text == "nil") return kNull;
  if (text == "true" || text == "false") return Value::boolean(text == "true");
  const bool sign = text[0] == '-' || text[0] == '+';
  if (is_digit(text[0]) || (sign && text.size() > 1 && is_digit(text[1]))) {
    auto value = number(table, text);
    if (!value) return Error{value.error().message, tracker_.at(begin)};
    return value;
  }
  if (text == ":")
    return Error{"broken EDN: ':' alone; expected a keyword's name after it", tracker_.at(begin)};
  return table == nullptr ? kNull : table->string(text);
}

// Integers with or without N, either with M. A ratio stays the text that it is.
Result<Value> EdnReader::number(Values* table, std::string_view text) {
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  if (is_ratio(digits)) return table == nullptr ? kNull : table->string(text);
  const bool is_whole = digits.find_first_of(".eE") == std::string_view::npos;
  if (digits.ends_with('M') || (is_whole && digits.ends_with('N'))) digits.remove_suffix(1);
  const Number number = parse_number(digits, true);
  if (number.kind == Number::Kind::kNone || number.kind == Number::Kind::kLeadingZeros) {
    return Error{fmt::format("broken EDN: '{}' where a number{} was expected", text,
                             number.kind == Number::Kind::kNone ? "" : " without leading zeros")};
  }
  if (table == nullptr) return kNull;
  return number.kind == Number::Kind::kTooLarge ? Result<Value>(Error{too_large(text)})
                                                : number.value(*table);
}

Result<Value> EdnReader::string(Values* table) {
  if (auto status = string_content(); !status) return status.error();
  return table == nullptr ? kNull : table->string(content_);
}

Status EdnReader::string_content() {
  content_.clear();
  ++at_;
  while (at_ != end_ && *at_ != '"') {
    if (*at_ == '\0') return expected("a string without NUL bytes");
    if (*at_ == '\\') {
      if (auto status = escape(); !status) return status;
    } else {
      content_ += *at_++;
    }
  }
  if (at_ == end_) return expected("'\"'");
  ++at_;
  return Ok{};
}

Status EdnReader::escape() {
  static constexpr std::array<std::pair<char, char>, 8> kEscapes = {{{'t', '\t'},
                                                                     {'r', '\r'},
                                                                     {'n', '\n'},
                                                                     {'\\', '\\'},
                                                                     {'"', '"'},
                                                                     {'b', '\b'},
                                                                     {'f', '\f'},
                                                                     {'/', '/'}}};
  const char* begin = at_++;
  if (at_ != end_ && *at_ == 'u') {
    ++at_;
    auto unit = hex_digits();
    if (!unit) return unit.error();
    if (*unit >= 0xD800 && *unit < 0xDC00 && end_ - at_ > 1 && at_[0] == '\\' && at_[1] == 'u') {
      at_ += 2;
      auto low = hex_digits();
      if (!low) return low.error();
      if (*low >= 0xDC00 && *low <= 0xDFFF) *unit = 0x10000 + ((*unit - 0xD800) << 10U) + (*low - 0xDC00);
    }
    if (*unit >= 0xD800 && *unit <= 0xDFFF) {
      return Error{"broken EDN: half of a surrogate pair; expected both halves", tracker_.at(begin)};
    }
    append_utf8(*unit, content_);
    return Ok{};
  }
  const auto known = std::ranges::find(kEscapes, at_ == end_ ? '\0' : *at_, &std::pair<char, char>::first);
  if (known == kEscapes.end()) return expected("one of t r n b f u \\ \" after a backslash");
  content_ += known->second;
  ++at_;
  return Ok{};
}

Result<unsigned> EdnReader::hex_digits() {
  unsigned unit = 0;
  const auto [end, fault] = std::from_chars(at_, at_ + std::min<std::ptrdiff_t>(4, end_ - at_), unit, 16);
  if (fault != std::errc() || end - at_ != 4) return expected("four hexadecimal digits");
  at_ = end;
  return unit;
}

// \a, \newline, \u0041: a string of one character.
Result<Value> EdnReader::character(Values* table) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kNames = {
      {{"newline", "\n"},
       {"space", " "},
       {"tab", "\t"},
       {"return", "\r"},
       {"backspace", "\b"},
       {"formfeed", "\f"}}};
  const char* begin = at_++;
  const auto fault = [&] {
    return Error{"broken EDN: expected a character after the backslash", tracker_.at(begin)};
  };
  if (at_ == end_ || static_cast<unsigned char>(*at_) <= 0x20) return fault();
  const char* name_begin = at_++;
  (void)token();
  const std::string_view name(name_begin, static_cast<std::size_t>(at_ - name_begin));
  const auto known = std::ranges::find(kNames, name, &std::pair<std::string_view, std::string_view>::first);
  std::string text(known != kNames.end() ? known->second : name);
  if (known == kNames.end() && name.size() == 5 && name[0] == 'u') {
    unsigned unit = 0;
    const auto parsed = std::from_chars(name.data() + 1, name.data() + 5, unit, 16);
    if (parsed.ptr != name.data() + 5 || (unit >= 0xD800 && unit <= 0xDFFF)) return fault();
    text.clear();
    append_utf8(unit, text);
  } else if (known == kNames.end() && utf8_length(name) != name.size()) {
    return fault();
  }
  return table == nullptr ? kNull : table->string(text);
}

}  // namespace plumb
