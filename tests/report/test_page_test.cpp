// The page of a test as text: what is there, and that nothing of a test can become markup. What it does is tested in a browser.
#include "report/test_page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
}

TEST(TestPage, NoPictureOfAHistoryThatIsRight) {
  EXPECT_THAT(test_page(deadlock(), {}), Not(HasSubstr("The history")));
}

}  // namespace
}  // namespace plumb
