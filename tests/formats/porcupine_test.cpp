// Porcupine's JSON: what is understood of a program's own types, what is refused, and clients that overlap.
#include <gtest/gtest.h>

#include <plumb/check.hpp>

#include "support/parsing.hpp"

namespace plumb {
namespace {

History one(const std::string& input, const std::string& output, const std::string& ret = "10") {
  return parsed_one(R"([{"ClientId":3,"Input":)" + input + R"(,"Call":0,"Output":)" + output +
                    R"(,"Return":)" + ret + "}]");
}
std::string wrong(const std::string& input, const std::string& output, const std::string& ret = "10") {
  return fault(R"([{"ClientId":3,"Input":)" + input + R"(,"Call":0,"Output":)" + output + R"(,"Return":)" +
               ret + "}]");
}

TEST(Porcupine, UnderstandsTheUsualNames) {
  struct Case {
    const char* input;
    const char* output;
    const char* described;
  };
  const Case cases[] = {
      {R"({"op":"put","key":"x","value":"1"})", "{}", R"(process 3: put("x", "1") -> null)"},
      {R"({"Op":"Get","Key":"x","Value":""})", R"({"Value":"1"})", R"(process 3: get("x") -> "1")"},
      {R"({"Op":"READ","Value":0})", R"({"Value":4})", "process 3: read() -> 4"},
      {R"({"op":"cas","old":1,"new":2,"value":0})", R"({"ok":true})", "process 3: cas(1, 2) -> true"},
      {R"({"op":"cas","old":null,"new":1})", "true", "process 3: cas(null, 1) -> true"},
      {R"({"op":"cas","from":1,"to":2})", "false", "process 3: cas(1, 2) -> false"},
      {R"({"f":"enqueue","value":5})", "null", "process 3: enqueue(5) -> null"},
      {R"({"f":"dequeue","value":null})", R"({"value":0,"ok":false})", "process 3: dequeue() -> null"},
      {R"({"f":"dequeue"})", R"({"value":5,"ok":true})", "process 3: dequeue() -> 5"},
      {R"({"method":"PutIfAbsent","args":["k",2]})", R"({"ok":false})",
       R"(process 3: putIfAbsent("k", 2) -> false)"},
      {R"({"op":"add","value":5})", R"({"ok":true})", "process 3: add(5) -> true"},
      {R"(["write",3])", "{}", "process 3: write(3) -> null"},
      {R"("dequeue")", "5", "process 3: dequeue() -> 5"},
      {R"({"op":"get","key":"x"})", R"({"exists":false,"value":""})", R"(process 3: get("x") -> null)"},
      {R"({"op":"write","value":1})", R"({"unknown":true})", "process 3: write(1) -> (pending)"},
      {R"({"op":"write","value":1})", R"({"err":"timeout"})", "process 3: write(1) -> (pending)"},
      {R"({"op":"write","value":1})", R"({"ok":false,"err":""})", "process 3: write(1) -> (pending)"},
      {R"({"op":"write","value":1})", "false", "process 3: write(1) -> (pending)"},
      {R"({"op":"write","value":1})", R"({"err":"OK"})", "process 3: write(1) -> null"},
      {R"({"Op":"Get","Key":"x"})", R"({"Err":"OK","Value":"9"})", R"(process 3: get("x") -> "9")"},
      {R"("read")", R"({"error":0,"value":7})", "process 3: read() -> 7"},
      {R"("read")", R"({"error":5,"value":7})", "process 3: read() -> (pending)"},
      {R"("read")", R"({"success":false,"value":0})", "process 3: read() -> (pending)"},
      {R"("read")", R"({"success":true,"value":7})", "process 3: read() -> 7"},
      {R"({"op":"cas","from":1,"to":2})", R"({"success":false})", "process 3: cas(1, 2) -> false"},
  };
  for (const Case& c : cases)
    EXPECT_EQ(one(c.input, c.output).describe(0), c.described) << c.input << c.output;
}

TEST(Porcupine, GuessesNothing) {
  EXPECT_TRUE(
      says(wrong(R"({"op":1,"key":"x"})", "{}"), "1:24", "what a number means only your program knows"));
  EXPECT_TRUE(says(wrong(R"({"key":"x"})", "{}"), "1:24", "without \"op\""));
  EXPECT_TRUE(says(wrong(R"({"op":"put","key":"x","lease":7})", "{}"), "1:24", "a member \"lease\""));
  EXPECT_TRUE(says(wrong(R"({"op":"put","args":[1],"key":"x"})", "{}"), "1:24", "beside args"));
  EXPECT_TRUE(says(wrong(R"({"op":"cas","old":1})", "{}"), "1:24", "both \"old\" and \"new\""));
  EXPECT_TRUE(says(wrong("7", "{}"), "1:24", "expected an object"));
  EXPECT_TRUE(says(wrong("[1]", "{}"), "1:24", "an array without a name"));
  EXPECT_TRUE(says(wrong(R"({"op":"get","key":"x"})", R"({"revision":1})"), "1:65", "a member \"revision\""));
  EXPECT_TRUE(says(wrong(R"("read")", R"({"unknown":0})"), "1:49", "neither true nor false"));
  EXPECT_TRUE(says(wrong(R"("pop")", R"({"ok":false})"), "1:48", "expected the value, too"));
  EXPECT_TRUE(
      says(fault(R"([{"ClientId":0,"Input":"read","Output":1,"Return":5}])"), "1:2", "without \"Call\""));
  EXPECT_TRUE(says(fault(R"([{"ClientId":0,"Input":"read","Call":"x","Output":1,"Return":5}])"), "1:38",
                   "the call time"));
  EXPECT_TRUE(says(wrong(R"("read")", "1", "-1"), "1:2", "before its call"));
  EXPECT_TRUE(says(wrong(R"("read")", "1", "9223372036854775807"), "1:49", "has not returned"));
}

TEST(Porcupine, TheLargestReturnIsPending) {
  for (const char* output : {"null", "{}", R"({"unknown":true})"}) {
    EXPECT_TRUE(one(R"("read")", output, "9223372036854775807").is_pending(0)) << output;
  }
}

// Porcupine does not look at who calls.
TEST(Porcupine, ClientsMayOverlap) {
  const History h = parsed_one(R"([{"ClientId":0,"Input":["write",1],"Call":0,"Output":{},"Return":10},
    {"ClientId":0,"Input":["write",2],"Call":10,"Output":{},"Return":20},
    {"ClientId":0,"Input":"read","Call":5,"Output":2,"Return":30},
    {"ClientId":1,"Input":["write",3],"Call":1,"Output":{"unknown":true},"Return":2},
    {"ClientId":1,"Input":"read","Call":3,"Output":2,"Return":4}])");
  std::string processes;
  for (OperationId i = 0; i < h.size(); ++i) processes += h.values().to_json(h.process(i)) + " ";
  EXPECT_EQ(processes, R"x("0 (lane 0)" "0 (lane 0)" "0 (lane 1)" "1 (lane 1)" 1 )x");
  EXPECT_TRUE(h.has_clock_times());
}

// Several programs may have used one number: what comes after what in a lane, only the clocks say.
TEST(Porcupine, ALaneIsNobodysOrder) {
  const std::string overlaps = R"({"ClientId":0,"Input":"read","Call":5,"Output":1,"Return":100},)";
  const std::string stale = R"({"ClientId":0,"Input":["write",1],"Call":0,"Output":{},"Return":10},
    {"ClientId":0,"Input":["write",2],"Call":12,"Output":{},"Return":20},
    {"ClientId":0,"Input":"read","Call":21,"Output":1,"Return":30}])";
  CheckOptions options;
  options.clock_error = Seconds(20e-9);
  const Model& model = **find_model("register");
  EXPECT_EQ(check(parsed_one("[" + stale), model, options)->outcome, Outcome::kViolation);
  EXPECT_EQ(check(parsed_one("[" + overlaps + stale), model, options)->outcome, Outcome::kHolds);
  EXPECT_EQ(check(parsed_one("[" + overlaps + stale), model, {})->outcome, Outcome::kViolation);
}

// Nobody waits for what never returns; a client that went on is none that ran two at a time.
TEST(Porcupine, CallsThatFailedStandApart) {
  const History h =
      parsed_one(R"({"ClientId":0,"Input":["write",1],"Call":0,"Output":{"unknown":true},"Return":1}
    {"ClientId":0,"Input":["write",2],"Call":2,"Output":{},"Return":3}
    {"ClientId":0,"Input":["write",3],"Call":4,"Output":{"unknown":true},"Return":5})");
  std::string processes;
  for (OperationId i = 0; i < h.size(); ++i) processes += h.values().to_json(h.process(i)) + " ";
  EXPECT_EQ(processes, R"x("0 (lane 1)" 0 0 )x");
}

TEST(Porcupine, OverSeveralLines) {
  const History h = parsed_one(
      "{\n \"ClientId\": 1,\n \"Input\": \"read\",\n \"Call\": 0, \"Output\": 1,\n"
      " \"Return\": 2\n}\n{ \"ClientId\": 1, \"Input\": \"read\",\n \"Call\": 3,"
      " \"Output\": 1, \"Return\": 4 }");
  ASSERT_EQ(h.size(), 2U);
  EXPECT_EQ(h.place(1), (Place{7, 1}));
  EXPECT_TRUE(says(fault("{\n \"ClientId\": 1,\n \"Input\": 5, \"Call\": 0, \"Output\": 1, \"Return\": 2}"),
                   "3:11", "the Input 5"));
}

TEST(Porcupine, WithoutAClientEachIsAProcessOfItsOwn) {
  const History h = parsed_one(R"([{"Input":["write",1],"Call":0,"Output":{},"Return":10},
    {"Input":"read","Call":20,"Output":null,"Return":30}])");
  EXPECT_NE(h.process(0), h.process(1));
}

TEST(Porcupine, EventsAreTheirOrder) {
  const std::string call = R"({"ClientId":0,"Kind":false,"Value":["write",1],"Id":4})";
  const std::string ret = R"({"ClientId":0,"Kind":true,"Value":{},"Id":4})";
  const std::string other = R"({"ClientId":0,"Kind":"CallEvent","Value":"read","Id":5})";
  const History h = parsed_one(call + "\n" + other + "\n" + ret + "\n");
  ASSERT_EQ(h.size(), 2U);
  EXPECT_EQ(h.ret(0), 2);
  EXPECT_EQ(h.describe(1), R"x(process "0 (lane 1)": read() -> (pending))x");
  EXPECT_FALSE(h.has_clock_times());
  EXPECT_TRUE(says(fault(call + "\n" + call), "2:1", "the id 4 is called twice"));
  EXPECT_TRUE(says(fault(ret), "1:1", "not running"));
  EXPECT_TRUE(says(fault(call + "\n" + ret + "\n" + ret), "3:1", "not running"));
  EXPECT_TRUE(
      says(fault(call + "\n" + R"({"ClientId":0,"Kind":true,"Value":{"unknown":true},"Id":4})" + "\n" + ret),
           "3:1", "not running"));
  EXPECT_TRUE(says(fault(R"({"ClientId":0,"Kind":7,"Value":"read","Id":4})"), "1:22", "expected the Kind"));
  EXPECT_TRUE(says(fault(call + "\n" + R"({"ClientId":0,"Input":"read","Call":0,"Return":1})"), "2:1",
                   "among events"));
}

}  // namespace
}  // namespace plumb
