// Reports as the library makes them: what is in them, and that what a history holds stays text.
#include <plumb/report.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <simdjson.h>

#include <plumb/files.hpp>
#include <plumb/generate.hpp>

#include "history/printable.hpp"
#include "paths.hpp"
#include "report/history_view.hpp"
#include "report/markup.hpp"
#include "report/renderers.hpp"

namespace plumb {
namespace {

using testing::HasSubstr;

History history_of(const std::string& file) {
  auto read = read_histories(std::string(PLUMB_TEST_DATA "/report/") + file);
  return std::move(read.value().front());
}

std::string report_of(const History& history, std::string_view model_name, ReportFormat format,
                      const ReportStyle& style = {}) {
  const Model& model = *find_model(model_name).value();
  const auto verdict = check(history, model);
  return make_report(history, model, verdict.value(), format, {.file = "run.jsonl"}, style).value();
}

std::size_t occurrences(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Report, ValuesNeverBecomeMarkup) {
  const History history = history_of("text-only.jsonl");
  const std::string html = report_of(history, "queue", ReportFormat::kHtml);
  EXPECT_EQ(occurrences(html, "<script"), 2U) << "the data and the script of the page, nothing else";
  EXPECT_EQ(occurrences(html, "</script"), 2U);
  EXPECT_EQ(occurrences(html, "<!--"), 0U);
  EXPECT_EQ(occurrences(html, "\u2028"), 0U);
  const std::string svg = report_of(history, "queue", ReportFormat::kSvg);
  EXPECT_EQ(occurrences(svg, "<script") + occurrences(svg, "<b>"), 0U);
  EXPECT_THAT(svg, HasSubstr("&lt;/script&gt;"));
}

TEST(Report, NothingThatActsOnATerminalIsInAnyFormat) {
  const History history = history_of("text-only.jsonl");
  for (const Renderer& renderer : kRenderers) {
    const std::string report = report_of(history, "queue", renderer.format);
    for (const char* acts : {"\x1b", "\xc2\x9b", "\u202e"}) {
      EXPECT_EQ(report.find(acts), std::string::npos) << renderer.ending;
    }
  }
}

TEST(Report, JsonIsJsonForAnyHistory) {
  for (const bool spoil : {false, true}) {
    for (const Model* model : built_in_models()) {
      GenerateOptions options;
      options.model = model->name();
      options.operations = 60;
      options.pending = 0.05;
      options.spoil = spoil;
      const auto generated = generate(options);
      if (!generated) continue;  // a model that nothing is generated for
      const History& history = generated->history;
      simdjson::dom::parser parser;
      const std::string json = report_of(history, model->name(), ReportFormat::kJson);
      simdjson::dom::element view;
      ASSERT_EQ(parser.parse(json).get(view), simdjson::SUCCESS) << model->name();
      EXPECT_EQ(view["verdict"].get_string().value(), spoil ? "violation" : "linearizable");
      EXPECT_EQ(view["columns"]["process"].get_array().value().size(), history.size());
      EXPECT_EQ(view["columns"]["events"].get_array().value().size(), history.events().size());
    }
  }
}

// Every step of the order takes effect within its operation, and they follow one another.
TEST(Report, PointsOfTheOrderLieWithinTheirOperations) {
  for (const bool spoil : {false, true}) {
    for (const char* name : {"queue", "register", "map", "set"}) {
      GenerateOptions options;
      options.model = name;
      options.operations = 300;
      options.overlap = 0.9;
      options.spoil = spoil;
      const auto generated = generate(options);
      const History& history = generated->history;
      const Model& model = *find_model(name).value();
      const auto verdict = check(history, model);
      const auto view = HistoryView::make(borrowed(history), model, borrowed(*verdict), {}, {});
      const ReportOrder& order = view->order();
      EXPECT_FALSE(order.operations.empty());
      EXPECT_EQ(order.states.size(), order.operations.size()) << name;
      std::uint32_t before = 0;
      for (std::size_t k = 0; k < order.operations.size(); ++k) {
        EXPECT_GE(order.slots[k], before);
        EXPECT_GE(order.slots[k], view->call_rank(order.operations[k]));
        EXPECT_LT(order.slots[k], view->return_rank(order.operations[k]));
        before = order.slots[k];
      }
    }
  }
}

TEST(Report, TextStaysWithinItsWidth) {
  const History history = history_of("many-processes.jsonl");
  for (const std::size_t width : {60U, 80U, 120U, 200U}) {
    const std::string text = report_of(history, "counter", ReportFormat::kText, {.width = width});
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      EXPECT_LE(width_of(std::string_view(text).substr(at, end - at)), width) << text.substr(at, end - at);
      at = end + 1;
    }
  }
}

// Each key, and each object, is put in order on its own, and so is the state that stands beside a step.
TEST(Report, TheStateOfAKeyIsCalledThat) {
  const auto title = [](std::string_view text, std::string_view model) {
    const auto histories = parse_histories(text, "jsonl", "run.jsonl");
    return report_of(histories.value().front(), model, ReportFormat::kText);
  };
  EXPECT_THAT(title(R"({"process":0,"f":"put","args":["a",1],"call":0,"return":1})", "map"),
              HasSubstr("The order, and the state of its key after each step"));
  EXPECT_THAT(title(R"({"process":0,"f":"write","args":[1],"call":0,"return":1,"object":"x"})", "register"),
              HasSubstr("The order, and the state of its object after each step"));
  EXPECT_THAT(title(R"({"process":0,"f":"write","args":[1],"call":0,"return":1})", "register"),
              HasSubstr("The order, and the state after each step"));
}

TEST(Report, TheEndingSaysWhatIsMade) {
  EXPECT_EQ(report_format("a/b.html").value(), ReportFormat::kHtml);
  EXPECT_EQ(report_format("b.svg").value(), ReportFormat::kSvg);
  EXPECT_EQ(report_format("b.txt").value(), ReportFormat::kText);
  EXPECT_EQ(report_format("b.json").value(), ReportFormat::kJson);
  for (const char* wrong : {"", "html", "a.htm", "a.svg.gz", "-"}) {
    ASSERT_FALSE(report_format(wrong)) << wrong;
    EXPECT_THAT(report_format(wrong).error().message, HasSubstr(std::string(kReportEndings.view())));
  }
}

TEST(Markup, WhatBrowsersReadIsEscaped) {
  EXPECT_EQ(markup_escaped("<a href='x'>&\"</a>"), "&lt;a href=&#39;x&#39;&gt;&amp;&quot;&lt;/a&gt;");
  EXPECT_EQ(markup_escaped("\xEF\xBF\xBF"), "\\uffff") << "no character of XML";
  EXPECT_EQ(json_for_script("[\"</script><!--\"]"), "[\"\\u003c/script>\\u003c!--\"]");
}

}  // namespace
}  // namespace plumb
