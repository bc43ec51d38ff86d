// Values of options, and which files of a folder are histories.
#include <gtest/gtest.h>

#include "cli/inputs.hpp"
#include "cli/option_values.hpp"

namespace plumb::cli {
namespace {

TEST(OptionValues, RelaxedClasses) {
  const auto relax = parse_relax("dequeue=2,pop=?").value();
  ASSERT_EQ(relax.size(), 2U);
  EXPECT_EQ(relax[0].k, 2U);
  EXPECT_FALSE(relax[1].k.has_value());
  for (const char* wrong : {"", "dequeue", "=2", "dequeue=-1", "dequeue=2,"})
    EXPECT_FALSE(parse_relax(wrong)) << wrong;
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
