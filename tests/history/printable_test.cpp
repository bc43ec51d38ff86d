// Text made from data: nothing in it can act on a terminal or break JSON.
#include "history/printable.hpp"

#include <gtest/gtest.h>

namespace plumb {
namespace {

TEST(Printable, ControlCharactersAndBrokenBytesAreShown) {
  EXPECT_EQ(printable("plain ünïcode ✓ 🧪"), "plain ünïcode ✓ 🧪");
  EXPECT_EQ(printable("\x1b[31m\n\t\x7f"), "\\x1b[31m\\x0a\\x09\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"), "\\u009b");
  EXPECT_EQ(printable("\xe2\x80\xae\xe2\x80\xa8"), "\\u202e\\u2028");
  EXPECT_EQ(printable("a\xff\xc3"), "a\\xff\\xc3");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf") << "overlong";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(printable_lines("a\n\tb\x1b"), "a\n\tb\\x1b");
}

TEST(Printable, JsonStringsAreValidWhateverTheBytes) {
  EXPECT_EQ(json_string("a\"b\\c\n"), R"("a\"b\\c\n")");
  EXPECT_EQ(json_string("\xff"), "\"\uFFFD\"");
}

TEST(Printable, JsonKeepsNoControlsThatTerminalsObey) {
  EXPECT_EQ(without_raw_controls("\"\xc2\x9b\xc2\xa0\xc2\""), "\"\\u009b\xc2\xa0\xc2\"");
  EXPECT_EQ(without_raw_controls("[\"\xe2\x80\xae\"]\n"), "[\"\\u202e\"]\n");
}

TEST(Printable, CutsWhereCharactersEnd) {
  EXPECT_EQ(shortened("grün", 10), "grün");
  EXPECT_EQ(shortened("grün", 3), "gr…");
  EXPECT_EQ(width_of("grün…"), 5U);
  EXPECT_EQ(cut_to_width("grün", 4), "grün");
  EXPECT_EQ(cut_to_width("grüne", 4), "grü…");
  EXPECT_EQ(cut_to_width("", 0), "");
  EXPECT_EQ(cut_in_the_middle("grüne Äpfel", 11), "grüne Äpfel");
  EXPECT_EQ(cut_in_the_middle("grüne Äpfel", 6), "grü…el");
}

}  // namespace
}  // namespace plumb
