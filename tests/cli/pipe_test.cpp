// A reader that went away, as in `plumb … | head`, ends the command in silence; an input
// without operations is told.
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command.hpp"
#include "paths.hpp"

namespace plumb::test {
namespace {

using testing::HasSubstr;

// What a command line of bash says on standard error when nobody reads its standard output, and its status.
// The reader is gone for sure: it is waited for.
std::string unread(const std::string& command) {
  const Folder folder;
  const std::string err = folder.path("err");
  const std::string script = folder.write("script", "exec 3> >(:)\nwait $!\n" + command + " >&3 2>" + err +
                                                        "\necho \"status $?\" >>" + err + "\n");
  EXPECT_EQ(std::system(("bash " + script).c_str()), 0);  // NOLINT(concurrency-mt-unsafe)
  return read_whole(err);
}

constexpr std::string_view kKilled = "status 141\n";  // by SIGPIPE, as other commands

TEST(Unread, EveryVerbEndsInSilence) {
  const Folder folder;
  const std::string good = folder.write("good.jsonl", operation(0, "enqueue", "1", "null", 0, 1));
  const std::string cert = folder.path("cert");
  ASSERT_EQ(run({"check", good, "-m", "queue", "--certificate", cert}).status, 0);
  for (const std::string& arguments :
       {"check -m queue " + good, "check --json -m queue " + good, "explain -m queue " + good,
        "depth -m queue " + good, "verify -m queue " + good + " " + cert, "convert " + good + " - --to edn",
        std::string("generate -n 20"), "watch -m queue " + good, std::string("models"), std::string("--help"),
        std::string("check --help"), std::string("--version"), std::string("--completion bash")})
    EXPECT_THAT(unread(PLUMB_COMMAND " " + arguments), testing::EndsWith(kKilled)) << arguments;
  // Nothing but what the verb says on standard error anyway.
  EXPECT_EQ(unread(PLUMB_COMMAND " check -m queue " + good), kKilled);
  EXPECT_EQ(unread(PLUMB_COMMAND " generate -n 100000"), kKilled);
  EXPECT_EQ(unread(PLUMB_COMMAND " convert " + good + " - --to hist"), kKilled);
}

// Whoever started it may ignore the signal; that is nobody's wish.
TEST(Unread, AlsoWhereTheSignalWasIgnored) {
  EXPECT_EQ(unread("(trap '' PIPE; exec " PLUMB_COMMAND " generate -n 20)"), kKilled);
}

#ifdef PLUMB_EXAMPLE_PROGRAMS
TEST(Unread, ATestProgramEndsInSilence) {
  for (const std::string arguments : {"", " --json", " --help", " --mode stress --seconds 1"}) {
    const Folder folder;  // for the round that fails
    const std::string said =
        unread("cd " + folder.path("") + "; " PLUMB_EXAMPLE_PROGRAMS "/queue_test" + arguments);
    EXPECT_EQ(said.find_first_not_of("status 0123456789\n"), std::string::npos) << said;
  }
}
#endif

TEST(NoOperations, AreToldOnStandardError) {
  const Folder folder;
  const std::string empty = folder.write("empty.jsonl", "");
  const std::string header = folder.write("header.jsonl", "{\"plumb\":1,\"model\":\"queue\"}\n");
  const std::string cert = folder.path("cert");
  const Ran checked = run({"check", empty, "-m", "queue", "--certificate", cert});
  EXPECT_EQ(checked.status, 0);
  EXPECT_THAT(checked.out, HasSubstr("linearizable"));
  EXPECT_EQ(checked.err, empty + ": no operations\n");
  EXPECT_EQ(run({"check", header}).err, header + ": no operations\n");
  EXPECT_EQ(run({"check", "-", "-m", "queue"}).err, "-: no operations\n");
  EXPECT_EQ(run({"check", "-", "-m", "queue", "--json"}).err, "-: no operations\n");
  EXPECT_EQ(run({"explain", empty, "-m", "queue"}).err, empty + ": no operations\n");
  EXPECT_EQ(run({"report", empty, "-m", "queue", "-o", folder.path("out.svg")}).err,
            empty + ": no operations\n");
  EXPECT_EQ(run({"depth", empty, "-m", "queue"}).err, empty + ": no operations\n");
  EXPECT_EQ(run({"verify", empty, cert}).err, empty + ": no operations\n");
  EXPECT_EQ(run({"convert", empty, folder.path("out.edn")}).err, empty + ": no operations\n");
  EXPECT_EQ(run({"watch", "-m", "queue"}).err, "-: no operations\n");
}

TEST(NoOperations, OfOneHistoryAmongOthers) {
  const Folder folder;
  const std::string file =
      folder.write("some.jsonl", "{\"plumb\":1,\"model\":\"queue\"}\n{\"plumb\":1,\"model\":\"queue\"}\n" +
                                     operation(0, "enqueue", "1", "null", 0, 1));
  EXPECT_EQ(run({"check", file}).err, file + ", history 0: no operations\n");
  EXPECT_EQ(
      run({"check", folder.write("one.jsonl", operation(0, "enqueue", "1", "null", 0, 1)), "-m", "queue"})
          .err,
      "");
}

// What watch reads line by line has the same numbers as a file: these two were 0, and equal.
TEST(Numbers, OfManyDigitsAreWatched) {
  const auto event = [](std::string_view type, std::string_view f, std::string_view value) {
    return "{\"process\":0,\"type\":\"" + std::string(type) + "\",\"f\":\"" + std::string(f) +
           "\",\"value\":" + std::string(value) + "}\n";
  };
  const std::string write = event("invoke", "write", "3.141592653589793238462643") +
                            event("ok", "write", "3.141592653589793238462643") +
                            event("invoke", "read", "null");
  EXPECT_EQ(
      run({"watch", "-m", "register"}, {.input = write + event("ok", "read", "3.141592653589793")}).status,
      0);
  EXPECT_EQ(
      run({"watch", "-m", "register"}, {.input = write + event("ok", "read", "2.718281828459045235360287")})
          .status,
      1);
}

}  // namespace
}  // namespace plumb::test
