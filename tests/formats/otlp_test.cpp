// Spans of OpenTelemetry: which are operations, what their attributes mean, whose clocks timed them.
#include <gtest/gtest.h>

#include "support/parsing.hpp"

namespace plumb {
namespace {

std::string spans(const std::string& all, const std::string& host = "a") {
  return R"({"resourceSpans":[{"resource":{"attributes":[{"key":"host.name","value":{"stringValue":")" +
         host + R"("}}]},"scopeSpans":[{"scope":{"name":"x"},"spans":[)" + all + "]}]}]}";
}
std::string attribute(const std::string& key, const std::string& value) {
  return R"({"key":")" + key + R"(","value":)" + value + "}";
}
std::string span(const std::string& name, const std::string& attributes, const std::string& start = "1",
                 const std::string& end = "5", const std::string& more = "") {
  return R"({"traceId":"t","spanId":"s)" + start + R"(","name":")" + name + R"(","startTimeUnixNano":")" +
         start + R"(","endTimeUnixNano":")" + end + R"(","attributes":[)" + attributes + "]" + more + "}";
}
const std::string kProcess = attribute("plumb.process", R"({"intValue":"0"})");

TEST(Otlp, SpansWithAttributesAreOperations) {
  const History h = parsed_one(spans(
      span("write", kProcess + "," + attribute("plumb.args", R"({"intValue":"3"})")) + "," +
      span("GET /", attribute("http.method", R"({"stringValue":"GET"})")) + "," +
      span("q",
           attribute("plumb.function", R"({"stringValue":"cas"})") + "," +
               attribute("plumb.args", R"({"arrayValue":{"values":[{"intValue":1},{"stringValue":"x"}]}})") +
               "," + attribute("plumb.result", R"({"boolValue":true})") + "," +
               attribute("plumb.object", R"({"stringValue":"o"})"),
           "6", "9")));
  ASSERT_EQ(h.size(), 2U);
  EXPECT_EQ(h.describe(0), "process 0: write(3)");
  EXPECT_EQ(h.describe(1), R"(process "s6": cas(1, "x") -> true)");
  EXPECT_EQ(h.values().to_json(h.object(1)), R"("o")");
  EXPECT_EQ(h.call(1), 6);
  EXPECT_EQ(h.ret(1), 9);
  EXPECT_TRUE(h.has_clock_times());
  EXPECT_EQ(h.clocks(), 1U);
}

TEST(Otlp, ValuesOfAttributes) {
  const std::pair<const char*, const char*> table[] = {
      {R"({"stringValue":"7"})", R"("7")"},
      {R"({"intValue":"7"})", "7"},
      {R"({"doubleValue":1.5})", "1.5"},
      {R"({"doubleValue":2})", "2"},
      {"{}", "null"},
      {R"({"arrayValue":{}})", "[]"},
      {R"({"kvlistValue":{"values":[{"key":"a","value":{"boolValue":false}}]}})", R"({"a":false})"}};
  for (const auto& [any, value] : table) {
    const History h = parsed_one(spans(span("read", attribute("plumb.result", any))));
    EXPECT_TRUE(h.has_result(0));
    EXPECT_EQ(h.values().to_json(h.result(0)), value) << any;
  }
  const History h = parsed_one(
      spans(span("read", attribute("plumb.result.json", R"({"stringValue":"[null,{\"a\":1}]"})"))));
  EXPECT_EQ(h.values().to_json(h.result(0)), R"([null,{"a":1}])");
}

TEST(Otlp, WhatDidNotEndWellIsPending) {
  const std::string result = attribute("plumb.result", R"({"intValue":"3"})");
  for (const char* status :
       {R"(,"status":{"code":2})", R"(,"status":{"code":"STATUS_CODE_ERROR","message":"x"})"}) {
    const History h = parsed_one(spans(span("read", result, "1", "5", status)));
    EXPECT_TRUE(h.is_pending(0));
    EXPECT_FALSE(h.has_result(0));
  }
  EXPECT_FALSE(parsed_one(spans(span("read", result, "1", "5", R"(,"status":{"code":1})"))).is_pending(0));
  EXPECT_TRUE(parsed_one(spans(span("read", result, "1", "0"))).is_pending(0));
  EXPECT_EQ(parsed_one(spans(span("write", attribute("plumb.did_not_happen", R"({"boolValue":true})")) + "," +
                             span("read", result, "7", "8")))
                .size(),
            1U);
}

// Of one process, too: spans may be nested or sent by many threads.
TEST(Otlp, SpansMayOverlap) {
  const History h =
      parsed_one(spans(span("read", kProcess, "1", "9") + "," + span("read", kProcess, "3", "12") + "," +
                       span("read", kProcess, "9", "20")));
  EXPECT_EQ(h.processes(), 2U);
}

TEST(Otlp, SeveralMachines) {
  const std::string a = spans(span("read", kProcess, "1", "2"), "a");
  const std::string b = spans(span("read", attribute("plumb.process", R"({"intValue":"1"})"), "2", "3"), "b");
  EXPECT_EQ(parsed_one(a + "\n" + b + "\n").clocks(), 2U);
  EXPECT_EQ(parsed_one(a + "\n" + spans(span("other", "")) + "\n").clocks(), 1U);
}

TEST(Otlp, WithoutAProcessEachIsOneOfItsOwn) {
  std::string other = span("read", attribute("plumb.result", "{}"), "1", "5");
  other.replace(other.find("\"t\""), 3, "\"u\"");  // of another trace, where ids may be the same
  const History h = parsed_one(spans(span("read", attribute("plumb.result", "{}"), "1", "5") + "," + other));
  EXPECT_NE(h.process(0), h.process(1));
}

// A collector that tries again sends a span twice.
TEST(Otlp, ASpanIsThereOnce) {
  const std::string one = span("read", kProcess, "1", "2");
  EXPECT_NE(fault(spans(one + "," + one)).find("a second time"), std::string::npos);
}

TEST(Otlp, StatusCodes) {
  const auto with = [](const std::string& code) {
    return spans(span("read", kProcess, "1", "2", R"(,"status":{"code":)" + code + "}"));
  };
  EXPECT_FALSE(parsed_one(with("1")).is_pending(0));
  EXPECT_FALSE(parsed_one(with(R"("STATUS_CODE_UNSET")")).is_pending(0));
  EXPECT_TRUE(parsed_one(with("2")).is_pending(0));
  EXPECT_TRUE(parsed_one(with(R"("STATUS_CODE_ERROR")")).is_pending(0));
  EXPECT_NE(fault(with(R"("Error")")).find("the status code \"Error\""), std::string::npos);
}

TEST(Otlp, OldExportersAreRefused) {
  EXPECT_NE(fault(R"({"resourceSpans":[{"instrumentationLibrarySpans":[]}]})").find("an old exporter"),
            std::string::npos);
}

// As people have it in an editor; the places stay.
TEST(Otlp, OverSeveralLines) {
  const std::string text = "{\n  \"resourceSpans\": [\n    {\"scopeSpans\": [{\"spans\": [\n      " +
                           span("read", kProcess, "1", "2") + "\n    ]}]}\n  ]\n}\n";
  EXPECT_EQ(parsed_one(text).size(), 1U);
  std::string broken = text;
  broken.replace(broken.find("\"1\""), 3, "\"x\"");
  EXPECT_TRUE(says(fault(broken), "4:70", "expected nanoseconds"));
}

// Some write numbers instead of strings: they have the same limits.
TEST(Otlp, TimesThatAreNumbers) {
  const auto with_times = [](const std::string& start, const std::string& end) {
    std::string text = spans(span("read", kProcess, "1", "2"));
    text.replace(text.find("\"1\""), 3, start);
    return text.replace(text.find("\"2\""), 3, end);
  };
  EXPECT_EQ(parsed_one(with_times("1", "2")).ret(0), 2);
  EXPECT_NE(fault(with_times("-1", "2")).find("from 0 to 2^63-2, found -1"), std::string::npos);
  EXPECT_NE(fault(with_times("1", "9223372036854775807")).find("from 0 to 2^63-2"), std::string::npos);
  EXPECT_NE(fault(with_times("1", "\"9223372036854775807\"")).find("from 0 to 2^63-2"), std::string::npos);
  EXPECT_NE(fault(with_times("1", "99999999999999999999")).find("too large"), std::string::npos);
}

TEST(Otlp, WhatIsWrong) {
  EXPECT_TRUE(says(fault(spans(span("GET /", ""))), "1:1", "none with an attribute plumb.function"));
  EXPECT_TRUE(says(fault(R"({"resourceSpans":{}})"), "1:18", "an array"));
  EXPECT_TRUE(says(fault("{}", "otlp"), "1:1", "without \"resourceSpans\""));
  EXPECT_NE(fault(spans(span("read", attribute("plumb.reslt", "{}")))).find("an attribute plumb.reslt"),
            std::string::npos);
  EXPECT_NE(fault(spans(span("read", attribute("plumb.args", R"({"intValue":"x"})"))))
                .find("expected one of stringValue"),
            std::string::npos);
  EXPECT_NE(
      fault(spans(span("read", attribute("plumb.args.json", R"({"stringValue":"[1"})")))).find("not JSON"),
      std::string::npos);
  EXPECT_NE(fault(spans(span("read", attribute("plumb.args", "{}") + "," +
                                         attribute("plumb.args.json", R"({"stringValue":"1"})"))))
                .find("a second attribute"),
            std::string::npos);
  EXPECT_NE(
      fault(spans(span("read", attribute("plumb.process", R"({"boolValue":true})")))).find("plumb.process"),
      std::string::npos);
  EXPECT_NE(fault(spans(span("read", kProcess, "9", "2"))).find("before its call"), std::string::npos);
  EXPECT_NE(fault(spans(span("read", kProcess, "0", "2"))).find("without \"startTimeUnixNano\""),
            std::string::npos);
}

}  // namespace
}  // namespace plumb
