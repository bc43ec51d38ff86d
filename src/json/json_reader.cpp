// Finding the documents, and turning them into values. See json_reader.hpp.
#include "json/json_reader.hpp"

#include <bit>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "history/number.hpp"
#include "json/json_grammar.hpp"

namespace plumb {

void JsonReader::begin(std::string_view text, std::uint32_t lines_before) {
  all_ = without_byte_order_mark(text);
  at_ = all_.data();
  end_ = all_.data() + all_.size();
  line_ = lines_before;
  in_array_ = false;
  first_element_ = true;
  all_tracker_ = PlaceTracker(all_, {lines_before + 1, 1});
  const char* first = at_;
  while (first != end_ && is_blank(*first)) ++first;
  if (first != end_ && *first == '[') {
    in_array_ = true;
    at_ = first + 1;
  }
}

Result<bool> JsonReader::next() {
  auto found = in_array_ ? next_element() : ends_ == Ends::kWithLine ? next_line() : next_in_brackets();
  if (found && *found && document_text_.size() > kMaxDocument) {
    return Error{
        fmt::format("a JSON document of {} bytes; expected at most {}", document_text_.size(), kMaxDocument),
        document_place_};
  }
  return found;
}

Result<bool> JsonReader::next_line() {
  while (at_ != end_) {
    const char* begin = at_;
    const void* newline = std::memchr(begin, '\n', static_cast<std::size_t>(end_ - begin));
    const char* line_end = newline == nullptr ? end_ : static_cast<const char*>(newline);
    at_ = newline == nullptr ? end_ : line_end + 1;
    ++line_;
    const char* first = begin;
    while (first != line_end && is_blank(*first)) ++first;
    if (first == line_end) continue;
    while (is_blank(line_end[-1])) --line_end;
    document_text_ = {first, static_cast<std::size_t>(line_end - first)};
    document_place_ = {line_, static_cast<std::uint32_t>(first - begin + 1)};
    return true;
  }
  return false;
}

Result<bool> JsonReader::next_in_brackets() {
  skip_blanks();
  return at_ == end_ ? Result<bool>(false) : take_element();
}

Result<bool> JsonReader::next_element() {
  if (at_ == nullptr) return false;  // after the end of the array
  skip_blanks();
  if (at_ == end_) return fail("',' or ']'");
  if (*at_ == ']') {
    ++at_;
    skip_blanks();
    if (at_ != end_) return fail("the end of the text after the array");
    at_ = nullptr;
    return false;
  }
  if (!first_element_) {
    if (*at_ != ',') return fail("',' or ']'");
    ++at_;
    skip_blanks();
  }
  first_element_ = false;
  return take_element();
}

Result<bool> JsonReader::take_element() {
  const char* begin = at_;
  at_ = element_end(begin);
  document_text_ = trim({begin, static_cast<std::size_t>(at_ - begin)});
  document_place_ = all_tracker_.at(begin);
  if (document_text_.empty()) return fail("an object");
  return true;
}

void JsonReader::skip_blanks() {
  while (at_ != end_ && is_blank(*at_)) ++at_;
}

Error JsonReader::fail(std::string_view expected) {
  const std::string found = at_ != end_ ? shown(*at_) : "the end of the text";
  return Error{fmt::format("broken JSON: {} where {} was expected", found, expected), all_tracker_.at(at_)};
}

// The end of the element that begins here, by its brackets alone; whether it is well formed shows later.
const char* JsonReader::element_end(const char* begin) const {
  std::size_t depth = 0;
  for (const char* p = begin; p != end_; ++p) {
    switch (*p) {
      case '"':
        for (++p; p != end_ && *p != '"'; ++p) {
          if (*p == '\\' && ++p == end_) return end_;
        }
        if (p == end_) return end_;
        break;
      case '{':
      case '[':
        ++depth;
        break;
      case '}':
      case ']':
        if (depth == 0) return p;
        if (--depth == 0) return p + 1;
        break;
      case ',':
        if (depth == 0) return p;
        break;
      default:
        break;
    }
  }
  return end_;
}

Status JsonReader::open(simdjson::ondemand::document& document) {
  const std::size_t size = document_text_.size();
  if (static_cast<std::size_t>(end_ - (document_text_.data() + size)) < simdjson::SIMDJSON_PADDING) {
    padded_.reserve(size + simdjson::SIMDJSON_PADDING);
    padded_.assign(document_text_);
    document_text_ = padded_;
  }
  tracker_ = PlaceTracker(document_text_, document_place_);
  if (document_text_.front() != '{') {
    return Error{fmt::format("expected a JSON object, found {}", shown(document_text_.front())),
                 document_place_};
  }
  if (parser_.capacity() < size) {
    constexpr std::size_t kLeast = 4096;
    if (parser_.allocate(std::max(kLeast, std::bit_ceil(size))) != simdjson::SUCCESS) {
      return Error{"not enough memory for this document", document_place_};
    }
  }
  const simdjson::padded_string_view padded(document_text_.data(), size, size + simdjson::SIMDJSON_PADDING);
  if (parser_.iterate(padded).get(document) != simdjson::SUCCESS) return broken();
  return Ok{};
}

Status JsonReader::skip(JsonValue json) {
  if (auto checked = value(json, nullptr); !checked) return checked.error();
  return Ok{};
}

Result<Value> JsonReader::value(JsonValue json, Values* table, unsigned depth) {
  if (depth > kMaxDepth) {
    return Error{fmt::format("nested too deeply; expected at most {} levels", kMaxDepth), place(json)};
  }
  switch (first_char(json)) {
    case '"': {
      std::string_view text;
      if (json.get_string().get(text) != simdjson::SUCCESS) return broken();
      return table == nullptr ? kNull : table->string(text);
    }
    case '[':
      return array(json, table, depth);
    case '{':
      return object(json, table, depth);
    case 't':
    case 'f': {
      bool truth = false;
      if (json.get_bool().get(truth) != simdjson::SUCCESS) return broken();
      return Value::boolean(truth);
    }
    case 'n': {
      bool null = false;
      if (json.is_null().get(null) != simdjson::SUCCESS || !null) return broken();
      return kNull;
    }
    default:
      return number(json, table);
  }
}

// Not by simdjson, whose 3.0.1 takes a real of more than 19 digits for 0. The value is not used up by this;
// the next step of the iterator passes over it.
Result<Value> JsonReader::number(JsonValue& json, Values* table) {
  const std::string_view text = trim(json.raw_json_token());
  const Number number = parse_number(text);
  if (number.kind == Number::Kind::kNone || number.kind == Number::Kind::kLeadingZeros) return broken();
  if (table == nullptr) return kNull;
  if (number.kind == Number::Kind::kTooLarge) return Error{too_large(text), place(json)};
  return number.value(*table);
}

Result<Value> JsonReader::array(JsonValue& json, Values* table, unsigned depth) {
  std::vector<Value> content;
  auto status = items(json, [&](JsonValue item) -> Status {
    auto one = value(item, table, depth + 1);
    if (!one) return one.error();
    if (table != nullptr) content.push_back(*one);
    return Ok{};
  });
  if (!status) return status.error();
  return table == nullptr ? kNull : table->array(content);
}

Result<Value> JsonReader::object(JsonValue& json, Values* table, unsigned depth) {
  std::vector<Member> content;
  auto status = members(json, [&](std::string_view name, JsonValue member) -> Status {
    auto one = value(member, table, depth + 1);
    if (!one) return one.error();
    if (table != nullptr) content.emplace_back(table->string(name), *one);
    return Ok{};
  });
  if (!status) return status.error();
  return table == nullptr ? kNull : table->object(content);
}

Result<std::string_view> JsonReader::string(JsonValue json, std::string_view what) {
  std::string_view text;
  if (first_char(json) != '"') return unexpected(json, fmt::format("{} as a string", what));
  if (json.get_string().get(text) != simdjson::SUCCESS) return broken();
  return text;
}

Result<std::int64_t> JsonReader::integer(JsonValue json, std::string_view what) {
  const char first = first_char(json);
  if (first != '-' && !is_digit(first)) return unexpected(json, fmt::format("{} as a whole number", what));
  const std::string_view text = trim(json.raw_json_token());
  const Number number = parse_number(text);
  if (number.kind == Number::Kind::kInteger) return number.integer;
  if (number.kind == Number::Kind::kReal) return unexpected(json, fmt::format("{} as a whole number", what));
  if (number.kind == Number::Kind::kTooLarge) return Error{too_large(text), place(json)};
  return broken();
}

Error JsonReader::unexpected(JsonValue& json, std::string_view expected) {
  constexpr std::size_t kShown = 24;
  const std::string_view token = trim(json.raw_json_token());
  if (find_json_fault(document_text_)) return broken();  // a broken document first of all needs to be mended
  const std::string_view shortened = token.substr(0, kShown);
  const char* what = token[0] == '{' ? "an object" : token[0] == '[' ? "an array" : nullptr;
  return Error{fmt::format("expected {}, found {}{}", expected, what != nullptr ? what : shortened,
                           token.size() > kShown ? "…" : ""),
               place(json)};
}

Error JsonReader::twice(std::string_view name, const char* position) {
  std::string shown;
  append_json_string(name, shown);
  return Error{fmt::format("{} appears twice in one object; expected each name once", shown),
               place(position)};
}

Error JsonReader::broken() {
  const auto fault = find_json_fault(document_text_);
  if (!fault) return Error{"this JSON document cannot be read; expected one object", document_place_};
  return Error{fault->message, tracker_.at(document_text_.data() + fault->offset)};
}

}  // namespace plumb
