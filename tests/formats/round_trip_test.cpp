// Whatever a history holds, the formats that can hold it give it back; and no text, however spoiled, brings
// one down.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/rng.hpp"
#include "support/binary_seal.hpp"
#include "support/parsing.hpp"

namespace plumb {
namespace {

const std::vector<std::string> kFunctions = {"read", "write",  "cas",           "txn",        "put",
                                             "get",  "append", "put_if_absent", "add",        "remove",
                                             "push", "pop",    ":odd",          "with space", "é"};

Value random_value(Rng& rng, Values& values, int depth = 0) {
  static const std::vector<std::string> kStrings = {
      "",  "a",  ":x", ":", ":x y", "\"\\", "\n\t", "é😀", "nil", "5", "a,b", std::string("\0\x7F", 2),
      "[", "#_", "1/2"};
  switch (rng.below(depth < 3 ? 9 : 7)) {
    case 0:
      return kNull;
    case 1:
      return Value::boolean(rng.chance(0.5));
    case 2:
      return values.integer(static_cast<std::int64_t>(rng.below(5)));
    case 3:
      return values.integer(static_cast<std::int64_t>(rng.next()));
    case 4:
      return values.real(static_cast<double>(rng.next()) / 1024.0);
    case 5:
    case 6:
      return values.string(kStrings[rng.below(kStrings.size())]);
    case 7: {
      std::vector<Value> items(rng.below(4));
      for (Value& item : items) item = random_value(rng, values, depth + 1);
      return values.array(items);
    }
    default: {
      std::vector<Member> members(rng.below(3));
      for (Member& member : members) {
        member = {values.string(kStrings[rng.below(kStrings.size())]), random_value(rng, values, depth + 1)};
      }
      return values.object(members);
    }
  }
}

// Processes take turns at random; a process whose operation is pending is replaced by a new one.
History random_history(Rng& rng, bool plain) {
  HistoryBuilder builder;
  Values& values = builder.values();
  const auto value = [&] {
    return plain ? values.integer(static_cast<std::int64_t>(rng.below(9))) : random_value(rng, values);
  };
  std::vector<std::int64_t> processes = {0, 1, 2};
  std::vector<Time> free = {0, 0, 0};
  for (std::size_t i = rng.below(12); i > 0; --i) {
    const std::size_t p = rng.below(processes.size());
    const FunctionId function = builder.function(plain ? (rng.chance(0.5) ? "push" : "pop")
                                                       : kFunctions[rng.below(kFunctions.size())]);
    const bool insertion = plain && function == builder.function("push");
    std::vector<Value> args(plain ? (insertion ? 1 : 0) : rng.below(4));
    for (Value& arg : args) arg = value();
    const bool pending = rng.chance(0.1);
    HistoryBuilder::Completed completed{insertion ? kNull : value(), plain || rng.chance(0.8)};
    if (!completed.has_result || pending) completed = {kNull, false};
    const Time call = free[p] + static_cast<Time>(rng.below(4));
    const Time ret = pending ? kNever : call + static_cast<Time>(rng.below(6));
    const OperationId op = builder.add(values.integer(processes[p]), function, args, completed, call, ret);
    if (!plain && rng.chance(0.1)) builder.set_object(op, value());
    free[p] = pending ? call : ret + 1;
    if (pending) processes[p] += 3;
  }
  if (rng.chance(0.3)) builder.set_model(plain ? "stack" : "some model");
  if (!plain && rng.chance(0.3)) builder.set_initial(value());
  if (rng.chance(0.3)) builder.set_name("history 7");
  auto history = builder.finish();
  EXPECT_TRUE(history.ok());
  return std::move(*history);
}

void expect_round_trip(std::span<const History> histories, const char* format) {
  const std::string text = formatted(histories, format);
  const auto again = parsed(text, format);
  RC_ASSERT(again.size() == histories.size());
  for (std::size_t i = 0; i < again.size(); ++i) RC_ASSERT(essence(again[i]) == essence(histories[i]));
}

RC_GTEST_PROP(RoundTrip, AnyHistoryThroughTheFormatsThatHoldAll, (std::uint64_t seed)) {
  Rng rng(seed);
  std::vector<History> histories;
  for (std::size_t i = 1 + rng.below(3); i > 0; --i) histories.push_back(random_history(rng, false));
  for (const char* format : {"jsonl", "events", "edn", "binary", "csv"}) expect_round_trip(histories, format);
  const auto again = parsed(formatted(histories, "binary"));
  RC_ASSERT(formatted(again, "jsonl") == formatted(histories, "jsonl"));  // times too
  RC_ASSERT(formatted(parsed(formatted(histories, "csv")), "jsonl") == formatted(histories, "jsonl"));
}

RC_GTEST_PROP(RoundTrip, PlainHistoriesThroughHist, (std::uint64_t seed)) {
  Rng rng(seed);
  const History history = random_history(rng, true);
  for (const char* format : {"jsonl", "events", "edn", "hist", "csv"})
    expect_round_trip({&history, 1}, format);
}

TEST(RoundTrip, TimesAreKeptByTheNativeFormat) {
  const std::string text = R"({"process":0,"f":"a","args":[],"call":-5,"return":10}
{"process":1,"f":"b","args":[1.5,"x"],"result":{"k":[null]},"object":"o","call":10,"return":10}
{"process":"p","f":"c","args":[],"call":0,"return":null}
)";
  EXPECT_EQ(formatted(parsed_one(text), "jsonl"), text);
}

TEST(RoundTrip, WhatNoOrderOfEventsCanSayIsRefused) {
  const auto histories = parsed(R"({"process":0,"f":"a","call":0,"return":5}
{"process":0,"f":"b","call":5,"return":6})");
  for (const char* format : {"events", "edn", "hist"}) {
    const auto text = format_histories(histories, format);
    ASSERT_FALSE(text.ok());
    EXPECT_NE(text.error().message.find("operation 1"), std::string::npos);
  }
}

// Spoiled texts: bytes changed, dropped, doubled, and pieces of other texts put in.
TEST(Mutation, NoTextBringsACodecDown) {
  std::vector<std::string> seeds = {
      R"({"plumb":1,"model":"queue"})"
      "\n"
      R"({"process":0,"f":"enq","args":[1,"a\u00e9"],"result":null,"call":0,"return":5,"id":1})"
      "\n",
      R"({"id":"x","history":[{"process":0,"f":"r","args":[],"result":{"a":1e5},"call":0,"return":1}]})",
      R"([{"process":0,"type":"invoke","f":"cas","value":[1,2]},{"process":0,"type":"ok","f":"cas","value":[1,2]}])",
      "[{:process 0, :type :invoke, :f :txn, :value [[:r :x nil] #{1 2} \\a 1/2 \"s\\n\"]} #_x {:process 0 "
      ":type :ok}]",
      "INFO  jepsen.util - 2\t:invoke\t:write\t4\nINFO  jepsen.util - 2\t:ok\t:write\t4\n",
      "# @object atomic-queue\n[1] call add(?<1,2>)\n[1] return\n[2] call remove\n[2] return empty\n",
      R"({"schema":{"class":"a.B","arguments":[1]},"events":[{"kind":"call","sid":0,"invocation":{"id":0,"method":{"name":"m"},"arguments":[1]}},{"kind":"return","sid":0,"invocation":{"id":0},"value":"1"}]})",
      "#{\"plumb\":1,\"model\":\"queue\"}\nprocess,f,args,result,call,return\n0,enqueue,\"[1,\"\"a\"\"]\",,0,"
      "5\n1,dequeue,,null,2,\n",
      R"([{"ClientId":0,"Input":{"op":"put","key":"x","value":"1"},"Call":0,"Output":{"ok":true},"Return":10}])",
      R"([{"ClientId":0,"Kind":false,"Value":["write",3],"Id":0},{"ClientId":0,"Kind":true,"Value":{},"Id":0}])",
      "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[\n{\"spanId\":\"a\",\"name\":\"write\","
      "\"startTimeUnixNano\":\"1\",\"endTimeUnixNano\":\"5\","
      "\"attributes\":[{\"key\":\"plumb.args\",\"value\":{\"arrayValue\":{\"values\":[{\"intValue\":\"3\"}]}}"
      "}]}]}]}]}",
      "{:process 0, :type :invoke, :f :txn, :value [[:w :x 3]]} {:process 0, :type :ok, :f :txn, :value [[:w "
      ":x 3]]}",
  };
  seeds.push_back(formatted(parsed(seeds[0]), "binary"));
  Rng rng(20'240'607);
  for (int round = 0; round < 30'000; ++round) {
    std::string text = seeds[rng.below(seeds.size())];
    for (std::size_t changes = 1 + rng.below(4); changes > 0 && !text.empty(); --changes) {
      const std::size_t at = rng.below(text.size());
      const std::string& other = seeds[rng.below(seeds.size())];
      switch (rng.below(5)) {
        case 0:
          text[at] = static_cast<char>(rng.next());
          break;
        case 1:
          text.erase(at, 1 + rng.below(8));
          break;
        case 2:
          text.insert(at, text.substr(rng.below(text.size()), rng.below(20)));
          break;
        case 3:
          text.insert(at, other.substr(rng.below(other.size()), rng.below(20)));
          break;
        default:
          text.resize(at);
          break;
      }
    }
    if (rng.chance(0.5) && text.starts_with(kBinaryMagic)) seal(text);
    for (const FormatInfo& format : history_formats()) {
      const auto histories = parse_histories(text, format.name);
      if (!histories) {
        ASSERT_FALSE(histories.error().message.empty());
        continue;
      }
      const auto again = parse_histories(*format_histories(*histories, "jsonl"), "jsonl");
      ASSERT_TRUE(again.ok()) << again.error().text() << " of " << text;
    }
    (void)parse_histories(text);
  }
}

}  // namespace
}  // namespace plumb
