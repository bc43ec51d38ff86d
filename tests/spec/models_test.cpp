// What each built-in model does, operation by operation.
#include <gtest/gtest.h>

#include <plumb/model.hpp>

#include "sequential.hpp"

namespace plumb::test {
namespace {

struct Case {
  std::string name;
  std::string model;
  std::string initial;
  std::vector<std::string> script;
  std::string end;
};

class Sequential : public testing::TestWithParam<Case> {};

TEST_P(Sequential, DoesWhatTheScriptSays) {
  const Case& c = GetParam();
  const auto model = find_model(c.model);
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(run_script(**model, c.initial, c.script), c.end);
}

const std::vector<Case> kCases = {
    {"register",
     "register",
     "null",
     {"read()", "write(1)", "read() -> 1", "cas(2, 3) -> false", "read() -> 1", "cas(1, \"a\") -> true",
      "read() -> \"a\"", "write(null)", "read()", "cas(null, [1]) -> true", "read() -> [1]"},
     "[1]"},
    {"register_initial", "register", "7", {"read() -> 7", "cas(7, 7) -> true"}, "7"},
    {"counter",
     "counter",
     "null",
     {"read() -> 0", "add(5)", "fetch_add(-2) -> 5", "read() -> 3", "fetch_add(0) -> 3", "add(2000000000)",
      "read() -> 2000000003"},
     "2000000003"},
    {"counter_wraps",
     "counter",
     "9223372036854775807",
     {"read() -> 9223372036854775807", "add(1)", "read() -> -9223372036854775808",
      "fetch_add(-1) -> -9223372036854775808", "read() -> 9223372036854775807"},
     "9223372036854775807"},
    {"queue",
     "queue",
     "null",
     {"dequeue()", "enqueue(1)", "enq(2)", "push(1)", "add(\"x\")", "dequeue() -> 1", "deq() -> 2",
      "pop() -> 1", "enqueue(9)", "remove() -> \"x\"", "dequeue() -> 9", "dequeue()"},
     "[]"},
    {"queue_initial", "queue", "[4, 5]", {"dequeue() -> 4", "enqueue(6)"}, "[5, 6]"},
    {"stack",
     "stack",
     "null",
     {"pop()", "push(1)", "push(2)", "pop() -> 2", "push(3)", "pop() -> 3", "pop() -> 1", "pop()"},
     "[]"},
    {"stack_initial", "stack", "[1, 2]", {"pop() -> 2"}, "[1]"},
    {"deque",
     "deque",
     "null",
     {"pop_front()", "pop_back()", "push_front(1)", "push_front(2)", "push_back(3)", "pop_back() -> 3",
      "pop_front() -> 2", "pop_back() -> 1", "push_back(4)", "push_back(5)", "pop_front() -> 4",
      "pop_back() -> 5", "pop_back()"},
     "[]"},
    {"deque_initial", "deque", "[1, 2, 3]", {"pop_front() -> 1", "push_front(0)"}, "[0, 2, 3]"},
    {"priority_queue",
     "priority-queue",
     "null",
     {"extract_min()", "insert(5)", "insert(1.5)", "insert(-3)", "insert(5)", "extract_min() -> -3",
      "extract_min() -> 1.5", "insert(0)", "extract_min() -> 0", "extract_min() -> 5", "extract_min() -> 5",
      "extract_min()", "insert(\"b\")", "insert(\"a\")", "extract_min() -> \"a\""},
     "[\"b\"]"},
    {"priority_queue_initial", "priority-queue", "[3, 1, 2]", {"extract_min() -> 1"}, "[2, 3]"},
    {"set",
     "set",
     "null",
     {"contains(1) -> false", "add(1) -> true", "insert(1) -> false", "contains(1) -> true",
      "add(\"1\") -> true", "remove(1) -> true", "remove(1) -> false", "contains(1) -> false",
      "contains(\"1\") -> true"},
     "[\"1\"]"},
    {"set_initial",
     "set",
     "[2, 1, 2]",
     {"remove(2) -> true", "remove(2) -> false", "add(null) -> true"},
     "[null, 1]"},
    {"multiset",
     "multiset",
     "null",
     {"remove(1) -> false", "add(1)", "add(1)", "contains(1) -> true", "remove(1) -> true",
      "contains(1) -> true", "remove(1) -> true", "contains(1) -> false", "remove(1) -> false", "add(2)",
      "add(3)", "add(2)"},
     "[2, 2, 3]"},
    {"multiset_initial",
     "multiset",
     "[2, 1, 2]",
     {"remove(2) -> true", "remove(2) -> true", "remove(2) -> false"},
     "[1]"},
    {"map",
     "map",
     "null",
     {"get(1)", "remove(1) -> false", "put(1, \"a\")", "get(1) -> \"a\"", "put_if_absent(1, \"b\") -> false",
      "get(1) -> \"a\"", "put_if_absent(2, \"c\") -> true", "put(1, \"d\")", "get(1) -> \"d\"",
      "remove(1) -> true", "get(1)", "put_if_absent(1, \"e\") -> true", "put(3, null)", "get(3)",
      "remove(3) -> true"},
     "{1: \"e\", 2: \"c\"}"},
    {"map_initial", "map", "{\"a\": 1}", {"get(\"a\") -> 1", "put(\"b\", 2)"}, "{\"a\": 1, \"b\": 2}"},
    {"map_initial_pairs", "map", "[[1, 2], [3, 4]]", {"get(3) -> 4", "remove(1) -> true"}, "{3: 4}"},
    {"kv_append",
     "kv-append",
     "null",
     {"get(\"k\") -> \"\"", "append(\"k\", \"x\")", "append(\"k\", \"y\")", "get(\"k\") -> \"xy\"",
      "put(\"k\", \"z\")", "append(\"k\", \"\")", "get(\"k\") -> \"z\"", "put(\"k\", \"\")",
      "get(\"k\") -> \"\"", "append(\"l\", \"a\")"},
     "{\"l\": \"a\"}"},
    {"kv_append_initial",
     "kv-append",
     "{\"k\": \"s\"}",
     {"append(\"k\", \"t\")", "get(\"k\") -> \"st\""},
     "{\"k\": \"st\"}"},
    {"mutex",
     "mutex",
     "null",
     {"1: release() -> never", "1: acquire()", "2: acquire() -> never", "1: acquire() -> never",
      "2: try_acquire() -> false", "1: try_acquire() -> false", "2: release() -> never", "1: release()",
      "2: try_acquire() -> true", "1: release() -> never", "2: release()", "\"a\": acquire()"},
     "held by \"a\""},
    {"mutex_initial", "mutex", "0", {"1: try_acquire() -> false", "0: release()"}, "free"},
    {"multi_register_txn",
     "multi-register",
     "null",
     {R"(txn([["read", "x", null]]) -> [["read", "x", 0]])",
      R"(txn([[":write", "x", 1], [":read", "x", null], [":read", "y"]]) -> [[":write", "x", 1], [":read", "x", 1], [":read", "y", 0]])",
      R"(txn([["r", "x", null], ["w", "x", 2], ["r", "x", null]]) -> [["r", "x", 1], ["w", "x", 2], ["r", "x", 2]])",
      R"(read("x") -> 2)", R"(write("y", 5))", R"(txn([["write", "x", 0]]) -> [["write", "x", 0]])"},
     "{\"y\": 5}"},
    {"multi_register_unknown_reads",
     "multi-register",
     "{\"x\": 3}",
     {R"(txn([["read", "x", null], ["read", "y", null]]) -> [["read", "x", null], ["read", "y", 0]])",
      R"(txn([["read", "x", null]]))", R"(read("x"))"},
     "{\"x\": 3}"},
    {"semaphore",
     "semaphore",
     "null",
     {"acquire()", "acquire() -> never", "try_acquire() -> false", "release()", "release(2)", "acquire(3)",
      "try_acquire(1) -> false", "release(5)", "try_acquire(6) -> false", "try_acquire(2) -> true"},
     "3 free"},
    {"semaphore_initial",
     "semaphore",
     "0",
     {"acquire() -> never", "release(9223372036854775807)", "release(1) -> never",
      "acquire(9223372036854775807)"},
     "0 free"},
    {"etcd",
     "etcd",
     "null",
     {R"(range("a") -> [1, [0, []]])",
      R"(put("a", "x") -> 2)",
      R"(put("b", "y", 7) -> 3)",
      R"(range("a", "c") -> [3, [2, [["a", "x", 2, 1], ["b", "y", 3, 1]]]])",
      R"(range("a", "c", 1) -> [3, [2, [["a", "x", 2]]]])",
      R"(range("a", "c", 0, true) -> [3, [2, [["a", null, 2], ["b", null, 3]]]])",
      R"(txn([["mod", "a", 2]], [["put", "a", "z"], ["range", "a"]], []) -> [4, true, [null, [1, [["a", "z", 4, 2]]]]])",
      R"(read_txn([["version", "a", 1]], [["put", "a", "w"]], [["range", "a"]]) -> [4, false, [[1, [["a", "z", 4]]]]])",
      R"(range("a", null, 0, false, 2) -> [4, [1, [["a", "x", 2, 1]]]])",
      R"(range("a", null, 0, false, 3) -> 4)",
      R"(range("a", null, 0, false, 5) -> "future")",
      R"(read_txn([], [["delete", "a"]], []) -> never)",
      R"(lease_grant(8) -> 4)",
      R"(lease_revoke(7) -> 5)",
      R"(put("b", "y", 7) -> 5)",
      R"(delete("b") -> [5, 0])",
      R"(compact(3) -> true)",
      R"(compact(3) -> "compacted")",
      R"(compact(9) -> "future")",
      R"(range("a", null, 0, false, 2) -> "compacted")",
      R"(delete("a") -> [6, 1])",
      "defragment()",
      R"(put("c", 5) -> null)"},
     R"(revision 7: "c": 5 (of 7), revoked 7, compacted at 3)"},
};

INSTANTIATE_TEST_SUITE_P(Models, Sequential, testing::ValuesIn(kCases),
                         [](const auto& test) { return test.param.name; });

TEST(Models, AreThoseOfTheContract) {
  std::string names;
  for (const Model* model : built_in_models()) names += std::string(model->name()) + " ";
  EXPECT_EQ(
      names,
      "register counter queue stack deque priority-queue set multiset map kv-append mutex multi-register "
      "semaphore etcd k-queue:1 k-stack:1 k-priority-queue:1 java:ArrayBlockingQueue java:ConcurrentHashMap "
      "java:ConcurrentLinkedDeque "
      "java:ConcurrentLinkedQueue java:ConcurrentSkipListMap java:ConcurrentSkipListSet "
      "java:LinkedBlockingDeque java:LinkedBlockingQueue java:LinkedTransferQueue "
      "java:PriorityBlockingQueue ");
}

TEST(Models, RelaxedOnesHaveAnyK) {
  EXPECT_EQ(find_model("k-queue:12").value()->name(), "k-queue:12");
  EXPECT_EQ(find_model("k-stack:0").value(), find_model("k-stack:0").value());
  for (const char* wrong :
       {"k-queue", "k-queue:", "k-queue:-1", "k-queue:x", "k-queue:2x", "k-queue:99999999999"}) {
    const auto model = find_model(wrong);
    ASSERT_FALSE(model) << wrong;
    EXPECT_NE(model.error().message.find("expected k-queue:K, with K from 0 to 1000000"), std::string::npos);
  }
  EXPECT_FALSE(find_model("k-queues:1"));
}

TEST(Models, AMisspeltNameGetsTheNearestOne) {
  const auto model = find_model("que");
  ASSERT_FALSE(model.ok());
  EXPECT_NE(model.error().message.find("did you mean 'queue'"), std::string::npos) << model.error().message;
}

TEST(Models, AReadThatIsNotKnownStillFitsOnlyWhereTheOthersDo) {
  const auto histories = parse_script(
      {parse_line(R"(txn([["r", "x"], ["r", "y"]]) -> [["r", "x", null], ["r", "y", 1]])")}, "null");
  ASSERT_TRUE(histories.ok()) << histories.error().text();
  const Model& model = **find_model("multi-register");
  const auto bound = BoundHistory::bind(histories->front(), model);
  ASSERT_TRUE(bound.ok()) << bound.error().text();
  const auto states = model.states(histories->front().values(), kNull);
  std::vector<StateId> next;
  (*states)->step((*states)->initial(), bound->call(0), bound->result(0), next);
  EXPECT_TRUE(next.empty());
}

struct WrongInitial {
  std::string model;
  std::string initial;
};

TEST(Models, RejectInitialValuesThatAreNotTheirs) {
  const std::vector<WrongInitial> wrong = {{"counter", "\"1\""},
                                           {"queue", "1"},
                                           {"stack", "[1, null]"},
                                           {"set", "{}"},
                                           {"map", "[1]"},
                                           {"map", "[[1, 2, 3]]"},
                                           {"kv-append", "[[1, 2]]"},
                                           {"semaphore", "-1"},
                                           {"semaphore", "1.5"},
                                           {"priority-queue", "true"},
                                           {"multi-register", "3"},
                                           {"etcd", "5"}};
  for (const auto& [name, initial] : wrong) {
    const auto histories = parse_script({}, initial);
    ASSERT_TRUE(histories.ok());
    const auto states =
        (*find_model(name))->states(histories->front().values(), histories->front().initial());
    EXPECT_FALSE(states.ok()) << name << " " << initial;
  }
}

// More keys than fit into the words that a state has inline.
TEST(Models, ASetOfManyKeysIsStillASet) {
  std::vector<std::string> script;
  for (int key = 0; key < 200; ++key) script.push_back(fmt::format("add({}) -> true", key));
  for (int key = 199; key > 0; --key) script.push_back(fmt::format("remove({}) -> true", key));
  script.emplace_back("contains(0) -> true");
  EXPECT_EQ(run_script(**find_model("set"), "null", script), "[0]");
}

TEST(Models, EqualStatesHaveOneIdWhateverTheWayThere) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> there_and_back = {
      {"queue", {"enqueue(1)", "dequeue() -> 1"}},
      {"deque", {"push_front(1)", "pop_back() -> 1"}},
      {"priority-queue", {"insert(2)", "insert(1)", "extract_min() -> 1", "extract_min() -> 2"}},
      {"set", {"add(70) -> true", "add(1) -> true", "remove(70) -> true", "remove(1) -> true"}},
      {"multiset", {"add(1)", "add(2)", "remove(1) -> true", "remove(2) -> true"}},
      {"map",
       {"put(1, 1)", "put(2, 2)", "put(3, 3)", "remove(2) -> true", "remove(1) -> true",
        "remove(3) -> true"}},
      {"kv-append", {"append(1, \"a\")", "put(1, \"\")"}},
      {"multi-register", {"write(1, 1)", "write(1, 0)"}},
      {"semaphore", {"acquire()", "release()"}},
      {"etcd", {"lease_grant(1) -> 1", "delete(\"a\") -> [1, 0]"}},
  };
  for (const auto& [name, script] : there_and_back) {
    SCOPED_TRACE(name);
    const Model& model = **find_model(name);
    std::vector<Line> lines;
    for (const auto& text : script) lines.push_back(parse_line(text));
    const auto histories = parse_script(lines, "null");
    ASSERT_TRUE(histories.ok());
    const auto bound = BoundHistory::bind(histories->front(), model);
    ASSERT_TRUE(bound.ok());
    const auto states = model.states(histories->front().values(), kNull);
    std::vector<StateId> path = {(*states)->initial()};
    for (OperationId i = 0; i < histories->front().size(); ++i) {
      (*states)->step(path.back(), bound->call(i), bound->result(i), path);
    }
    ASSERT_EQ(path.size(), script.size() + 1);
    EXPECT_EQ(path.back(), path.front());
  }
}

}  // namespace
}  // namespace plumb::test
