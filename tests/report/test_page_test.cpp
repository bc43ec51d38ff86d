// The page of a test as text: what is there, and that nothing of a test can become markup. What it does is tested in a browser.
#include "report/test_page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/graph_picture.hpp"
#include "report/waiting_picture.hpp"

namespace plumb {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Document deadlock() {
  return {.name = "A</script><script>alert(1)</script>",
          .verdict = "violation",
          .kind = "stuck",
          .summary = "there() blocks <forever>.",
          .evidence = {"thread 1 waits: lock b_", "thread 2 waits: lock a_"},
          .accesses = {{"thread 1 waits: lock b_", {{"/src/<a>.hpp", 3, "f<int>"}}},
                       {"thread 2 waits: lock a_", {}}},
          .scenario = {{.title = "thread 1", .cells = {"there()", "on()"}, .wrong = 1}},
          .trace = {{.thread = 1, .what = "lock a_", .action = "lock", .object = "a_"},
                    {.thread = 2, .what = "lock c_", .action = "lock", .object = "c_"},
                    {.thread = 2, .what = "unlock c_", .action = "unlock", .object = "c_"},
                    {.thread = 2, .what = "lock b_", .action = "lock", .object = "b_"}},
          .sources = {{"/src/<a>.hpp", 2, {"one", "if (a < b) </pre>", "three"}}},
          .commands = {{"Replay", "./t --replay '<x>'"}}};
}

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(TestPage, WhatWouldMendItStandsBesideWhatIsWrong) {
  Document document = deadlock();
  EXPECT_THAT(test_page(document, {}), Not(HasSubstr("<p class=\"suggestion\">")));
  document.suggestion = "Perhaps <release> is enough.";
  const std::string page = test_page(document, {});
  const auto at = page.find("<p class=\"suggestion\">Perhaps &lt;release&gt; is enough.</p>");
  ASSERT_NE(at, std::string::npos);
  EXPECT_LT(at, page.find("</header>"));
  EXPECT_EQ(count(page, "&lt;release&gt;"), 1U);
}

TEST(TestPage, NothingOfATestIsMarkup) {
  const std::string page = test_page(deadlock(), {});
  EXPECT_EQ(count(page, "<script"), 2U);
  EXPECT_THAT(page, Not(HasSubstr("<forever>")));
  EXPECT_THAT(page, Not(HasSubstr("f<int>")));
  EXPECT_THAT(page, HasSubstr("if (a &lt; b) &lt;/pre&gt;"));
  EXPECT_THAT(page, HasSubstr("./t --replay &#39;&lt;x&gt;&#39;")) << page.substr(page.find("--replay"), 60);
  EXPECT_THAT(page, HasSubstr("<li class=\"code wrong\">on()</li>"));
}

TEST(TestPage, ADeadlockSaysWhoHasWhatTheOthersWaitFor) {
  const std::string picture = waiting_picture(deadlock());
  EXPECT_EQ(count(picture, "<g class=\"thread\""), 2U);
  EXPECT_EQ(count(picture, "<g class=\"object\""), 2U);
  EXPECT_EQ(count(picture, "class=\"waits\""), 2U);
  EXPECT_EQ(count(picture, "class=\"held\""), 2U);
  EXPECT_EQ(waiting_picture({.accesses = {{"thread 1 reads x", {}}}}), "");
  // What it waits for is the object, not the words around it.
  for (const char* waits : {"signal of changed", "notification of changed", "atomic wait changed",
                            "lock changed, or until a time"})
    EXPECT_THAT(waiting_picture({.accesses = {{std::string("thread 1 waits: ") + waits, {}}}}),
                HasSubstr(">changed</text>"))
        << waits;
  EXPECT_THAT(waiting_picture({.accesses = {{"thread 1 waits: end of thread 2", {}}}}),
              HasSubstr(">end of thread 2</text>"));
}

// A store, and who reads something older although it could have read that; then who synchronises.
Document weak() {
  return {.verdict = "violation",
          .kind = "not-linearizable",
          .scenario = {{.title = "thread 2", .cells = {"get() -> 0"}, .wrong = 0}},
          .trace = {{.thread = 1, .what = "store x", .action = "store", .object = "x<1>", .order = "relaxed"},
                    {.thread = 1, .what = "store y", .action = "store", .object = "y", .order = "release"},
                    {.thread = 2,
                     .what = "load y",
                     .action = "load",
                     .object = "y",
                     .read_from = 1,
                     .synchronises_with = {1}},
                    {.thread = 2, .what = "load x", .action = "load", .object = "x", .newer = 0},
                    {.thread = 3, .what = "load x", .action = "load", .object = "x", .read_from = 0},
                    {.thread = 2, .what = "return", .action = "return", .object = "from get() -> 0"}}};
}

TEST(TestPage, AGraphSaysWhoseValuesAreReadAndWhichAreNotSeen) {
  const std::string picture = graph_picture(weak());
  EXPECT_EQ(count(picture, "<g class=\"event"), 6U);
  EXPECT_EQ(count(picture, "<path class=\"sw\" data-from=\"1\" data-to=\"2\""), 1U) << picture;
  EXPECT_EQ(count(picture, "<path class=\"rf\" data-from=\"0\" data-to=\"4\""), 1U);
  EXPECT_EQ(count(picture, "<path class=\"unseen\" data-from=\"0\" data-to=\"3\""), 1U);
  EXPECT_EQ(count(picture, "<g class=\"event older\" data-node=\"3\""), 1U);
  EXPECT_EQ(count(picture, "<g class=\"event call wrong\" data-node=\"5\""), 1U);
  EXPECT_THAT(picture, HasSubstr("x&lt;1&gt;"));
  // What reads stands below what it reads, though another thread has nothing before it.
  EXPECT_THAT(picture, HasSubstr("data-node=\"4\"><title>load x</title><rect x=\"690\" y=\"88\""));
}

// A thread that goes round a thousand times before it reads what the other has left.
TEST(TestPage, AGraphOfALongExecutionShowsWhatLinesJoin) {
  Document document{.verdict = "violation", .kind = "not-linearizable"};
  const auto step = [&](int thread, const char* action) -> DocumentStep& {
    return document.trace.emplace_back(DocumentStep{.thread = thread, .what = action, .action = action});
  };
  step(1, "fence");
  step(1, "store");
  for (int round = 0; round < 1000; ++round) step(2, "load");
  step(2, "load").read_from = 1;
  step(2, "fence").synchronises_with = {0};
  step(2, "return");
  const std::string picture = graph_picture(document);
  EXPECT_EQ(count(picture, "<g class=\"event"), 6U) << picture;
  EXPECT_THAT(picture, HasSubstr("data-node=\"2\" data-last=\"1001\" data-thread=\"2\"><title>1000 steps"));
  EXPECT_EQ(count(picture, "<path class=\"rf\" data-from=\"1\" data-to=\"1002\""), 1U);
  EXPECT_EQ(count(picture, "<path class=\"sw\" data-from=\"0\" data-to=\"1003\""), 1U);
  EXPECT_THAT(picture, HasSubstr("steps that no line leads to"));
}

TEST(TestPage, AGraphOfVeryManyLinesShowsTheLastOfThem) {
  Document document{.verdict = "violation", .kind = "not-linearizable"};
  for (std::size_t round = 0; round < 1000; ++round) {
    document.trace.push_back({.thread = 1, .what = "store", .action = "store"});
    document.trace.push_back({.thread = 2, .what = "load", .action = "load", .read_from = 2 * round});
  }
  const std::string picture = graph_picture(document);
  EXPECT_EQ(count(picture, "<g class=\"event\""), 600U);
  EXPECT_EQ(count(picture, "<g class=\"event several\""), 2U);
  EXPECT_EQ(count(picture, "<path class=\"rf\""), 300U);
  EXPECT_THAT(picture, HasSubstr("data-from=\"1998\" data-to=\"1999\""));
}

TEST(TestPage, NoGraphWhereNothingIsKnownOfReads) {
  EXPECT_EQ(graph_picture(deadlock()), "");
  EXPECT_THAT(test_page(deadlock(), {}), Not(HasSubstr("id=\"graph\"")));
  EXPECT_THAT(test_page(weak(), {}), HasSubstr("id=\"graph\""));
}

TEST(TestPage, WhatDiffersFromTheClosestSerialRun) {
  Document document = weak();
  document.summary = "get() returned 0.\n\nThe closest serial run: put(1), [get() -> 1]";
  document.serial = {{.who = "thread 1", .call = "put(1)"},
                     {.who = "thread 2", .call = "get() -> 1", .observed = "0"},
                     {.who = "thread 3", .call = "get() -> 1", .is_missing = true}};
  const std::string page = test_page(document, {});
  EXPECT_THAT(page, HasSubstr("<li class=\"differs\"><span class=\"who\">thread 2</span><span "
                              "class=\"code\">get() -&gt; 1</span><span class=\"seen\">observed: 0</span>"));
  EXPECT_THAT(page, HasSubstr("without <span class=\"code\">get() -&gt; 1</span> of thread 3"));
  EXPECT_THAT(page, Not(HasSubstr("[get()")));
}

TEST(TestPage, NoPictureOfAHistoryThatIsRight) {
  EXPECT_THAT(test_page(deadlock(), {}), Not(HasSubstr("The history")));
}

}  // namespace
}  // namespace plumb
