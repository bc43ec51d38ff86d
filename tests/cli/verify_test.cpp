// plumb verify and check --certificate, run for real.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command.hpp"

namespace plumb::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

std::string generated(const Folder& folder, const std::string& name, std::vector<std::string> more) {
  std::vector<std::string> arguments = {"generate", "-n", "200", "-o", folder.path(name)};
  arguments.insert(arguments.end(), more.begin(), more.end());
  EXPECT_EQ(run(arguments).status, 0);
  return folder.path(name);
}

TEST(Verify, ProvesBothVerdicts) {
  const Folder folder;
  for (const char* model : {"queue", "set", "register", "mutex", "kv-append"}) {
    for (const bool spoil : {false, true}) {
      std::vector<std::string> more = {"-m", model};
      if (spoil) more.emplace_back("--spoil");
      const std::string file = generated(folder, "a.jsonl", more);
      const std::string proof = folder.path("a.cert.gz");
      EXPECT_EQ(run({"check", file, "-q", "--certificate", proof}).status, spoil ? 1 : 0);
      const Ran proved = run({"verify", file, proof});
      EXPECT_EQ(proved.status, 0) << model << proved.err;
      EXPECT_THAT(proved.out, HasSubstr(spoil ? "a.jsonl is not linearizable" : "a.jsonl is linearizable"));
    }
  }
}

TEST(Verify, AcceptsOnlyThisHistory) {
  const Folder folder;
  const std::string file = generated(folder, "a.jsonl", {"--seed", "1"});
  const std::string other = generated(folder, "b.jsonl", {"--seed", "2"});
  const std::string proof = folder.path("a.cert");
  ASSERT_EQ(run({"check", file, "--certificate", proof}).status, 0);
  const Ran ran = run({"verify", other, proof, "--json"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("\"proved\":false"));
  EXPECT_THAT(ran.out, HasSubstr("it is for another history"));
  EXPECT_EQ(run({"verify", other, proof, "-q"}).out, "");
}

// One certificate for each history of a run, in order.
TEST(Verify, TakesSeveralHistoriesInOrder) {
  const Folder folder;
  const std::string good = operation(0, "write", "1", "null", 0, 1);
  const std::string head = "{\"plumb\":1,\"model\":\"register\"}\n";
  const std::string file =
      folder.write("a.jsonl", head + good + head + good + operation(0, "read", "", "2", 2, 3) + head);
  const std::string proof = folder.path("a.cert");
  ASSERT_EQ(run({"check", file, "--certificate", proof}).status, 1);
  const Ran ran = run({"verify", file, proof});
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("history 1 is not linearizable"));
  const Ran fewer = run({"verify", folder.write("b.jsonl", head + good), proof});
  EXPECT_EQ(fewer.status, 1);
  EXPECT_THAT(fewer.out, HasSubstr("3 certificates, but 1 history"));
}

// A linearizable history of two objects, and a certificate that takes them for one.
TEST(Verify, ObjectsAreNotMixedUp) {
  const Folder folder;
  const std::string file = folder.write("a.jsonl",
                                        "{\"plumb\":1,\"model\":\"queue\"}\n"
                                        "{\"process\":0,\"object\":\"a\",\"f\":\"enqueue\",\"args\":[1],"
                                        "\"result\":null,\"call\":0,\"return\":1}\n"
                                        "{\"process\":0,\"object\":\"b\",\"f\":\"dequeue\",\"args\":[],"
                                        "\"result\":null,\"call\":2,\"return\":3}\n");
  const std::string genuine = run({"check", file, "-q", "--certificate", "-"}).out;
  const std::string claim = "\"verdict\":\"linearizable\",\"count\":2";
  const std::size_t at = genuine.find(claim);
  ASSERT_NE(at, std::string::npos) << genuine;
  for (const char* rules : {"", "\"cut\""}) {
    std::string forged = genuine;
    forged.replace(
        at, claim.size(),
        fmt::format("\"verdict\":\"violation\",\"count\":2,\"impossible\":1,\"rules\":[{}]", rules));
    const Ran ran = run({"verify", file, folder.write("a.cert", forged)});
    EXPECT_EQ(ran.status, 1) << forged;
    EXPECT_THAT(ran.out, HasSubstr("not proved"));
    EXPECT_THAT(ran.out, HasSubstr("several objects"));
  }
}

TEST(Verify, AnUnknownVerdictHasNoProof) {
  const Folder folder;
  const std::string file = folder.write("a.jsonl", hard_history());
  const std::string proof = folder.path("a.cert");
  ASSERT_EQ(run({"check", file, "-m", "register", "-e", "wgl", "-t", "0.05", "--certificate", proof}).status,
            3);
  const Ran ran = run({"verify", file, proof});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("'unknown', which has no proof"));
}

TEST(Verify, WhatIsNoCertificateIsAnInputError) {
  const Folder folder;
  const std::string file = generated(folder, "a.jsonl", {});
  const std::string proof = folder.path("a.cert");
  ASSERT_EQ(run({"check", file, "--certificate", proof}).status, 0);
  const std::string text = read_whole(proof);
  std::string noise(3'000'000, '\0');
  for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = static_cast<char>(i * i * 31 + i / 7);
  std::string of_a_set = text;
  of_a_set.replace(of_a_set.find("queue"), 5, "set");
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {text.substr(0, text.size() / 2), "cut off"},
      {noise, "not a certificate"},
      {"", "an empty certificate"},
      {of_a_set, "a certificate for the model 'set'"}};
  for (const auto& [content, message] : wrong) {
    const Ran ran = run({"verify", file, folder.write("b.cert", content)});
    EXPECT_EQ(ran.status, 2) << message;
    EXPECT_THAT(ran.out, IsEmpty());
    EXPECT_THAT(ran.err, HasSubstr(message));
    EXPECT_THAT(ran.err, HasSubstr("b.cert"));
  }
  EXPECT_EQ(run({"verify", file, folder.path("none")}).status, 2);
  EXPECT_EQ(run({"verify", folder.path("none"), proof}).status, 2);
  EXPECT_EQ(run({"check", file, "--certificate", folder.path("no/such/folder")}).status, 2);
}

}  // namespace
}  // namespace plumb::test
