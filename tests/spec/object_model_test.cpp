// Models made of C++ classes.
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include <plumb/check.hpp>
#include <plumb/object_model.hpp>

#include "sequential.hpp"

namespace plumb::test {
namespace {

struct Account {
  long balance = 0;
  void deposit(long n) { balance += n; }
  bool withdraw(long n) {
    if (n > balance) return false;
    balance -= n;
    return true;
  }
  void close() {
    if (balance != 0) throw std::runtime_error("not empty");
    balance = -1;
  }
  [[nodiscard]] long read() const noexcept { return balance; }
  bool operator==(const Account&) const = default;
};

ObjectModel<Account> account_model() {
  ObjectModel<Account> model("account");
  model.operation("deposit", &Account::deposit).alias("pay_in");
  model.operation("withdraw", &Account::withdraw).reads_when_false();
  model.operation("read", &Account::read);
  model.operation("close", &Account::close);
  return model;
}

TEST(ObjectModel, RunsMethods) {
  const auto model = account_model();
  run_script(model, "null",
             {"read() -> 0", "deposit(5)", "withdraw(6) -> false", "pay_in(2)", "withdraw(6) -> true",
              "read() -> 1", "close() -> never", "withdraw(1) -> true", "close()", "read() -> -1"});
}

TEST(ObjectModel, KnowsItsTypesAndEffects) {
  const auto model = account_model();
  const auto operations = model.operations();
  ASSERT_EQ(operations.size(), 4U);
  EXPECT_EQ(operations[0].returns, Returns::kNothing);
  EXPECT_EQ(operations[0].takes, std::vector{Takes::kInteger});
  EXPECT_EQ(operations[0].effect, Effect::kMayChange);
  EXPECT_EQ(operations[1].returns, Returns::kBool);
  EXPECT_EQ(operations[1].effect, Effect::kUnlessFalse);
  EXPECT_EQ(operations[2].returns, Returns::kInteger);
  EXPECT_EQ(operations[2].effect, Effect::kNeverChanges) << "a const method reads";
  EXPECT_FALSE(model.is_keyed());
  EXPECT_FALSE(model.depends_on_process());
}

TEST(ObjectModel, ChecksHistories) {
  const auto model = account_model();
  const auto outcome = [&](const std::string& text) {
    const auto histories = parse_histories(text, "jsonl");
    return check(histories->front(), model)->outcome;
  };
  const std::string deposit = R"({"process":0,"f":"deposit","args":[1],"result":null,"call":0,"return":5})"
                              "\n";
  EXPECT_EQ(outcome(deposit + R"({"process":1,"f":"read","args":[],"result":0,"call":1,"return":2})"),
            Outcome::kHolds);
  EXPECT_EQ(outcome(deposit + R"({"process":1,"f":"read","args":[],"result":0,"call":6,"return":7})"),
            Outcome::kViolation);
}

TEST(ObjectModel, AnExceptionCanBeAResult) {
  ObjectModel<Account> model("account");
  model.operation("deposit", &Account::deposit);
  model.operation("close", &Account::close).throws();
  run_script(model, "null", {"deposit(1)", "close() -> \"not empty\"", "deposit(-1)", "close()"});
}

TEST(ObjectModel, InitialValues) {
  auto model = account_model();
  const auto histories = parse_script({}, "5");
  const Values& values = histories->front().values();
  EXPECT_FALSE(model.states(values, histories->front().initial()).ok()) << "none can be given";
  model.initial(Account{7});
  run_script(model, "null", {"read() -> 7"});
  model.from_value([](long n) { return Account{n}; });
  run_script(model, "5", {"read() -> 5"});
  const auto wrong = parse_script({}, "\"x\"");
  const auto states = model.states(wrong->front().values(), wrong->front().initial());
  ASSERT_FALSE(states.ok());
  EXPECT_EQ(states.error().message, "initial value \"x\" of 'account'; expected an integer");
}

// Takes out anything that is inside.
struct Bag {
  std::multiset<int> items;
  void add(int n) { items.insert(n); }
  [[nodiscard]] Choices<std::optional<int>, Bag> take() const {
    Choices<std::optional<int>, Bag> all;
    if (items.empty()) all.add(std::nullopt, *this);
    for (const int n : items) {
      Bag after = *this;
      after.items.erase(after.items.find(n));
      all.add(n, after);
    }
    return all;
  }
  [[nodiscard]] auto fields() const { return std::tie(items); }
};

TEST(ObjectModel, StepsThatAreNotDetermined) {
  ObjectModel<Bag> model("bag");
  model.operation("add", &Bag::add);
  model.operation("take", &Bag::take).reads_when_null();
  Values values;
  const auto states = model.states(values, kNull);
  const std::vector<Value> one = {Value::small(1)};
  const std::vector<Value> two = {Value::small(2)};
  std::vector<StateId> next;
  (*states)->step((*states)->initial(), {0, kNull, one}, kNull, next);
  (*states)->step(next.back(), {0, kNull, two}, kNull, next);
  const StateId both = next.back();
  EXPECT_EQ((*states)->describe(both), "[1,2]");
  next.clear();
  (*states)->step(both, {1, kNull, {}}, std::nullopt, next);
  ASSERT_EQ(next.size(), 2U);
  EXPECT_EQ((*states)->describe(next[0]), "[2]");
  EXPECT_EQ((*states)->describe(next[1]), "[1]");
  next.clear();
  (*states)->step(both, {1, kNull, {}}, Value::small(2), next);
  EXPECT_EQ(next.size(), 1U);
  EXPECT_EQ((*states)->results((*states)->initial(), {1, kNull, {}}), std::vector{kNull});
}

// Who holds it matters.
struct Lock {
  Process holder;
  void acquire(Process who) {
    if (holder != Process()) throw std::logic_error("held");
    holder = who;
  }
  void release(Process who) {
    if (holder != who) throw std::logic_error("held by another");
    holder = {};
  }
  [[nodiscard]] auto fields() const { return std::tie(holder); }
};

TEST(ObjectModel, AProcessIsGivenToThoseWhoAsk) {
  ObjectModel<Lock> model("lock");
  model.operation("acquire", &Lock::acquire);
  model.operation("release", &Lock::release);
  EXPECT_TRUE(model.depends_on_process());
  EXPECT_TRUE(model.operations()[0].takes.empty());
  run_script(
      model, "null",
      {"1: acquire()", "2: acquire() -> never", "2: release() -> never", "1: release()", "2: acquire()"});
}

using Table = std::map<std::string, std::pair<int, double>>;

TEST(ObjectModel, LambdasContainersAndKeys) {
  ObjectModel<Table> model("table");
  model.operation("put", [](Table& t, const std::string& k, std::pair<int, double> v) { t[k] = v; });
  model.operation("get", [](const Table& t, std::string_view k) -> std::optional<std::pair<int, double>> {
    const auto it = t.find(std::string(k));
    return it == t.end() ? std::nullopt : std::optional(it->second);
  });
  model.partition_by(0);
  EXPECT_TRUE(model.is_keyed());
  EXPECT_EQ(model.operations()[1].effect, Effect::kNeverChanges);
  EXPECT_EQ(
      run_script(model, "null",
                 {"get(\"a\")", "put(\"a\", [1, 0.5])", "get(\"a\") -> [1, 0.5]", "put(\"b\", [2, 3])"}),
      "[[\"a\",[1,0.5]],[\"b\",[2,3]]]");
}

struct Everything {
  int n = 0;
  std::string all(bool b, double d, std::uint8_t small, const std::vector<std::tuple<int, std::string>>& list,
                  Value any, std::optional<int> maybe) {
    n += static_cast<int>(list.size()) + maybe.value_or(0);
    return std::string(b ? "yes " : "no ") + std::to_string(static_cast<int>(d)) + std::to_string(small) +
           (any.is_null() ? " null" : " value");
  }
  bool operator==(const Everything&) const = default;
};

ObjectModel<Everything> everything_model() {
  ObjectModel<Everything> model("everything");
  model.operation("all", &Everything::all);
  return model;
}

TEST(ObjectModel, ConvertsArguments) {
  run_script(everything_model(), "null",
             {"all(true, 2.5, 255, [[1, \"a\"]], {\"k\": 1}, 4) -> \"yes 2255 value\"",
              "all(false, 3, 0, [], null) -> \"no 30 null\""});
}

// As doubles, two that are nearly the same would be one, and a wrong result a right one.
TEST(ObjectModel, IntegersBeyond64SignedBitsStayApart) {
  constexpr std::uint64_t kLarge = std::uint64_t{1} << 63U;
  Values values;
  EXPECT_EQ(values.to_json(Convert<std::uint64_t>::to(kLarge, values)), "\"9223372036854775808\"");
  EXPECT_NE(Convert<std::uint64_t>::to(kLarge, values), Convert<std::uint64_t>::to(kLarge + 1, values));
  EXPECT_EQ(Convert<std::uint64_t>::to(kLarge - 1, values),
            values.integer(std::numeric_limits<std::int64_t>::max()));
}

TEST(ObjectModel, WhatDoesNotConvertIsAnInputError) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"all(1, 2, 3, [], 4) -> \"\"", "argument 1 is 1; expected true or false"},
      {"all(true, \"2\", 3, [], 4) -> \"\"", "argument 2 is \"2\"; expected a number"},
      {"all(true, 2, 256, [], 4) -> \"\"", "argument 3 is 256; expected an integer from 0 to 255"},
      {"all(true, 2, 3, [[1]], 4) -> \"\"",
       "expected an array, each item [an integer from -2147483648 to 2147483647, a string]"},
      {"all(true, 2, 3, [], 4, \"x\") -> \"\"", "or null"},
      {"all(true, 2, 3, [], 4) -> 7", "result of 'all' is 7; expected a string"},
      {"all(true, 2, 3) -> \"\"", "'all' with 3 arguments; expected 5 to 6 arguments"},
  };
  const auto model = everything_model();
  for (const auto& [line, message] : wrong) {
    const auto histories = parse_script({parse_line(line)}, "null");
    ASSERT_TRUE(histories.ok()) << line;
    const auto bound = BoundHistory::bind(histories->front(), model);
    ASSERT_FALSE(bound.ok()) << line;
    EXPECT_NE(bound.error().message.find(message), std::string::npos) << bound.error().message;
  }
}

TEST(ObjectModel, RegistrationsThatMakeNoSenseThrow) {
  auto model = account_model();
  EXPECT_THROW(model.operation("read", &Account::read), std::invalid_argument);
  EXPECT_THROW(model.operation("look", &Account::read).alias("pay_in"), std::invalid_argument);
  EXPECT_THROW(model.operation("see", &Account::read).reads_when_false(), std::invalid_argument);
  EXPECT_THROW(model.operation("peek", &Account::read).reads_when_null(), std::invalid_argument);
  EXPECT_THROW(model.partition_by(0), std::invalid_argument) << "read has no argument";
}

struct Hashed {
  std::vector<int> items;
  bool operator==(const Hashed&) const = default;
  [[nodiscard]] std::size_t hash() const { return items.size(); }
  void push(int n) { items.push_back(n); }
  std::optional<int> pop() {
    if (items.empty()) return std::nullopt;
    const int n = items.back();
    items.pop_back();
    return n;
  }
  [[nodiscard]] std::string describe() const { return std::to_string(items.size()) + " items"; }
};

TEST(ObjectModel, StatesThatHashAlikeAreStillTwo) {
  ObjectModel<Hashed> model("hashed");
  model.operation("push", &Hashed::push);
  model.operation("pop", &Hashed::pop).reads_when_null();
  EXPECT_EQ(run_script(model, "null", {"push(1)", "pop() -> 1", "push(2)", "pop() -> 2", "pop()", "push(3)"}),
            "1 items");
}

}  // namespace
}  // namespace plumb::test
