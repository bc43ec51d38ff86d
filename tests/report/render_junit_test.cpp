// JUnit's XML: what counts as what, and that nothing in a document becomes markup. That it is XML at all, the
// tests of the command and of test programs see with a parser.
#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/renderers.hpp"

namespace plumb {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(JUnit, AViolationIsAFailureAndWhatIsUnknownIsAnError) {
  const std::array documents = {
      Document{.name = "a", .verdict = "linearizable", .seconds = 0.5},
      Document{.name = "b", .verdict = "violation", .kind = "race", .summary = "both\nwrite"},
      Document{.name = "c", .verdict = "unknown", .summary = "time"},
      Document{.name = "d", .verdict = "error", .summary = "no file"},
      Document{.name = "e", .verdict = "pass", .summary = "everything of 2x1", .seconds = 1}};
  const std::string xml =
      render_junit({.name = "suite", .host = "h", .timestamp = "2026-11-19T20:06:23"}, documents);
  EXPECT_THAT(
      xml, HasSubstr(
               "<testsuites>\n  <testsuite name=\"suite\" package=\"suite\" id=\"0\" "
               "timestamp=\"2026-11-19T20:06:23\" hostname=\"h\" "
               "tests=\"5\" failures=\"1\" errors=\"2\" skipped=\"0\" time=\"1.500\">\n    <properties/>\n"));
  EXPECT_THAT(xml, HasSubstr(R"(<testcase classname="suite" name="a" time="0.500"/>)"));
  EXPECT_THAT(xml, HasSubstr(R"(<failure type="race" message="both">violation b: race)"));
  EXPECT_THAT(xml, HasSubstr(R"(<error type="unknown" message="time">)"));
  EXPECT_THAT(xml, HasSubstr(R"(<error type="error" message="no file">)"));
  EXPECT_THAT(xml, HasSubstr("<system-out>linearizable a\n\n\npass e\n\neverything of 2x1\n</system-out>\n"));
}

// As Ant's tasks write it, in UTC and without a zone.
TEST(JUnit, SaysWhereAndWhenItRan) {
  const JUnitSuite suite = junit_suite_of_now("suite");
  EXPECT_THAT(suite.timestamp, ::testing::MatchesRegex("2[0-9]{3}-[01][0-9]-[0-3][0-9]T[0-9:]{8}"));
  EXPECT_THAT(suite.host, Not(::testing::IsEmpty()));
}

TEST(JUnit, WhatADocumentHoldsStaysText) {
  const std::array documents = {Document{.name = "<a href=\"x\">",
                                         .verdict = "violation",
                                         .kind = "k",
                                         .summary = "]]> & \x1b[31m \xff \xef\xbf\xbf"}};
  const std::string xml = render_junit({.name = "a\nb"}, documents);
  EXPECT_THAT(xml, HasSubstr("&lt;a href=&quot;x&quot;&gt;"));
  EXPECT_THAT(xml, HasSubstr("]]&gt; &amp; \\x1b[31m \\xff"));
  for (const char* not_xml : {"\x1b", "\xff", "\xef\xbf\xbf"}) EXPECT_THAT(xml, Not(HasSubstr(not_xml)));
}

}  // namespace
}  // namespace plumb
