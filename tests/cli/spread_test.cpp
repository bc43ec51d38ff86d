// A process that checks for others decides parts of the history that it was asked about, and of no
// other: files may change.
#include "cli/spread_worker.hpp"

#include <gtest/gtest.h>

#include <plumb/files.hpp>

#include "base/message.hpp"
#include "cli/command.hpp"

namespace plumb::test {
namespace {

using cli::SpreadRequest;

std::string two_keys(int operations) {
  std::string text = "{\"plumb\":1,\"model\":\"map\"}\n";
  for (int i = 0; i < operations; ++i)
    text += operation(0, "put", std::to_string(i % 2) + ",1", "null", 10 * i, 10 * i + 1);
  return text;
}

TEST(SpreadWorker, DecidesPartsOfTheVeryHistory) {
  const Folder folder;
  const std::string path = folder.write("map.jsonl", two_keys(4));
  const Model& model = *find_model("map").value();
  const cli::Options options;
  cli::SpreadWorker worker(options, options.check, &model, "here");
  ASSERT_NE(worker.answer(SpreadRequest{.path = path}.message()), "");  // it has read it now

  folder.write("map.jsonl", two_keys(7));
  const auto now = read_histories(path);
  ASSERT_TRUE(now.ok());
  SpreadRequest request{.kind = SpreadRequest::Kind::kParts, .path = path};
  request.tasks = {{.rank = 0, .events = 8, .configurations = SearchLimits::kNoLimit}};
  request.digest = *digest_of(now->front(), model);
  const std::string answer = worker.answer(request.message());
  const auto verdict = verdict_from(MessageReader(answer).text());
  ASSERT_TRUE(verdict.has_value());
  EXPECT_EQ(verdict->outcome, Outcome::kHolds);
  EXPECT_EQ(verdict->linearization.size(), 4U) << "of the file as it was";

  ++request.digest.low;
  EXPECT_EQ(worker.answer(request.message()), "") << "of another history";
}

}  // namespace
}  // namespace plumb::test
