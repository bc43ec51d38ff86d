// Reports of etcd's robustness tests: requests and responses as calls and results, of the forms that etcd has written since 2023.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <plumb/check.hpp>
#include <plumb/files.hpp>

#include "support/parsing.hpp"

namespace plumb {
namespace {

std::string operation(const std::string& input, const std::string& output, int client = 3, int call = 0,
                      int ret = 10) {
  return R"({"ClientId":)" + std::to_string(client) + R"(,"Input":)" + input + R"(,"Call":)" +
         std::to_string(call) + R"(,"Output":)" + output + R"(,"Return":)" + std::to_string(ret) + "}\n";
}
std::string request(const std::string& type, const std::string& member, const std::string& content) {
  std::string text = R"({"Type":")" + type + "\"";
  for (const char* name : {"LeaseGrant", "LeaseRevoke", "Range", "Txn", "Defragment", "Compact"})
    text += std::string(",\"") + name + "\":" + (name == member ? content : "null");
  return text + "}";
}
std::string response(const std::string& member, const std::string& content, const std::string& more) {
  return "{\"" + member + "\":" + content + "," + more + "}";
}
std::string range(const std::string& content) { return request("range", "Range", content); }
std::string txn(const std::string& conditions, const std::string& success, const std::string& failure) {
  return request("txn", "Txn",
                 R"({"Conditions":)" + conditions + R"(,"OperationsOnSuccess":)" + success +
                     R"(,"OperationsOnFailure":)" + failure + "}");
}
std::string put(const std::string& key, const std::string& value, int lease = 0) {
  return R"({"Type":"put-operation","Range":{"Start":"","End":"","Limit":0},"Put":{"Key":")" + key +
         R"(","Value":{"Value":")" + value + R"(","Hash":0},"LeaseID":)" + std::to_string(lease) +
         R"(},"Delete":{"Key":""}})";
}
const std::string kRead = R"({"Type":"range-operation","Range":{"Start":"a"},"Put":{},"Delete":{}})";
const std::string kErase = R"({"Type":"delete-operation","Range":{},"Put":{},"Delete":{"Key":"a"}})";

std::string described(const std::string& input, const std::string& output) {
  return parsed_one(operation(input, output), "etcd").describe(0);
}

TEST(EtcdReport, RequestsAndResponses) {
  const std::string found =
      R"({"KVs":[{"Key":"a","Value":{"Value":"1"},"ModRevision":2,"Version":1}],"Count":1})";
  EXPECT_EQ(described(range(R"({"Start":"a","End":"","Limit":0,"Revision":0})"),
                      response("Range", found, R"("Revision":5)")),
            R"(process 3: range("a") -> [5,[1,[["a","1",2,1]]]])");
  EXPECT_EQ(described(range(R"({"Start":"a","End":"b","Limit":10,"Revision":4})"),
                      response("Range", R"({"KVs":null,"Count":0})", R"("Revision":5)")),
            R"(process 3: range("a", "b", 10, false, 4) -> [5,[0,[]]])");
  EXPECT_EQ(
      described(range(R"({"Start":"a","End":"b","KeysOnly":true})"),
                response("Range", R"({"KVs":[{"Key":"a","ModRevision":2}],"Count":1})", R"("Revision":5)")),
      R"(process 3: range("a", "b", 0, true) -> [5,[1,[["a",null,2]]]])");
  const std::string done = R"({"Failure":false,"Results":[{"KVs":null,"Count":0,"Deleted":0}]})";
  EXPECT_EQ(
      described(txn("null", "[" + put("a", "x") + "]", "null"), response("Txn", done, R"("Revision":6)")),
      R"(process 3: put("a", "x") -> 6)");
  EXPECT_EQ(
      described(txn("null", "[" + put("a", "x", 7) + "]", "[]"), response("Txn", done, R"("Revision":6)")),
      R"(process 3: put("a", "x", 7) -> 6)");
  EXPECT_EQ(described(txn("[]", "[" + kErase + "]", "[]"),
                      response("Txn", R"({"Results":[{"Deleted":1}]})", R"("Revision":6)")),
            R"(process 3: delete("a") -> [6,1])");
  EXPECT_EQ(described(txn("[]", "[" + kErase + "]", "[]"),
                      response("Txn", R"({"Results":[{"Deleted":0}]})", R"("Revision":6)")),
            R"x(process 3: read_txn([], [["delete","a"]], []) -> [6,true,[0]])x");
  const std::string compares =
      txn(R"([{"Key":"a","ExpectedRevision":4}])", "[" + put("a", "x") + "]", "[" + kRead + "]");
  EXPECT_EQ(described(compares, response("Txn", done, R"("Revision":6)")),
            R"x(process 3: txn([["mod","a",4]], [["put","a","x"]], [["range","a"]]) -> [6,true,[null]])x");
  EXPECT_EQ(
      described(compares,
                response("Txn", R"({"Failure":true,"Results":[)" + found + "]}", R"("Revision":6)")),
      R"x(process 3: read_txn([["mod","a",4]], [["put","a","x"]], [["range","a"]]) -> [6,false,[[1,[["a","1",2,1]]]]])x");
  EXPECT_EQ(described(txn(R"([{"Key":"a","ExpectedVersion":2}])", "[" + kErase + "]", "[]"),
                      response("Txn", R"({"Results":[{"Deleted":1}]})", R"("Revision":6)")),
            R"x(process 3: txn([["version","a",2]], [["delete","a"]], []) -> [6,true,[1]])x");
  EXPECT_EQ(
      described(request("leaseGrant", "LeaseGrant", R"({"LeaseID":9})"), R"({"LeaseGrant":{},"Revision":2})"),
      "process 3: lease_grant(9) -> 2");
  EXPECT_EQ(described(request("leaseRevoke", "LeaseRevoke", R"({"LeaseID":9})"),
                      R"({"LeaseRevoke":{},"Revision":2})"),
            "process 3: lease_revoke(9) -> 2");
  EXPECT_EQ(described(request("compact", "Compact", R"({"Revision":9})"), R"({"Compact":{},"Revision":-1})"),
            "process 3: compact(9) -> true");
  EXPECT_EQ(described(request("compact", "Compact", R"({"Revision":9})"),
                      R"({"ClientError":"mvcc: required revision is a future revision"})"),
            R"(process 3: compact(9) -> "future")");
  EXPECT_EQ(described(request("defragment", "Defragment", "{}"), R"({"Defragment":{},"Revision":-1})"),
            "process 3: defragment() -> null");
}

// What was long is a hash in responses, and may be in requests.
TEST(EtcdReport, LongValuesAreHashes) {
  const std::string value = "a value of more than twenty bytes";
  const std::string done = R"({"Results":[{}]})";
  EXPECT_EQ(described(txn("[]", "[" + put("a", value) + "]", "[]"), response("Txn", done, R"("Revision":6)")),
            R"(process 3: put("a", 684236440) -> 6)");
  EXPECT_EQ(
      described(range(R"({"Start":"a"})"),
                response("Range", R"({"KVs":[{"Key":"a","Value":{"Hash":77},"ModRevision":2}],"Count":1})",
                         R"("Revision":5)")),
      R"(process 3: range("a") -> [5,[1,[["a",77,2]]]])");
}

TEST(EtcdReport, WhatNobodySawIsPending) {
  const std::string write = txn("[]", "[" + put("a", "x") + "]", "[]");
  EXPECT_EQ(described(write, R"({"Txn":null,"Revision":0,"Error":"context deadline exceeded"})"),
            R"(process 3: put("a", "x") -> (pending))");
  EXPECT_EQ(described(write, R"({"Persisted":true,"PersistedRevision":4})"),
            R"(process 3: put("a", "x") -> 4)");
  EXPECT_EQ(described(write, R"({"PartialResponse":true,"Revision":4})"), R"(process 3: put("a", "x") -> 4)");
  EXPECT_EQ(described(write, R"({"Persisted":true})"), R"(process 3: put("a", "x") -> null)");
  const History reads = parsed_one(operation(range(R"({"Start":"a"})"), R"({"Error":"timeout"})"), "etcd");
  EXPECT_EQ(reads.size(), 0U);
}

TEST(EtcdReport, GuessesNothing) {
  const auto wrong = [](const std::string& input, const std::string& output) {
    return fault(operation(input, output), "etcd");
  };
  const std::string ok = R"({"Revision":1})";
  EXPECT_TRUE(says(wrong(request("watch", "Range", "null"), ok), "1:1", "of the type 'watch'"));
  EXPECT_TRUE(says(wrong(range(R"({"Start":"a","Serializable":true})"), ok), "1:1",
                   "a member \"Serializable\" of a range"));
  EXPECT_TRUE(says(wrong(range(R"({"Start":"a"})"), ok), "1:1", "without \"Range\""));
  EXPECT_TRUE(
      says(wrong(range(R"({"Start":"a"})"), R"({"Range":{},"Leader":3})"), "1:1", "a member \"Leader\""));
  EXPECT_TRUE(says(wrong(txn("[]", "[" + kRead + "," + kRead + "]", "[]"), R"({"Txn":{"Results":[{}]}})"),
                   "1:1", "1 results of a transaction; expected 2"));
  EXPECT_TRUE(says(wrong(txn("[]", R"([{"Type":"swap"}])", "[]"), ok), "1:1", "of the type 'swap'"));
  EXPECT_TRUE(
      says(wrong(request("compact", "Compact", R"({"Revision":9})"), R"({"ClientError":"no leader"})"), "1:1",
           "the error 'no leader'"));
  EXPECT_TRUE(says(fault(R"({"Input":{},"Output":{}})", "etcd"), "1:1", "without \"ClientId\""));
  const auto lease = [](const char* type, const char* member, int call) {
    return operation(request(type, member, R"({"LeaseID":9})"), R"({"Revision":1})", 3, call, call + 5);
  };
  EXPECT_TRUE(
      says(fault(lease("leaseRevoke", "LeaseRevoke", 0) + lease("leaseGrant", "LeaseGrant", 10), "etcd"),
           "2:1", "lease 9 is granted after it was revoked"));
  EXPECT_EQ(parsed_one(lease("leaseGrant", "LeaseGrant", 0) + lease("leaseRevoke", "LeaseRevoke", 10), "etcd")
                .size(),
            2U);
}

// What a report is for: a read that came back with an older revision than a write before it.
TEST(EtcdReport, AFolderIsOneHistory) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / "etcd-report";
  const std::string write = operation(txn("[]", "[" + put("a", "1") + "]", "[]"),
                                      response("Txn", R"({"Results":[{}]})", R"("Revision":2)"), 1, 0, 10);
  const std::string read = operation(
      range(R"({"Start":"a"})"), response("Range", R"({"KVs":[],"Count":0})", R"("Revision":1)"), 2, 20, 30);
  for (const auto& [client, text] : {std::pair("client-1", write), std::pair("client-2", read)}) {
    fs::create_directories(folder / client);
    std::ofstream(folder / client / "operations.json") << text;
    std::ofstream(folder / client / "watch.json") << "{}";
  }
  const auto histories = read_histories(folder.string());
  ASSERT_TRUE(histories) << histories.error().text();
  ASSERT_EQ((*histories)[0].size(), 2U);
  EXPECT_EQ((*histories)[0].model(), "etcd");
  EXPECT_EQ((*histories)[0].place(0), Place{});  // a line of which file?
  EXPECT_EQ(check((*histories)[0], **find_model("etcd"), {})->outcome, Outcome::kViolation);
  std::ofstream(folder / "client-2" / "operations.json") << "{";
  const auto broken = read_histories(folder.string());
  ASSERT_FALSE(broken);
  EXPECT_NE(broken.error().file.find("client-2"), std::string::npos);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace plumb
