// Values of options, and which files of a folder are histories.
#include <gtest/gtest.h>

#include "cli/inputs.hpp"
#include "cli/option_values.hpp"

namespace plumb::cli {
namespace {

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
