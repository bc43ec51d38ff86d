// `--spec` with a class that claims a family: the monitor decides; a claim that is wrong is a mistake of the input, status 2.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command.hpp"

namespace plumb::test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kHead = R"(
#include <plumb/object_model.hpp>
struct Jobs {
  std::deque<long> items;
  bool push(long job) { items.push_back(job); return true; }
  std::optional<long> pop() {
    if (items.empty()) return std::nullopt;
    const long first = items.front();
    items.pop_front();
    return first;
  }
  auto fields() const { return std::tie(items); }
  bool operator==(const Jobs&) const = default;
};
PLUMB_MODEL(Jobs, model) {
  model.operation("push", &Jobs::push);
  model.operation("pop", &Jobs::pop);
)";

TEST(ClaimedSpec, IsDecidedByTheMonitorOfItsFamily) {
  const Folder folder;
  const std::string spec =
      folder.write("jobs.cpp", std::string(kHead) + "  model.behaves_as(plumb::Family::kQueue);\n}\n");
  const std::string history =
      folder.write("run.jsonl",
                   R"({"process":0,"f":"push","args":[1],"result":true,"call":0,"return":1}
{"process":0,"f":"push","args":[2],"result":true,"call":2,"return":3}
{"process":0,"f":"pop","args":[],"result":2,"call":4,"return":5}
)");
  const auto checked = run({"check", history, "--spec", spec, "--json"});
  EXPECT_EQ(checked.status, 1);
  EXPECT_THAT(checked.out, HasSubstr("\"engine\":\"monitor\""));
  EXPECT_THAT(checked.out, HasSubstr("it behaves as a queue, and values are distinct"));
  EXPECT_THAT(run({"explain", history, "--spec", spec}).out,
              HasSubstr("1 was enqueued before 2 and had not been"));
}

TEST(ClaimedSpec, AWrongClaimIsStatusTwo) {
  const Folder folder;
  const std::string spec =
      folder.write("jobs.cpp", std::string(kHead) + "  model.behaves_as(plumb::Family::kStack);\n}\n");
  const std::string history =
      folder.write("run.jsonl", R"({"process":0,"f":"push","args":[1],"result":true,"call":0,"return":1})");
  const auto checked = run({"check", history, "--spec", spec});
  EXPECT_EQ(checked.status, 2);
  EXPECT_THAT(
      checked.err,
      HasSubstr(
          "the model 'Jobs' does not behave as a stack: after push(10), push(-1) 'pop' returns 10, that of "
          "a stack returns -1"));
  const auto watched = run({"watch", history, "--spec", spec});
  EXPECT_EQ(watched.status, 2);
}

}  // namespace
}  // namespace plumb::test
