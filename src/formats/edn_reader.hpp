// EDN, form by form. Comments, commas and discarded forms are skipped; a tagged form is the form without its
// tag.
//
// What becomes what: keyword :x -> the string ":x" (so that it can be written back as a keyword), symbols,
// characters and ratios -> strings, vectors, lists and sets -> arrays (a set's in the order of its values),
// maps -> objects.
#pragma once

#include <forward_list>
#include <string>
#include <string_view>

#include <plumb/result.hpp>
#include <plumb/value.hpp>

#include "history/distinct_names.hpp"
#include "history/text.hpp"

namespace plumb {

class EdnReader {
 public:
  explicit EdnReader(std::string_view text, Place start = {1, 1});

  // The first character of the next form or of a closing bracket, '\0' at the end of the text.
  Result<char> peek();
  [[nodiscard]] Place place() { return tracker_.at(at_); }
  [[nodiscard]] bool at_end() const { return at_ == end_; }

  // One form, as a value of the table. Without a table it is only read over, and null comes back.
  Result<Value> value(Values* table);

  // Whether a bracket comes next, which is then passed; `peek` must have come before.
  bool pass(char bracket);

  // The map that comes next: visit(name) -> Status for each member must read its value. A keyword's name is
  // without its colon. A name that stands twice is an error.
  template <class Visit>
  Status members(Visit&& visit) {
    pass('{');
    DistinctNames names;
    std::forward_list<std::string> made;  // names that do not stand in the text as they are
    while (true) {
      auto next = peek();
      if (!next) return next.error();
      if (*next == '}') break;
      const char* begin = at_;
      auto name = member_name(made);
      if (!name) return name.error();
      if (!names.add(*name)) return twice(*name, begin);
      if (Status status = visit(*name); !status) return status;
    }
    pass('}');
    return Ok{};
  }

  [[nodiscard]] Error expected(std::string_view what);

 private:
  Status skip_discarded_and_tags();
  Result<Value> form(Values* table, char first);
  Result<Value> sequence(Values* table, char close);
  Result<Value> map(Values* table);
  Result<Value> string(Values* table);
  Result<Value> character(Values* table);
  Result<Value> atom(Values* table);
  Result<Value> number(Values* table, std::string_view text);
  Status string_content();
  Status escape();
  Result<unsigned> hex_digits();
  Result<std::string_view> member_name(std::forward_list<std::string>& made);
  [[nodiscard]] Error twice(std::string_view name, const char* position);
  std::string_view token();
  void skip_blanks();

  const char* at_;
  const char* end_;
  unsigned depth_ = 0;
  PlaceTracker tracker_;
  std::string content_;  // of the string read last
};

}  // namespace plumb
