// What is written is JSON, whatever the texts hold.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "json/json_writer.hpp"

namespace plumb::test {
namespace {

TEST(JsonWriter, PutsCommasWhereTheyBelong) {
  JsonWriter json;
  json.object([&] {
    json.member("text", "a");
    json.member("number", -3);
    json.member("yes", true);
    json.member("none", std::optional<int>());
    json.member("some", std::optional<std::uint64_t>(18446744073709551615U));
    json.member("time", JsonWriter::Fixed{1.25, 1});
    json.key("empty").array(std::vector<int>());
    json.key("inner").object([&] { json.key("list").array(std::vector<std::string>{"x", "y"}); });
    json.key("rows").array(std::vector<int>{1, 2}, [&](int i) { json.array(std::vector<int>{i, i}); });
    json.member("raw", JsonWriter::Raw{R"([1,{"a":null}])"});
  });
  EXPECT_EQ(json.take(),
            R"({"text":"a","number":-3,"yes":true,"none":null,"some":18446744073709551615,"time":1.2,)"
            R"("empty":[],"inner":{"list":["x","y"]},"rows":[[1,1],[2,2]],"raw":[1,{"a":null}]})");
}

TEST(JsonWriter, EscapesWhatATerminalWouldObey) {
  JsonWriter json;
  json.object([&] {
    json.member("a\"b\\", "line\nend\x1b[31m");
    json.member("control", "\u009b1m \u2028");
    json.member("raw", JsonWriter::Raw{"\"\u009b\""});
    json.member("broken", std::string("\xff", 1));
  });
  EXPECT_EQ(json.take(),
            "{\"a\\\"b\\\\\":\"line\\nend\\u001b[31m\",\"control\":\"\\u009b1m \\u2028\","
            "\"raw\":\"\\u009b\",\"broken\":\"\uFFFD\"}");
}

}  // namespace
}  // namespace plumb::test
