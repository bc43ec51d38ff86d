// Text made from data: nothing in it can act on a terminal or break JSON.
#include "cli/text.hpp"

#include <gtest/gtest.h>

#include "cli/inputs.hpp"
#include "cli/option_values.hpp"

namespace plumb::cli {
namespace {

TEST(Text, ControlCharactersAndBrokenBytesAreShown) {
  EXPECT_EQ(printable("plain ünïcode ✓ 🧪"), "plain ünïcode ✓ 🧪");
  EXPECT_EQ(printable("\x1b[31m\n\t\x7f"), "\\x1b[31m\\x0a\\x09\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"), "\\u009b");
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\u202e");
  EXPECT_EQ(printable("a\xff\xc3"), "a\\xff\\xc3");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf") << "overlong";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(printable_lines("a\n\tb\x1b"), "a\n\tb\\x1b");
}

TEST(Text, JsonStringsAreValidWhateverTheBytes) {
  EXPECT_EQ(json_string("a\"b\\c\n"), R"("a\"b\\c\n")");
  EXPECT_EQ(json_string("\xff"), "\"\uFFFD\"");
}

TEST(Text, JsonKeepsNoControlsThatTerminalsObey) {
  EXPECT_EQ(without_raw_controls("\"\xc2\x9b\xc2\xa0\xc2\""), "\"\\u009b\xc2\xa0\xc2\"");
}

TEST(Text, CountsReadWell) {
  EXPECT_EQ(count_of(1, "history"), "1 history");
  EXPECT_EQ(count_of(2, "history"), "2 histories");
  EXPECT_EQ(count_of(0, "process"), "0 processes");
  EXPECT_EQ(count_of(3, "file"), "3 files");
}

TEST(OptionValues, BytesTakeSuffixes) {
  EXPECT_EQ(parse_bytes("1000").value(), 1000U);
  EXPECT_EQ(parse_bytes("2K").value(), 2048U);
  EXPECT_EQ(parse_bytes("1.5m").value(), 1'572'864U);
  EXPECT_EQ(parse_bytes("2GiB").value(), 2'147'483'648U);
  for (const char* wrong : {"", "K", "-1", "1 K", "1KK", "0x10", "1e400"})
    EXPECT_FALSE(parse_bytes(wrong)) << wrong;
}

TEST(Inputs, EndingsOfHistories) {
  for (const char* name : {"a.jsonl", "b/c.edn.gz", "x.hist.zst", "etcd_000.log", "c10-ok.txt"}) {
    EXPECT_TRUE(has_history_name(name)) << name;
  }
  for (const char* name : {"README.md", "a.gz", "expected.tsv", "jsonl", "a.cpp"}) {
    EXPECT_FALSE(has_history_name(name)) << name;
  }
}

}  // namespace
}  // namespace plumb::cli
