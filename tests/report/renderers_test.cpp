// The table of renderers, and what each makes of documents with and without a history.
#include "report/renderers.hpp"

#include <memory>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/history_document.hpp"
#include "spec/models.hpp"
#include "support/script.hpp"

namespace plumb {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Renderers, EveryFormatHasItsEndingAndIsInTheLists) {
  std::set<std::string_view> endings;
  for (const Renderer& row : kRenderers) {
    EXPECT_EQ(&renderer_of(row.format), &row);
    EXPECT_EQ(report_format("a/report" + std::string(row.ending)).value(), row.format);
    EXPECT_TRUE(endings.insert(row.ending).second) << row.ending;
    EXPECT_THAT(kReportEndings.view(), HasSubstr(row.ending));
    EXPECT_THAT(kReportLines.view(), HasSubstr(row.what));
  }
  EXPECT_EQ(kReportEndings.view(), ".html, .svg, .txt or .json");
}

TEST(Renderers, AllDrawADocumentWithoutAHistory) {
  const Document document{.name = "Queue",
                          .verdict = "violation",
                          .kind = "race",
                          .summary = "two <threads>\nwrite",
                          .facts = {{"test", "Queue <threads>"}}};
  for (const Renderer& row : kRenderers) {
    const std::string made = row.render(document, {});
    EXPECT_THAT(made, HasSubstr("Queue")) << row.ending;
    EXPECT_EQ(made.back(), '\n') << row.ending;
  }
  EXPECT_THAT(render_svg(document), HasSubstr("<text x=\"24\" y=\"74\">two &lt;threads&gt;</text>"));
}

TEST(Renderers, FactsAreTheMembersOfTheJson) {
  const Document document{.facts = {{"text", "a\"b"},
                                    {"truth", true},
                                    {"less", -1},
                                    {"many", std::uint64_t{1} << 63U},
                                    {"time", FactValue::Decimal{0.25, 1}},
                                    {"value", FactValue::Json{R"({"k":null})"}},
                                    {"none", std::optional<int>()},
                                    {"calls", std::vector<std::vector<std::string>>{{"push(1)"}, {}}},
                                    {"facts", Facts{{"a", 1U}, {"b", std::vector<int>{1, 2}}}}}};
  const std::string json = render_json(document);
  EXPECT_THAT(json, StartsWith(R"({"text":"a\"b","truth":true,"less":-1,"many":9223372036854775808,)"));
  EXPECT_THAT(json, HasSubstr(R"x("time":0.2,"value":{"k":null},"none":null,"calls":[["push(1)"],[]],)x"));
  EXPECT_THAT(json, EndsWith("\"facts\":{\"a\":1,\"b\":[1,2]}}\n"));
}

// The view outlives all that it was made from: results of tests are looked at when the test is gone.
TEST(Renderers, AHistoryInADocumentIsItsOwn) {
  Document document{.name = "Queue", .verdict = "violation", .kind = "not-linearizable"};
  {
    test::Script script;
    script.add(0, "enqueue(1)", 0, 1).add(1, "dequeue:2", 2, 3);
    const auto history = std::make_shared<const History>(script.build());
    const Model& model = *find_model("queue").value();
    const auto verdict = std::make_shared<const Verdict>(check(*history, model).value());
    auto view = HistoryView::make(history, model, verdict, {.file = "Queue"}, {});
    ASSERT_TRUE(view.ok());
    document.history = std::make_shared<const HistoryView>(std::move(view).value());
  }
  EXPECT_THAT(render_text(document), StartsWith("violation Queue: not-linearizable\n\n✗ violation  Queue\n"));
  EXPECT_THAT(render_text(history_document(document.history)), StartsWith("✗ violation  Queue\n"));
  EXPECT_THAT(render_svg(document), HasSubstr("dequeue() → 2"));
  EXPECT_EQ(render_json(document), "{}\n") << "the columns of a history are in its own document";
  EXPECT_THAT(render_json(history_document(document.history)), HasSubstr(R"("columns":{"processes":[0,1])"));
  EXPECT_THAT(render_html(document), HasSubstr(R"("columns":{"processes":[0,1])")) << "a page to look around";
  document.scenario = {{"thread 1", {"enqueue(1)"}}, {"thread 2", {"dequeue() -> 2"}}};
  EXPECT_THAT(render_html(document), HasSubstr("<svg"));
  EXPECT_THAT(render_html(document), Not(HasSubstr(R"("columns":{)")));
  EXPECT_THAT(render_text(document), Not(HasSubstr("✗"))) << "the scenario shows it";
}

}  // namespace
}  // namespace plumb
