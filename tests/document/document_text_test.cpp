// A document as text: sections in their order, those that are empty left out; loops of an interleaving
// folded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "document/document.hpp"
#include "document/trace_text.hpp"

namespace plumb {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(DocumentText, SectionsComeInTheOrderInWhichTheyAreRead) {
  const Document document{.name = "Queue",
                          .verdict = "violation",
                          .kind = "not-linearizable",
                          .summary = "pop() returned 2.",
                          .evidence = {"one", "two"},
                          .scenario = {{"thread 1", {"push(1)", "push(2)"}}, {"thread 2", {"pop() -> 2"}}},
                          .trace = {{1, "store head: 0 -> 1", "store head", "queue.hpp:3 push"},
                                    {2, "load head: 1", "load head", "queue.hpp:9 pop"}},
                          .remarks = {"Found in scenario 1 after 3 executions."},
                          .suggestion = "Perhaps release is enough.",
                          .commands = {{"Replay", "./queue_test --replay x"}}};
  EXPECT_EQ(document_text(document),
            "violation Queue: not-linearizable\n"
            "\n"
            "pop() returned 2.\n"
            "  one\n"
            "  two\n"
            "\n"
            "  thread 1  thread 2\n"
            "  push(1)   pop() -> 2\n"
            "  push(2)\n"
            "\n"
            "The interleaving:\n"
            "   thread 1  store head: 0 -> 1  queue.hpp:3 push\n"
            "-> thread 2  load head: 1        queue.hpp:9 pop\n"
            "\n"
            "Found in scenario 1 after 3 executions.\n"
            "Perhaps release is enough.\n"
            "Replay: ./queue_test --replay x\n");
}

TEST(DocumentText, OfAnExplorationItIsShort) {
  const Document document{.subject = DocumentSubject::kExploration,
                          .verdict = "violation",
                          .kind = "race",
                          .summary = "two threads",
                          .remarks = {"3 executions"}};
  EXPECT_EQ(document_text(document), "race: two threads\n3 executions\n");
}

TEST(DocumentText, AHistoryIsShownWhereItStandsAndHasAHeadingOfItsOwn) {
  Document document{.name = "a", .verdict = "violation", .kind = "k", .remarks = {"Found."}};
  EXPECT_EQ(document_text(document, "history\n"), "violation a: k\n\nhistory\n\nFound.\n");
  document.subject = DocumentSubject::kHistory;
  EXPECT_EQ(document_text(document, "history\n"), "history\n\nFound.\n");
  EXPECT_EQ(document_text(document), "violation a: k\n\n\nFound.\n");
}

TEST(TraceText, RoundsOfALoopAreFoldedAlsoIfTheirValuesDiffer) {
  std::vector<DocumentStep> steps;
  for (int round = 0; round < 30; ++round)
    steps.push_back({1, "load flag: " + std::to_string(round), "load flag", "spin.hpp:3"});
  EXPECT_THAT(trace_text(steps), HasSubstr("… the same step 29 more times"));
  steps.resize(3);
  EXPECT_THAT(trace_text(steps), Not(HasSubstr("more times"))) << "few rounds that differ are all shown";
}

}  // namespace
}  // namespace plumb
