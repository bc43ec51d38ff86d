// Claims to behave as a family: those that hold, those that do not, and what is said of these.
#include <deque>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/claim.hpp"
#include "spec/models.hpp"
#include "support/own_classes.hpp"

namespace plumb::test {
namespace {

using ::testing::HasSubstr;

std::string wrong(const Model& model) {
  const TestedClaim& claim = tested_claim(model);
  return claim.wrong ? claim.wrong->text() : "";
}

TEST(Claim, ClassesOfEveryFamilyHold) {
  for (const OwnClass& own : own_classes()) {
    EXPECT_EQ(own.model->family(), own.family);
    EXPECT_EQ(wrong(*own.model), "") << own.model->name();
    EXPECT_EQ(tested_claim(*own.model).built_in, model_of(own.family));
  }
}

TEST(Claim, EveryBuiltInModelIsOneOfAFamily) {
  for (const Model* model : built_in_models()) {
    if (known_family(*model) == Family::kNone) continue;
    EXPECT_EQ(model_of(model->family()), model) << model->name();
    for (const OperationSpec& spec : model->operations()) {
      EXPECT_NE(spec.role, Role::kNone) << model->name() << " " << spec.name;
      EXPECT_EQ(std::ranges::count(model->operations(), spec.role, &OperationSpec::role), 1)
          << model->name() << " " << spec.name;
    }
  }
}

TEST(Claim, ClassesOfJavaHold) {
  std::size_t claims = 0;
  for (const auto& model : java_models()) {
    if (model->claim() == nullptr) continue;
    ++claims;
    EXPECT_EQ(wrong(*model), "") << model->name();
  }
  EXPECT_EQ(claims, 7U);
}

TEST(Claim, IsTestedOnce) {
  const OwnClass own = own_queue();
  EXPECT_EQ(&tested_claim(*own.model), &tested_claim(*own.model));
}

TEST(Claim, IsTestedAgainWhenTheModelHasChanged) {
  ObjectModel<OwnQueue> model("growing");
  model.operation("offer", &OwnQueue::offer);
  model.behaves_as(Family::kQueue);
  EXPECT_EQ(wrong(model), "");
  const ObjectModel<OwnQueue> before = model;
  model.operation("size", &OwnQueue::size);
  EXPECT_THAT(wrong(model), HasSubstr("'size' has no role"));
  EXPECT_EQ(wrong(before), "");
}

TEST(Claim, KnowsWhatAnInsertionAlwaysReturns) {
  const OwnClass own = own_queue();
  const TestedClaim& claim = tested_claim(*own.model);
  EXPECT_EQ(claim.always[0], kTrue);
  EXPECT_EQ(claim.always[1], std::nullopt);
  EXPECT_EQ(claim.operation_of[2], TestedClaim::kOutside);
}

// What a class begins with is what its family's model is told.
TEST(Claim, ARegisterMayBeginWithANumber) {
  const ObjectModel<OwnCell> model = own_cell();
  EXPECT_EQ(wrong(model), "");
  EXPECT_EQ(tested_claim(model).initial, Value::small(7));
}

template <class T>
ObjectModel<T> queue_like(std::string name, Family family = Family::kQueue) {
  ObjectModel<T> model(std::move(name));
  model.operation("push", &T::push);
  model.operation("pop", &T::pop);
  model.behaves_as(family);
  return model;
}

TEST(Claim, AStackIsNoQueue) {
  struct Stack {
    OwnStack inner;
    void push(long v) { inner.add(v); }
    std::optional<long> pop() { return inner.take(); }
    [[nodiscard]] auto fields() const { return std::tie(inner.items); }
    bool operator==(const Stack&) const = default;
  };
  EXPECT_EQ(wrong(queue_like<Stack>("pile")),
            "the model 'pile' does not behave as a queue: after push(10), push(-1) 'pop' returns -1, that of "
            "a queue "
            "returns 10");
  EXPECT_EQ(wrong(queue_like<Stack>("pile", Family::kStack)), "");
}

struct Bounded {
  std::size_t most = 5;
  OwnQueue inner;
  void push(long v) {
    if (inner.size() < most) inner.offer(v);
  }
  std::optional<long> pop() { return inner.poll(); }
  [[nodiscard]] auto fields() const { return std::tie(inner.items); }
  bool operator==(const Bounded&) const = default;
};

TEST(Claim, ABoundShowsOnceItIsReached) {
  auto model = queue_like<Bounded>("bounded");
  EXPECT_THAT(wrong(model), HasSubstr("the model 'bounded' does not behave as a queue: after "));
  EXPECT_THAT(wrong(model), HasSubstr("that of a queue returns "));
  auto larger = queue_like<Bounded>("larger");
  larger.initial(Bounded{100, {}});
  EXPECT_THAT(wrong(larger), HasSubstr("the model 'larger' does not behave as a queue: after "));
  EXPECT_THAT(wrong(larger), HasSubstr(" operations ("));
}

TEST(Claim, EmptyIsNull) {
  struct Sentinel {
    Bounded inner{1000, {}};
    void push(long v) { inner.push(v); }
    long pop() { return inner.pop().value_or(-1); }
    [[nodiscard]] auto fields() const { return inner.fields(); }
    bool operator==(const Sentinel&) const = default;
  };
  EXPECT_EQ(wrong(queue_like<Sentinel>("sentinel")),
            "the model 'sentinel' does not behave as a queue: at first 'pop' returns -1, that of a queue "
            "returns null");
}

TEST(Claim, AnInsertionReturnsTheSameAlways) {
  struct Sized {
    OwnQueue inner;
    std::size_t push(long v) {
      inner.offer(v);
      return inner.size();
    }
    std::optional<long> pop() { return inner.poll(); }
    [[nodiscard]] auto fields() const { return std::tie(inner.items); }
    bool operator==(const Sized&) const = default;
  };
  EXPECT_EQ(wrong(queue_like<Sized>("sized")),
            "the model 'sized' does not behave as a queue: after push(10) 'push(10)' returns 2, that of a "
            "queue returns "
            "null");
}

struct ByText {
  std::multiset<std::string> items;
  void push(long v) { items.insert(std::to_string(v)); }
  std::optional<long> pop() {
    if (items.empty()) return std::nullopt;
    const long least = std::stol(*items.begin());
    items.erase(items.begin());
    return least;
  }
  [[nodiscard]] auto fields() const { return std::tie(items); }
  bool operator==(const ByText&) const = default;
};

// By their order as texts, 10 comes before 2.
TEST(Claim, AnotherOrderIsNoPriorityQueue) {
  EXPECT_THAT(wrong(queue_like<ByText>("by text", Family::kPriorityQueue)),
              HasSubstr("'pop' returns 10, that of a priority queue returns 2"));
}

TEST(Claim, AnotherHolderIsNoMutex) {
  struct Anybody {
    bool held = false;
    void lock(Process) {
      if (held) throw std::runtime_error("held");
      held = true;
    }
    void unlock() {
      if (!held) throw std::runtime_error("free");
      held = false;
    }
    [[nodiscard]] auto fields() const { return std::tie(held); }
    bool operator==(const Anybody&) const = default;
  };
  ObjectModel<Anybody> model("anybody's");
  model.operation("lock", &Anybody::lock);
  model.operation("unlock", &Anybody::unlock);
  model.behaves_as(Family::kMutex);
  EXPECT_EQ(wrong(model),
            "the model 'anybody's' does not behave as a mutex: after lock by process 0 'unlock by process 1' "
            "returns "
            "null, that of a mutex cannot happen");
}

TEST(Claim, SeveralResultsAreNoFamily) {
  struct Bag {
    std::vector<long> items;
    void push(long v) { items.push_back(v); }
    [[nodiscard]] Choices<std::optional<long>, Bag> pop() const {
      Choices<std::optional<long>, Bag> all;
      if (items.empty()) all.add(std::nullopt, *this);
      for (std::size_t i = 0; i < items.size(); ++i) {
        Bag after = *this;
        after.items.erase(after.items.begin() + static_cast<std::ptrdiff_t>(i));
        all.add(items[i], after);
      }
      return all;
    }
    [[nodiscard]] auto fields() const { return std::tie(items); }
    bool operator==(const Bag&) const = default;
  };
  EXPECT_THAT(wrong(queue_like<Bag>("bag")), HasSubstr("'pop' returns 10 or 10, that of a queue returns 10"));
}

TEST(Claim, EveryOperationHasARole) {
  ObjectModel<OwnQueue> model("sized queue");
  model.operation("offer", &OwnQueue::offer);
  model.operation("poll", &OwnQueue::poll);
  model.operation("size", &OwnQueue::size);
  model.behaves_as(Family::kQueue);
  EXPECT_EQ(wrong(model),
            "the model 'sized queue' cannot be said to behave as a queue: its operation 'size' has no role "
            "there, which "
            "has insert, remove, peek; give it one of these with role(…), or leave it out of the family with "
            "outside_family()");
}

TEST(Claim, ArgumentsAreThoseOfTheFamily) {
  struct Two {
    OwnQueue inner;
    void push(long v, long) { inner.offer(v); }
    std::optional<long> pop() { return inner.poll(); }
    [[nodiscard]] auto fields() const { return std::tie(inner.items); }
    bool operator==(const Two&) const = default;
  };
  EXPECT_THAT(wrong(queue_like<Two>("two")),
              HasSubstr("'push' takes other arguments than the family's 'enqueue'"));
}

struct Texts {
  std::deque<std::string> items;
  void push(std::string v) { items.push_back(std::move(v)); }
  std::optional<std::string> pop() {
    if (items.empty()) return std::nullopt;
    std::string first = items.front();
    items.pop_front();
    return first;
  }
  [[nodiscard]] auto fields() const { return std::tie(items); }
  bool operator==(const Texts&) const = default;
};

TEST(Claim, TextsAreTested) {
  EXPECT_EQ(wrong(queue_like<Texts>("texts")), "");
  EXPECT_THAT(wrong(queue_like<Texts>("texts", Family::kStack)), HasSubstr("does not behave as a stack"));
}

TEST(Claim, ANeededInitialValueCannotBeTested) {
  struct Given {
    explicit Given(long n) : value(n) {}
    long value;
    [[nodiscard]] long read() const { return value; }
    [[nodiscard]] auto fields() const { return std::tie(value); }
    bool operator==(const Given&) const = default;
  };
  ObjectModel<Given> model("given");
  model.operation("read", &Given::read);
  model.behaves_as(Family::kRegister);
  EXPECT_THAT(wrong(model), HasSubstr("cannot be tested: the model 'given' needs an initial value"));
}

}  // namespace
}  // namespace plumb::test
