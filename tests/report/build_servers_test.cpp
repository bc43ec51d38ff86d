// What build servers read: SARIF, Markdown, annotations. A document by hand, with everything that could break them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>

#include "report/places.hpp"
#include "report/renderers.hpp"

namespace plumb {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Document race() {
  return {.name = "Queue <|> \x01",
          .verdict = "violation",
          .kind = "race",
          .summary = "data race: 100 % sure\n\nmore",
          .evidence = {"thread 2 reads Queue::head_"},
          .accesses = {{"thread 2 reads Queue::head_", {{"/src/a b.hpp", 7, "Queue::pop"}}},
                       {"thread 1 wrote Queue::head_", {{"/elsewhere/c.hpp", 9, "Queue::push"}}}},
          .scenario = {{"thread 1", {"push(1)"}}, {"thread 2", {"pop()"}}},
          .trace = {{.thread = 1, .what = "call push(1)", .action = "call", .object = "push(1)"},
                    {.thread = 2,
                     .what = "load Queue::tail_: 1 -> 2 (acquire)",
                     .action = "fetch-add",
                     .object = "Queue::tail_",
                     .seen = "1",
                     .left = "2",
                     .places = {{"/src/a b.hpp", 6, "Queue::pop"}}},
                    {.thread = 1, .what = "return", .action = "return"}},
          .commands = {{"Replay", "./queue_test --replay x"}},
          .defined = {"/src/queue_test.cpp", 3, ""}};
}
Document pass() { return {.name = "Stack", .verdict = "pass", .seconds = 1.25}; }
Document unknown() {
  return {.name = "Slow",
          .verdict = "unknown",
          .summary = "too short",
          .defined = {"/src/queue_test.cpp", 30, ""}};
}

TEST(BuildServers, PlacesAreRelativeToTheRoot) {
  EXPECT_EQ(relative_to("/src", "/src/a.hpp"), "a.hpp");
  EXPECT_EQ(relative_to("/src/", "/src/b/a.hpp"), "b/a.hpp");
  EXPECT_EQ(relative_to("/src", "/srcs/a.hpp"), "/srcs/a.hpp");
  EXPECT_EQ(relative_to("", "/src/a.hpp"), "/src/a.hpp");
  EXPECT_EQ(relative_to("/src", "a.hpp"), "a.hpp");
}

TEST(BuildServers, WhereAFindingIsShown) {
  Document document = race();
  EXPECT_EQ(document.where()->line, 7U);
  document.accesses.clear();
  EXPECT_EQ(document.where()->line, 6U);
  document.trace.clear();
  EXPECT_EQ(document.where()->line, 3U);
  document.defined = {};
  EXPECT_EQ(document.where(), nullptr);
}

TEST(BuildServers, AnnotationsAreOneLineEach) {
  const std::vector<Document> all{race(), pass(), unknown()};
  const std::string text = render_annotations(all, "/src");
  EXPECT_EQ(std::ranges::count(text, '\n'), 2);
  EXPECT_THAT(text, StartsWith("::error file=a b.hpp,line=7,title=violation Queue <|> "));
  EXPECT_THAT(text, HasSubstr("%3A race::data race: 100 %25 sure%0A%0Amore%0A"));
  EXPECT_THAT(text, HasSubstr("\n::warning file=queue_test.cpp,line=30,title=unknown Slow::too short\n"));
  EXPECT_THAT(text, Not(HasSubstr("Stack")));
  Document no_line = race();
  no_line.accesses = {{"thread 2 reads", {{"/src/a b.hpp", 0, "Queue::pop"}}}};
  EXPECT_THAT(render_annotations(std::vector{no_line}, "/src"), StartsWith("::error file=a b.hpp,title="));
}

TEST(BuildServers, MarkdownHasATableAndTheReport) {
  const std::vector<Document> all{race(), pass(), unknown()};
  const std::string text = render_markdown("queue_test", all);
  EXPECT_THAT(text, StartsWith("### queue\\_test: 3 tests, 1 violation, 1 not decided\n"));
  EXPECT_THAT(text, HasSubstr("| ✅ | Stack | pass |  | 1.2 |\n"));
  EXPECT_THAT(text, HasSubstr("| ❔ | Slow | unknown | too short | 0.0 |\n"));
  EXPECT_THAT(text, HasSubstr("Queue &lt;\\|&gt; "));
  EXPECT_THAT(text, HasSubstr("```text\nviolation Queue <|> "));
  EXPECT_THAT(text, HasSubstr("./queue_test --replay x"));
}

// What stands at a place of the JSON (RFC 6901).
class Sarif {
 public:
  explicit Sarif(const std::string& json) : json_(json) { EXPECT_FALSE(parser_.parse(json_).get(root_)); }
  [[nodiscard]] std::string text(const std::string& pointer) const {
    std::string_view found;
    const bool is_there = root_.at_pointer(pointer).get(found) == simdjson::SUCCESS;
    return is_there ? std::string(found) : "(none)";
  }
  [[nodiscard]] std::uint64_t number(const std::string& pointer) const {
    std::uint64_t found = 0;
    return root_.at_pointer(pointer).get(found) == simdjson::SUCCESS ? found : 0;
  }
  [[nodiscard]] std::size_t size(const std::string& pointer) const {
    simdjson::dom::array found;
    return root_.at_pointer(pointer).get(found) != simdjson::SUCCESS ? 0 : found.size();
  }

 private:
  simdjson::padded_string json_;
  simdjson::dom::parser parser_;
  simdjson::dom::element root_;
};

TEST(BuildServers, SarifHasAThreadFlowPerThread) {
  const std::vector<Document> all{race(), pass(), unknown()};
  const Sarif sarif(render_sarif(all, "/src"));
  EXPECT_EQ(sarif.text("/version"), "2.1.0");
  EXPECT_EQ(sarif.text("/runs/0/tool/driver/name"), "plumb");
  ASSERT_EQ(sarif.size("/runs/0/results"), 2U);
  for (const std::string result : {"/runs/0/results/0", "/runs/0/results/1"}) {
    const std::string rule = std::to_string(sarif.number(result + "/ruleIndex"));
    EXPECT_EQ(sarif.text("/runs/0/tool/driver/rules/" + rule + "/id"), sarif.text(result + "/ruleId"));
    EXPECT_THAT(sarif.text(result + "/message/text"), Not(::testing::IsEmpty()));
    EXPECT_EQ(sarif.size(result + "/locations"), 1U);
  }
  const std::string race = "/runs/0/results/0";
  EXPECT_EQ(sarif.text(race + "/level"), "error");
  EXPECT_EQ(sarif.text(race + "/locations/0/physicalLocation/artifactLocation/uri"), "a%20b.hpp");
  EXPECT_EQ(sarif.number(race + "/locations/0/physicalLocation/region/startLine"), 7U);
  EXPECT_EQ(sarif.text(race + "/relatedLocations/1/physicalLocation/artifactLocation/uri"),
            "file:///elsewhere/c.hpp");
  const std::string flows = race + "/codeFlows/0/threadFlows";
  ASSERT_EQ(sarif.size(flows), 2U);
  EXPECT_EQ(sarif.number(flows + "/0/locations/0/executionOrder"), 1U);
  EXPECT_EQ(sarif.number(flows + "/0/locations/1/executionOrder"), 3U);
  EXPECT_EQ(sarif.number(flows + "/1/locations/0/executionOrder"), 2U);
  EXPECT_EQ(sarif.text(flows + "/0/locations/1/location/message/text"), "return");
  EXPECT_EQ(sarif.text(flows + "/1/locations/0/state/Queue::tail_/text"), "1 -> 2");
  EXPECT_EQ(sarif.text("/runs/0/results/1/level"), "warning");
}

TEST(BuildServers, NothingFoundIsAnEmptyRun) {
  const std::vector<Document> all{pass()};
  EXPECT_EQ(render_annotations(all, ""), "");
  EXPECT_THAT(render_sarif(all, ""), HasSubstr("\"results\":[]"));
}

}  // namespace
}  // namespace plumb
