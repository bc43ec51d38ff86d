// --relax on the command line: what it takes, what it says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command.hpp"
#include "paths.hpp"
#include "report/renderers.hpp"

namespace plumb::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kFile = std::string(PLUMB_SOURCE_DIR) + "/examples/relaxed/k-fifo.jsonl";

TEST(Relax, StatusAndJson) {
  EXPECT_EQ(run({"check", kFile}).status, 1);
  EXPECT_EQ(run({"check", kFile, "--relax", "dequeue=1"}).status, 1);
  const Ran fixed = run({"check", kFile, "--relax", "deq=2", "--json"});
  EXPECT_EQ(fixed.status, 0);
  EXPECT_THAT(fixed.out, HasSubstr(R"("verdict":"linearizable")"));
  EXPECT_THAT(fixed.out, HasSubstr(R"("relax":{"dequeue":2})"));
  const Ran found = run({"check", kFile, "--relax", "dequeue=?", "--json"});
  EXPECT_EQ(found.status, 0);
  EXPECT_THAT(found.out, HasSubstr(R"("relax":{"dequeue":2})"));
  const Ran none = run({"check", kFile, "--relax", "dequeue=?", "--max-k", "1", "--json"});
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.out, HasSubstr(R"("verdict":"violation")"));
  EXPECT_THAT(none.out, Not(HasSubstr(R"("relax")")));
  EXPECT_EQ(run({"check", kFile, "--relax", "dequeue=1", "--relax", "enqueue=1"}).status, 0);
  EXPECT_EQ(run({"check", kFile, "--relax", "dequeue=1,enqueue=1"}).status, 0);
}

TEST(Relax, EveryEngine) {
  for (const char* engine : {"auto", "wgl", "brute"}) {
    EXPECT_EQ(run({"check", kFile, "--relax", "dequeue=2", "--engine", engine}).status, 0) << engine;
    EXPECT_EQ(run({"check", kFile, "--relax", "dequeue=1", "--engine", engine}).status, 1) << engine;
  }
  EXPECT_EQ(run({"check", kFile, "--relax", "dequeue=2", "--engine", "monitor"}).status, 3);
}

TEST(Relax, BadInput) {
  for (const char* wrong :
       {"foo=2", "dequeue", "dequeue=", "=2", "dequeue=-1", "dequeue=1.5", "dequeue=99999999999", "dequeue=x",
        "", "dequeue=1,", ",dequeue=1", "deq=1,pop=2"}) {
    const Ran ran = run({"check", kFile, "--relax", wrong});
    EXPECT_EQ(ran.status, 2) << wrong;
    EXPECT_EQ(ran.out, "") << wrong;
    EXPECT_THAT(ran.err, HasSubstr("relax")) << wrong;
  }
  EXPECT_EQ(run({"check", kFile, "--relax", "dequeue=?", "--max-k", "-1"}).status, 2);
}

TEST(Relax, ReportsOfEveryFormat) {
  const Folder folder;
  for (const char* relax : {"dequeue=2", "dequeue=1"}) {
    for (const Renderer& renderer : kRenderers) {
      const std::string name = "a" + std::string(renderer.ending);
      const int status = run({"report", kFile, "-q", "--relax", relax, "-o", folder.path(name)}).status;
      EXPECT_EQ(status, relax == std::string("dequeue=2") ? 0 : 1) << name;
    }
  }
  EXPECT_THAT(run({"explain", kFile, "--relax", "dequeue=1"}).out, HasSubstr("would be accepted"));
}

TEST(Relax, CertificatesAreProved) {
  const Folder folder;
  for (const char* relax : {"dequeue=2", "dequeue=1", "dequeue=?", "dequeue=0"}) {
    const std::string proof = folder.path("proof");
    run({"check", kFile, "-q", "--relax", relax, "--certificate", proof});
    EXPECT_EQ(run({"verify", kFile, proof}).status, 0) << relax;
  }
}

}  // namespace
}  // namespace plumb::test
