// JSON documents out of a long text, one per line (or one after the other, over as many lines as they like) or one per element of an
// array around them all, each parsed by simdjson (on demand, so that every token still knows its place) and as small as it is: memory
// does not grow with the text.
#pragma once

#include <string>
#include <string_view>

#include <simdjson.h>

#include <plumb/result.hpp>
#include <plumb/value.hpp>

#include "history/distinct_names.hpp"
#include "history/text.hpp"

namespace plumb {

using JsonValue = simdjson::ondemand::value;

class JsonReader {
 public:
  static constexpr std::size_t kMaxDocument = std::size_t{1} << 28U;  // bytes; a line beyond is no history

  // Where a document ends that is no element of an array: with its line, which makes a broken one cost no more than that, or where its
  // brackets close.
  enum class Ends : std::uint8_t { kWithLine, kWithBrackets };

  explicit JsonReader(std::string_view text, Ends ends = Ends::kWithLine) : ends_(ends) { begin(text); }
  // Another text, which begins after so many lines.
  void begin(std::string_view text, std::uint32_t lines_before = 0);

  // Moves on to the next document; false after the last.
  Result<bool> next();
  [[nodiscard]] std::string_view text() const { return document_text_; }
  [[nodiscard]] Place place() const { return document_place_; }
  // How many bytes of the whole text follow the document, so that one may look past its end.
  [[nodiscard]] std::size_t slack() const {
    return static_cast<std::size_t>(end_ - (document_text_.data() + document_text_.size()));
  }

  // Calls visit(name, value) -> Status for each member of the current document, which must be an object. A name that stands
  // twice is an error, here and in every object inside.
  template <class Visit>
  Status members(Visit&& visit) {
    simdjson::ondemand::document document;
    simdjson::ondemand::object object;
    if (auto status = open(document); !status) return status;
    if (document.get_object().get(object) != simdjson::SUCCESS) return broken();
    if (auto status = each_member(object, visit); !status) return status;
    if (document.current_location().error() != simdjson::OUT_OF_BOUNDS) return broken();  // more follows
    return Ok{};
  }
  // The same for a member that must be an object, and for the items of one that must be an array.
  template <class Visit>
  Status members(JsonValue value, Visit&& visit) {
    simdjson::ondemand::object object;
    if (first_char(value) != '{') return unexpected(value, "an object");
    if (value.get_object().get(object) != simdjson::SUCCESS) return broken();
    return each_member(object, visit);
  }
  template <class Visit>
  Status items(JsonValue value, Visit&& visit) {
    simdjson::ondemand::array array;
    if (first_char(value) != '[') return unexpected(value, "an array");
    if (value.get_array().get(array) != simdjson::SUCCESS) return broken();
    for (auto item : array) {
      JsonValue content;
      if (item.get(content) != simdjson::SUCCESS) return broken();
      if (Status status = visit(content); !status) return status;
    }
    return Ok{};
  }

  // The value in a table. Without a table it is only checked, and null comes back; its numbers may be of any size then.
  Result<Value> value(JsonValue json, Values* table, unsigned depth = 1);
  Status skip(JsonValue json);
  Result<std::string_view> string(JsonValue json, std::string_view what);  // valid while the document is
  Result<std::int64_t> integer(JsonValue json, std::string_view what);     // 5.0 and 5e0 are 5

  [[nodiscard]] static char first_char(JsonValue& json) { return json.raw_json_token().data()[0]; }
  [[nodiscard]] static const char* position(JsonValue& json) { return json.raw_json_token().data(); }
  [[nodiscard]] Place place(const char* position) { return tracker_.at(position); }
  [[nodiscard]] Place place(JsonValue& json) { return tracker_.at(position(json)); }
  // "expected …, found …" at the place of a value; and the first fault of a document that does not parse.
  [[nodiscard]] Error unexpected(JsonValue& json, std::string_view expected);
  [[nodiscard]] Error broken();

 private:
  template <class Visit>
  Status each_member(simdjson::ondemand::object& object, Visit& visit) {
    DistinctNames names;
    for (auto field : object) {
      simdjson::ondemand::raw_json_string key;
      std::string_view name;
      JsonValue content;
      if (field.key().get(key) != simdjson::SUCCESS) return broken();
      if (field.unescaped_key().get(name) != simdjson::SUCCESS) return broken();
      if (field.value().get(content) != simdjson::SUCCESS) return broken();
      if (!names.add(name)) return twice(name, key.raw() - 1);
      if (Status status = visit(name, content); !status) return status;
    }
    return Ok{};
  }

  [[nodiscard]] Error twice(std::string_view name, const char* position);
  Status open(simdjson::ondemand::document& document);
  Result<bool> next_line();
  Result<bool> next_in_brackets();
  Result<bool> next_element();
  Result<bool> take_element();
  void skip_blanks();
  [[nodiscard]] Error fail(std::string_view expected);
  [[nodiscard]] const char* element_end(const char* begin) const;
  Result<Value> number(JsonValue& json, Values* table);
  Result<Value> array(JsonValue& json, Values* table, unsigned depth);
  Result<Value> object(JsonValue& json, Values* table, unsigned depth);

  Ends ends_;
  std::string_view all_;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  std::uint32_t line_ = 0;
  bool in_array_ = false;
  bool first_element_ = true;
  PlaceTracker all_tracker_;

  std::string_view document_text_;  // where it stands, or in padded_ once it is open
  Place document_place_;
  PlaceTracker tracker_;
  std::string padded_;  // a copy of a document too near to the end of the text for simdjson
  simdjson::ondemand::parser parser_;
};

}  // namespace plumb
