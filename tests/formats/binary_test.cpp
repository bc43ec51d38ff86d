// The binary format: nothing is lost, nothing is larger than promised, and no file is believed.
#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "history/text.hpp"
#include "support/binary_seal.hpp"
#include "support/parsing.hpp"

namespace plumb {
namespace {

// Operations, several histories, every kind of value; times at the ends of what there is.
const std::string kSample = R"({"plumb":1,"model":"queue","initial":[1,{"a":"é"}],"id":"run 7"}
{"process":0,"f":"enq","args":[1,-2,1073741824,-9223372036854775808],"result":null,"call":-9223372036854775808,"return":9223372036854775806}
{"process":"p","f":"deq","args":[],"result":[[],{},"",{"b":1.5,"a":[true,false,null]}],"object":"o","call":5,"return":5}
{"process":5000000000,"f":"with space","args":["x"],"call":9223372036854775806,"return":null}
{"process":"p","f":"deq","args":[],"call":6,"return":9}
{"plumb":1}
{"plumb":1,"model":"empty"}
{"plumb":1}
{"process":3,"f":"deq","args":[],"result":{"b":1.5,"a":["x",1e300]},"call":0,"return":1}
)";

std::string as_jsonl(std::span<const History> histories) { return formatted(histories, "jsonl"); }

// A queue: distinct values, eight processes.
History queue(std::size_t operations, Time tick, std::int64_t first_value) {
  HistoryBuilder builder;
  Rng rng(1);
  const FunctionId enqueue = builder.function("enqueue");
  const FunctionId dequeue = builder.function("dequeue");
  Time now = 0;
  std::vector<Time> free(8);
  for (std::size_t i = 0; i < operations; ++i) {
    const std::size_t process = rng.below(8);
    now = std::max(now, free[process]) + 1 + static_cast<Time>(rng.below(static_cast<std::uint64_t>(tick)));
    const Value value = builder.values().integer(first_value + static_cast<std::int64_t>(i / 2));
    const Time ret = now + static_cast<Time>(rng.below(static_cast<std::uint64_t>(4 * tick)));
    const bool inserts = i % 2 == 0;
    builder.add(Value::small(static_cast<std::int64_t>(process)), inserts ? enqueue : dequeue,
                {&value, inserts ? 1U : 0U}, {inserts ? kNull : value, true}, now, ret);
    free[process] = ret;
  }
  auto history = builder.finish();
  EXPECT_TRUE(history.ok()) << history.error().text();
  return std::move(*history);
}

TEST(Binary, KeepsEverything) {
  const auto histories = parsed(kSample);
  ASSERT_EQ(histories.size(), 4U);
  const std::string bytes = formatted(histories, "binary");
  const auto again = parsed(bytes);
  ASSERT_EQ(again.size(), 4U);
  EXPECT_EQ(as_jsonl(again), as_jsonl(histories));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(essence(again[i]), essence(histories[i]));
  EXPECT_EQ(formatted(again, "binary"), bytes);
  EXPECT_EQ(again[0].place(0), Place{});
}

TEST(Binary, FilesOneAfterTheOtherAreOneFile) {
  const auto histories = parsed(kSample);
  const std::string bytes = formatted(histories, "binary");
  EXPECT_EQ(as_jsonl(parsed(bytes + bytes)), as_jsonl(histories) + as_jsonl(histories));
}

TEST(Binary, OperationsThatDidNotHappenLeaveNoArguments) {
  const auto histories = parsed(R"([{"process":0,"type":"invoke","f":"write","value":1},
    {"process":1,"type":"invoke","f":"write","value":2},{"process":0,"type":"fail","f":"write","value":1},
    {"process":1,"type":"ok","f":"write","value":2},{"process":1,"type":"invoke","f":"write","value":3}])");
  EXPECT_EQ(as_jsonl(parsed(formatted(histories, "binary"))), as_jsonl(histories));
}

TEST(Binary, ManyBlocks) {
  const History history = queue(100'000, 50, 0);
  EXPECT_EQ(as_jsonl(parsed(formatted(history, "binary"))), as_jsonl({&history, 1}));
}

// The promise is 24; the times in nanoseconds and large integers are what comes near it.
TEST(Binary, IntegersTakeAtMost24BytesAnOperation) {
  constexpr std::size_t kOperations = 100'000;
  const auto bytes = [](const History& history) {
    return static_cast<double>(formatted(history, "binary").size()) / kOperations;
  };
  EXPECT_LT(bytes(queue(kOperations, 1, 0)), 10);
  EXPECT_LT(bytes(queue(kOperations, 1000, 0)), 12);
  EXPECT_LT(bytes(queue(kOperations, 1'000'000'000'000, 0)), 20);
  EXPECT_LT(bytes(queue(kOperations, 1'000'000'000'000, std::int64_t{1} << 50)), 24);
  EXPECT_LT(bytes(queue(kOperations, Time{1} << 44, 0)), 24);
}

// Every byte is under a checksum.
TEST(BinaryDamage, EveryChangedByteIsFound) {
  const auto histories = parsed(kSample);
  const std::string bytes = formatted(histories, "binary");
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const int change : {0x01, 0x80, 0xFF}) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(changed[i] ^ change);
      ASSERT_NE(fault(changed, "binary"), "no fault") << i;
    }
  }
}

// The same where the checksums were made to fit: some changes give another history, none does harm.
TEST(BinaryDamage, NoForgedFileDoesHarm) {
  const std::string bytes = formatted(parsed(kSample), "binary");
  Rng rng(5);
  std::size_t accepted = 0;
  for (std::size_t i = 0; i < 8 * bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i / 8] = static_cast<char>(rng.next());
    if (rng.chance(0.3)) changed[rng.below(changed.size())] = static_cast<char>(rng.next());
    if (rng.chance(0.3)) changed[rng.below(changed.size() / 8) * 8] = '\xFF';
    seal(changed);
    const auto histories = parse_histories(changed, "binary");
    if (!histories) continue;
    ++accepted;
    const auto again = parse_histories(as_jsonl(*histories), "jsonl");
    ASSERT_TRUE(again.ok()) << again.error().text();
  }
  EXPECT_GT(accepted, 0U);
}

TEST(BinaryDamage, EveryCutIsFound) {
  const auto histories = parsed(kSample);
  const std::string bytes = formatted(histories, "binary");
  std::size_t whole = 0;
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    const auto part = parse_histories(bytes.substr(0, size), "binary");
    if (part) {  // between two histories
      ++whole;
      ASSERT_LT(part->size(), histories.size());
      continue;
    }
    ASSERT_NE(part.error().message.find("cut off"), std::string::npos) << part.error().text();
  }
  EXPECT_EQ(whole, 3U);
}

TEST(BinaryDamage, ACutSaysHowMuchIsWhole) {
  const std::string bytes = formatted(queue(100'000, 5, 0), "binary");
  const std::string said = fault(bytes.substr(0, bytes.size() - 1000));
  EXPECT_NE(said.find("98304 operations before that are whole"), std::string::npos) << said;
}

TEST(BinaryDamage, AnotherVersionIsSaidToBeOne) {
  std::string bytes = formatted(parsed(kSample), "binary");
  bytes[8] = 2;
  EXPECT_NE(fault(bytes).find("version 2 of the format; expected version 1"), std::string::npos);
}

TEST(BinaryDamage, HugeNumbersTakeNoMemory) {
  const std::string bytes = formatted(parsed(kSample), "binary");
  // In the header: size of the body, operations, arguments. In descriptors: base, count, offset.
  for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    for (const std::uint64_t number : {~std::uint64_t{0}, std::uint64_t{1} << 62U, std::uint64_t{1} << 40U,
                                       std::uint64_t{1} << 31U, std::uint64_t{1} << 24U}) {
      std::string changed = bytes;
      store_little(number, changed.data() + at);
      seal(changed);
      const auto histories = parse_histories(changed, "binary");
      if (histories) continue;
      ASSERT_EQ(histories.error().message.find("not enough memory"), std::string::npos);
    }
  }
}

// [[[…]]] of two each: small as shared values, astronomical in writing.
TEST(BinaryDamage, ValuesThatExplodeAreRefused) {
  HistoryBuilder builder;
  Value v = kNull;
  for (int i = 0; i < 60; ++i) {
    const std::array two = {v, v};
    v = builder.values().array(two);
  }
  builder.set_initial(v);
  const auto history = builder.finish();
  EXPECT_NE(fault(formatted(*history, "binary")).find("too large"), std::string::npos);
}

TEST(BinaryDamage, OperationsAreNamedByNumber) {
  // The return of the first operation of process 0, moved behind the call of its second.
  const auto histories = parsed(R"({"process":0,"f":"a","call":0,"return":5}
{"process":0,"f":"b","call":5,"return":6})");
  std::string bytes = formatted(histories, "binary");
  bool found = false;
  for (std::size_t i = 0; i < bytes.size() && !found; ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] + 1);
    seal(changed);
    const std::string said = fault(changed, "binary");
    found = said.find("operation 1: process 0 calls 'b' at") != std::string::npos &&
            said.find("while its 'a' (operation 0) is running") != std::string::npos;
  }
  EXPECT_TRUE(found);
}

TEST(BinaryWriting, WhatCouldNotBeReadAgainIsRefused) {
  HistoryBuilder deep;
  Value v = kNull;
  for (unsigned i = 0; i < kMaxDepth + 1; ++i) v = deep.values().array({&v, 1});
  deep.set_initial(v);
  const auto nested = deep.finish();
  EXPECT_FALSE(format_histories({&*nested, 1}, "binary").ok());

  HistoryBuilder builder;
  builder.add(kTrue, builder.function("f"), {}, {}, 0, 1);
  const auto odd = builder.finish();
  EXPECT_FALSE(format_histories({&*odd, 1}, "binary").ok());
}

}  // namespace
}  // namespace plumb
