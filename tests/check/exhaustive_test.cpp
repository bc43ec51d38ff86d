// WGL and frontiers against brute force on every history of up to 3 processes and 4 operations, for six models with two
// values; and of up to 5 operations that are mostly equal.
//
// For each history: the same outcome, and a witness that replays. On a sample (in a soak run on all):
// everything that agree() checks. The counts are pinned, so that neither the enumeration nor the oracle can
// quietly become smaller.
#include <array>

#include <gtest/gtest.h>

#include <plumb/check.hpp>

#include "check/frontier/frontier.hpp"
#include "support/agree.hpp"
#include "support/enumerate.hpp"
#include "support/scale.hpp"

namespace plumb {
namespace {

using test::Alphabet;

struct Counts {
  std::uint64_t histories = 0;
  std::uint64_t linearizable = 0;
  friend bool operator==(const Counts&, const Counts&) = default;
};

void PrintTo(const Counts& counts, std::ostream* out) {
  *out << counts.linearizable << " of " << counts.histories << " linearizable";
}

constexpr int kProcesses = 3;
constexpr std::size_t kMostOperations = 4;
constexpr std::size_t kMostEqualOperations = 5;
constexpr double kShareOfFullChecks = 0.002;

// The verdicts of the engines on one history; counts it if it is linearizable.
void compare(const History& history, const Model& model, Counts& counts) {
  const auto brute = check(history, model, test::options(Engine::kBrute));
  const auto wgl = check(history, model, test::options(Engine::kWgl));
  const auto planned = check(history, model, test::options(Engine::kAuto));
  ASSERT_TRUE(brute.ok() && wgl.ok() && planned.ok());
  ASSERT_EQ(brute->outcome, wgl->outcome) << test::agree(history, model).message();
  ASSERT_EQ(brute->outcome, planned->outcome) << test::agree(history, model).message();
  if (find_frontier_search(model.family()) != nullptr) {
    const auto frontier = check(history, model, test::options(Engine::kFrontier));
    ASSERT_TRUE(frontier.ok());
    ASSERT_EQ(brute->outcome, frontier->outcome) << test::agree(history, model).message();
  }
  if (brute->outcome != Outcome::kHolds) return;
  ++counts.linearizable;
  ASSERT_TRUE(test::is_witness(history, model, wgl->linearization)) << test::Script::of(history).text();
  ASSERT_TRUE(test::is_witness(history, model, planned->linearization)) << test::Script::of(history).text();
}

template <std::size_t kMost = kMostOperations>
void expect_all_agree(const char* model_name, const Alphabet& alphabet,
                      const std::array<Counts, kMost>& expected) {
  const Model& model = *find_model(model_name).value();
  const double share = std::min(1.0, test::test_scale());
  const double full_share = test::test_scale() > 1 ? 1.0 : kShareOfFullChecks;
  test::Enumeration enumeration(alphabet, kProcesses);
  for (std::size_t n = 1; n <= kMost; ++n) {
    Counts counts;
    std::uint64_t seen = 0;
    counts.histories = enumeration.run(n, share, [&](const History& history) {
      if (::testing::Test::HasFatalFailure()) return;
      compare(history, model, counts);
      if (!test::in_sample(~seen++, full_share)) return;
      ASSERT_TRUE(test::agree(history, model));
    });
    if (::testing::Test::HasFatalFailure()) return;
    EXPECT_EQ(counts.histories, expected[n - 1].histories) << n << " operations";
    if (share >= 1) {
      EXPECT_EQ(counts, expected[n - 1]) << n << " operations";
    }
  }
}

TEST(Exhaustive, Register) {
  expect_all_agree("register",
                   {{"read:null", "read:1", "read:2", "write(1):null", "write(2):null", "cas(1,2):true",
                     "cas(1,2):false", "cas(2,1):true", "cas(2,1):false"},
                    {"read", "write(1)", "write(2)", "cas(1,2)", "cas(2,1)"}},
                   {{{14, 10}, {403, 199}, {18485, 7109}, {900261, 263439}}});
}

TEST(Exhaustive, Queue) {
  expect_all_agree("queue",
                   {{"enqueue(1):null", "enqueue(2):null", "dequeue:null", "dequeue:1", "dequeue:2"},
                    {"enqueue(1)", "enqueue(2)", "dequeue"}},
                   {{{8, 6}, {129, 75}, {3297, 1537}, {89235, 31817}}});
}

TEST(Exhaustive, Stack) {
  expect_all_agree(
      "stack",
      {{"push(1):null", "push(2):null", "pop:null", "pop:1", "pop:2"}, {"push(1)", "push(2)", "pop"}},
      {{{8, 6}, {129, 75}, {3297, 1561}, {89235, 33139}}});
}

TEST(Exhaustive, PriorityQueue) {
  expect_all_agree(
      "priority-queue",
      {{"insert(1):null", "insert(2):null", "extract_min:null", "extract_min:1", "extract_min:2"},
       {"insert(1)", "insert(2)", "extract_min"}},
      {{{8, 6}, {129, 75}, {3297, 1539}, {89235, 31775}}});
}

TEST(Exhaustive, Set) {
  Alphabet alphabet;
  alphabet.first_completed = 6;  // the keys can be renamed: the first operation is on key 1
  alphabet.first_pending = 3;
  for (const std::string key : {"1", "2"}) {
    for (const std::string f : {"add", "remove", "contains"}) {
      alphabet.completed.push_back(f + "(" + key + "):true");
      alphabet.completed.push_back(f + "(" + key + "):false");
      alphabet.pending.push_back(f + "(" + key + ")");
    }
  }
  expect_all_agree("set", alphabet, {{{9, 6}, {342, 142}, {20844, 5763}, {1353024, 240375}}});
}

// Both ends, but only one value: it is the order of the ends that counts.
TEST(Exhaustive, Deque) {
  Alphabet alphabet;
  for (const std::string end : {"front", "back"}) {
    for (const std::string& f : {"push_" + end + "(1):null", "pop_" + end + ":null", "pop_" + end + ":1"})
      alphabet.completed.push_back(f);
    for (const std::string& f : {"push_" + end + "(1)", "pop_" + end}) alphabet.pending.push_back(f);
  }
  alphabet.completed.push_back("push_front(2):null");
  alphabet.completed.push_back("pop_back:2");
  expect_all_agree("deque", alphabet, {{{12, 9}, {304, 178}, {12352, 5850}, {534528, 194658}}});
}

TEST(Exhaustive, Semaphore) {
  expect_all_agree("semaphore",
                   {{"release:null", "acquire:null", "try_acquire:true", "try_acquire:false"},
                    {"release", "acquire", "try_acquire"}},
                   {{{7, 6}, {93, 65}, {1923, 1145}, {41688, 19745}}});
}

// Two permits at a time.
TEST(Exhaustive, SemaphoreOfSeveral) {
  expect_all_agree("semaphore",
                   {{"release:null", "release(2):null", "acquire(2):null", "try_acquire(1):true",
                     "try_acquire(2):false", "try_acquire(1):false"},
                    {"release", "acquire(2)"}},
                   {{{8, 6}, {148, 88}, {4472, 2255}, {145008, 59851}}});
}

TEST(Exhaustive, QueueWithPeek) {
  expect_all_agree<3>("queue",
                      {{"enqueue(1):null", "enqueue(2):null", "dequeue:null", "dequeue:1", "dequeue:2",
                        "peek:null", "peek:1", "peek:2"},
                       {"enqueue(1)", "enqueue(2)", "dequeue", "peek"}},
                      {{{12, 8}, {304, 136}, {12352, 4032}}});
}

TEST(Exhaustive, StackWithPeek) {
  expect_all_agree<3>(
      "stack",
      {{"push(1):null", "push(2):null", "pop:null", "pop:1", "pop:2", "peek:null", "peek:1", "peek:2"},
       {"push(1)", "push(2)", "pop", "peek"}},
      {{{12, 8}, {304, 136}, {12352, 4080}}});
}

TEST(Exhaustive, PriorityQueueWithPeek) {
  expect_all_agree<3>("priority-queue",
                      {{"insert(1):null", "insert(2):null", "extract_min:null", "extract_min:1",
                        "extract_min:2", "peek:null", "peek:1", "peek:2"},
                       {"insert(1)", "insert(2)", "extract_min", "peek"}},
                      {{{12, 8}, {304, 136}, {12352, 4036}}});
}

TEST(Exhaustive, DequeWithPeek) {
  expect_all_agree<3>("deque",
                      {{"push_front(1):null", "push_back(2):null", "pop_front:1", "pop_front:2", "pop_back:1",
                        "pop_back:2", "peek_front:null", "peek_front:1", "peek_back:1", "peek_back:2"},
                       {"push_front(1)", "push_back(2)", "pop_front", "peek_back"}},
                      {{{14, 7}, {436, 126}, {22024, 4229}}});
}

// Operations that do the same change places, also with one that never returns.
TEST(Exhaustive, EqualOperationsOnAQueue) {
  expect_all_agree<kMostEqualOperations>(
      "queue", {{"enqueue(1):null", "dequeue:null", "dequeue:1"}, {"enqueue(1)", "dequeue"}},
      {{{5, 4}, {49, 34}, {755, 467}, {12267, 6509}, {200421, 89021}}});
}

TEST(Exhaustive, EqualOperationsOnARegister) {
  expect_all_agree("register",
                   {{"read:1", "write(1):null", "write(2):null", "cas(1,2):true"}, {"write(2)", "cas(1,2)"}},
                   {{{6, 4}, {76, 38}, {1544, 718}, {33408, 14384}}});
}

}  // namespace
}  // namespace plumb
