// Colours are added to what stands there, and to nothing in the middle of a line.
#include "testing/colored_report.hpp"

#include <gtest/gtest.h>

namespace plumb::testing {
namespace {

TEST(ColoredReport, TheFirstWordOfALineSaysWhatItIsAbout) {
  EXPECT_EQ(colored("pass Queue: all\nwarning: pop() never succeeded\n"),
            "\x1b[32mpass \x1b[0mQueue: all\n\x1b[33mwarning: \x1b[0mpop() never succeeded\n");
  EXPECT_EQ(colored("violation Queue: race"), "\x1b[1;31mviolation \x1b[0mQueue: race");
  EXPECT_EQ(colored("unknown Queue: 0 of 3\n"), "\x1b[33munknown \x1b[0mQueue: 0 of 3\n");
  EXPECT_EQ(colored("-> thread 2  call pop()\n"), "\x1b[1m-> \x1b[0mthread 2  call pop()\n");
}

TEST(ColoredReport, OtherLinesStayAsTheyAre) {
  for (const char* text : {"", "\n", "\n\n", "it may pass Queue\n", "passed\n", "   thread 1  -> x\n"})
    EXPECT_EQ(colored(text), text);
}

TEST(ColoredReport, SourcesAreWholePathsOnceEach) {
  const Document document{
      .trace = {{.thread = 1, .places = {{"/src/queue.hpp", 3, "push"}, {"/src/test.cpp", 1, "f"}}},
                {.thread = 2, .places = {{"/src/node.hpp", 4, "next"}}},
                {.thread = 2, .places = {{"/src/queue.hpp", 9, "pop"}}},
                {.thread = 2, .places = {{"relative.hpp", 9, "pop"}}},
                {.thread = 2}}};
  EXPECT_EQ(sources_text(document), "Source: /src/node.hpp:4\nSource: /src/queue.hpp:9\n");
  EXPECT_EQ(sources_text({}), "");
}

}  // namespace
}  // namespace plumb::testing
