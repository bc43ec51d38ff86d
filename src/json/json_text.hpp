// One JSON value of any kind that is the whole of a text, as formats have them inside of something else.
#pragma once

#include <string>
#include <string_view>

#include <plumb/result.hpp>
#include <plumb/value.hpp>

#include "json/json_reader.hpp"

namespace plumb {

class JsonText {
 public:
  // The error has a sentence, and the place is the caller's.
  Result<Value> value(std::string_view text, Values& values, Place place);

 private:
  std::string line_;
  JsonReader reader_{""};
};

}  // namespace plumb
