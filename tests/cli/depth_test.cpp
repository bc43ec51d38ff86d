// plumb depth: one history, many, for programs, and as a plot.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "cli/command.hpp"

namespace plumb::test {
namespace {

using testing::HasSubstr;

const std::string kQueue = R"({"plumb":1,"model":"queue"})"
                           "\n";
const std::string kOverlapping =
    kQueue + operation(0, "enqueue", "1", "null", 0, 10) + operation(1, "dequeue", "", "1", 5, 20);
const std::string kWrong = kQueue + operation(1, "dequeue", "", "1", 5, 20);

TEST(Depth, OfOneHistory) {
  const Ran ran = run({"depth", "-"}, {.input = kOverlapping});
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("depth 1  -  [queue, 2 operations, 2 processes]"));
  EXPECT_THAT(ran.out, HasSubstr("2 open at once, 1 concurrent pair\n"));
  EXPECT_THAT(ran.out, HasSubstr("d = 1: 2, d = 2: 2, d = 3: 2, d = 4: 0"));
}

TEST(Depth, ForPrograms) {
  const Ran json = run({"depth", "-", "--json", "--max-depth", "2"}, {.input = kOverlapping});
  EXPECT_THAT(json.out, HasSubstr(R"("verdict":"linearizable","model":"queue","depth":1,)"));
  EXPECT_THAT(json.out, HasSubstr(R"("concurrency":2,"concurrent_pairs":1,"families":[2,2],)"));
  const Ran csv = run({"depth", "-", "--csv", "--max-depth", "2"}, {.input = kWrong});
  EXPECT_EQ(csv.status, 1);
  EXPECT_EQ(
      csv.out,
      "file,history,model,verdict,depth,operations,pending,processes,parts,concurrency,concurrent_pairs,"
      "family_1,family_2\n-,0,queue,violation,,1,0,1,1,1,0,1,1\n");
}

TEST(Depth, OfManyHistoriesInTablesAndAPlot) {
  const Folder folder;
  const std::string file = folder.write("both.jsonl", kOverlapping + kWrong);
  const std::string plot = folder.path("depth.svg");
  const Ran ran = run({"depth", file, "-o", plot});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("queue                              2"));
  EXPECT_THAT(ran.out, HasSubstr("1 of 1  100.0 %"));
  std::ifstream in(plot);
  std::stringstream svg;
  svg << in.rdbuf();
  EXPECT_THAT(svg.str(), HasSubstr("<svg"));
  EXPECT_THAT(svg.str(), HasSubstr(">queue</text>"));
}

TEST(Depth, SaysWhatItCannotRead) {
  EXPECT_EQ(run({"depth", "no-such-file"}).status, 2);
  EXPECT_EQ(run({"depth", "-"}, {.input = operation(0, "enqueue", "1", "null", 0, 10)}).status, 2);
}

}  // namespace
}  // namespace plumb::test
