// What a cell of csv is as a value, and back: what is written like JSON is that value, every other text is itself.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <plumb/history.hpp>
#include <plumb/result.hpp>

#include "json/json_text.hpp"

namespace plumb {

class CsvValues {
 public:
  Result<Value> value(std::string_view cell, Values& values, Place place);

 private:
  JsonText json_;
};

void append_csv_value(const Values& values, Value value, std::string& out);
// All arguments in one cell: alone, or as an array.
void append_csv_arguments(const Values& values, std::span<const Value> args, std::string& out);

}  // namespace plumb
