// A test as Line-Up sees it, whatever class it is about: which invocations there are, how to make a fresh object and run an
// invocation on it, and how to test. Test authors use <plumb/test.hpp>.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include <plumb/explore.hpp>
#include <plumb/model.hpp>
#include <plumb/result.hpp>
#include <plumb/test_values.hpp>
#include <plumb/value.hpp>

namespace plumb {

// An operation by its name, with arguments: for fixed scenarios, and what runs before and after the threads.
class TestCall {
 public:
  template <class... As>
  explicit TestCall(std::string name, As... args) : name_(std::move(name)) {
    (args_.push_back(
         [arg = test::Stored<As>(std::move(args))](Values& values) { return test::to_value(arg, values); }),
     ...);
  }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::vector<Value> args(Values& values) const {
    std::vector<Value> all;
    for (const auto& arg : args_) all.push_back(arg(values));
    return all;
  }

 private:
  std::string name_;
  std::vector<std::function<Value(Values&)>> args_;
};

template <class... As>
TestCall call(std::string name, As... args) {
  return TestCall(std::move(name), std::move(args)...);
}

// Threads of calls.
using TestMatrix = std::vector<std::vector<TestCall>>;

namespace test {

// A thread of a stress run, as operations see it: it has arguments for them, and is told when they are called and return.
class Caller {
 public:
  // Where an argument comes from.
  enum class Source : std::uint8_t {
    kListed,  // the values of the test
    kFresh,   // a number that no other call has got
    kSeen,    // a number that the thread has met, as what a compare-and-swap expects
  };

  Caller() = default;
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;
  virtual ~Caller() = default;
  [[nodiscard]] virtual Source source(std::size_t argument) const = 0;  // of the operation that is drawn
  [[nodiscard]] virtual std::size_t below(std::size_t bound) = 0;       // at random
  [[nodiscard]] virtual std::int64_t fresh() = 0;
  [[nodiscard]] virtual std::int64_t seen() const = 0;
  [[nodiscard]] virtual Values& values() = 0;  // its own
  virtual void call(std::span<const Value> args) = 0;
  virtual void returned() = 0;  // as soon as it has; then, with time:
  virtual void result(Value result) = 0;
};

// A fresh object of the class under test.
class Object {
 public:
  Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  virtual ~Object() = default;
  virtual Value run(std::size_t invocation, Values& values) = 0;
  virtual void perform(std::size_t operation, Caller& caller) = 0;         // with arguments of the caller
  virtual void name(Program& program, const std::string& name) const = 0;  // what traces call it
};

struct Invocation {
  std::size_t operation = 0;
  std::vector<Value> args;
  bool listed = true;  // one of those that scenarios are made of, not only named by a fixed one
};

// A result that a call may have without a cause, and then it has changed nothing.
struct SpuriousFailure {
  Value result;
  bool only_contended = false;  // only while another operation runs
};

struct Operation {
  std::string name;
  std::string group;  // operations of one group are called by one thread only
  bool returns_nothing = false;
  std::size_t parameters = 0;
  unsigned weight = 1;                          // in a stress run: how often, compared with the others
  std::vector<std::optional<bool>> distinct;    // of each parameter: plumb::distinct or plumb::exactly
  std::optional<Value> failing = std::nullopt;  // the result that says so by itself: false, nothing, null
  std::optional<SpuriousFailure> may_fail = std::nullopt;
  bool destroys = false;  // who has called it destroys the object as soon as it returns
};

Value thrown(const std::exception* error, Values& values);
// "std::runtime_error: why", where the result is what an operation threw.
std::optional<std::string_view> what_was_thrown(Value result, const Values& values);

std::string name_of(const std::type_info& type);  // "my::Queue<int>"

}  // namespace test

// The part of a test that does not depend on the class: what its author says (Test<S> shows that much of it), and what plumb asks.
class TestCase {
 public:
  TestCase(std::string name, std::uint64_t seed);
  TestCase(const TestCase&) = delete;
  TestCase& operator=(const TestCase&) = delete;
  virtual ~TestCase();

  // Check against a model instead of the object itself: one that plumb knows, by name, or one of your own.
  void model(const std::string& name);
  void model(std::shared_ptr<const Model> model);
  // A Model, or a class that PLUMB_MODEL(M, model) describes, in whichever file of the program.
  template <class M>
  void model() {
    if constexpr (std::derived_from<M, Model>) {
      model(std::make_shared<const M>());
    } else {
      use_described_model(typeid(M));
    }
  }

  // Quasi linearizability: operations of this name may take effect up to `distance` places out of order.
  void relax(std::string operation, unsigned distance) {
    relaxed_.emplace_back(std::move(operation), distance);
  }

  void before(TestCall call) { before_.push_back(std::move(call)); }
  void after(TestCall call) { after_.push_back(std::move(call)); }
  void scenario(TestMatrix threads) { scenarios_.push_back(std::move(threads)); }

  // The end of the object's life is a part of the test: the thread that calls this operation destroys the object as soon as the call has
  // returned, while others may still be inside theirs: wait() of a latch. In scenarios where it returns only after all other calls, run
  // serially; in others a client could not destroy the object there.
  void destroys_after(std::string operation) { destroys_after_ = std::move(operation); }

  // Claims about progress, checked too: no operation waits for another; run alone, each ends.
  void lock_free() { lock_free_ = true; }
  void obstruction_free() { obstruction_free_ = true; }

  // Claims about what it hands over, checked under kRc11: what happened before the first operation is visible after the second, where that
  // returned a value which only the first was given; or after any operation that returned what another one was given.
  void synchronises(std::string giver, std::string taker) {
    synchronises_.emplace_back(std::move(giver), std::move(taker));
  }
  void synchronises_all() { synchronises_all_ = true; }

  // How its scenarios are explored, unless the command line says otherwise: {.spurious_wakeups = 1}.
  void explore(ExploreOptions options) { explore_ = std::move(options); }

  // What is no fault of this class.
  void allow_races() { races_ = false; }
  void allow_leaks() { leaks_ = false; }

  // What plumb asks.
  [[nodiscard]] virtual std::unique_ptr<test::Object> make() const = 0;
  // Turns what was named into invocations; an error says what does not fit.
  Status finish();
  [[nodiscard]] const std::string& name() const { return name_; }
  // The class, as the test writes it: what traces call the object.
  [[nodiscard]] const std::string& subject() const { return subject_; }
  void call_subject(std::string subject) { subject_ = std::move(subject); }
  [[nodiscard]] const std::vector<test::Operation>& operations() const { return operations_; }
  [[nodiscard]] const std::vector<test::Invocation>& invocations() const { return invocations_; }
  [[nodiscard]] const std::vector<std::size_t>& invocations_before() const { return before_ids_; }
  [[nodiscard]] const std::vector<std::size_t>& invocations_after() const { return after_ids_; }
  [[nodiscard]] const std::vector<std::vector<std::vector<std::size_t>>>& scenarios() const {
    return scenario_ids_;
  }
  [[nodiscard]] const Model* chosen_model() const { return model_.get(); }
  [[nodiscard]] const std::vector<std::pair<std::string, unsigned>>& relaxed() const { return relaxed_; }
  // Whether the first operation, by its number, is claimed to synchronise with the second.
  [[nodiscard]] bool is_to_synchronise(std::size_t giver, std::size_t taker) const;
  [[nodiscard]] bool claims_synchronisation() const { return synchronises_all_ || !synchronises_.empty(); }
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& synchronises_claims() const {
    return synchronises_;
  }
  [[nodiscard]] bool claims_all_synchronise() const { return synchronises_all_; }
  [[nodiscard]] bool destroys() const { return destroys_after_.has_value(); }
  [[nodiscard]] bool is_lock_free() const { return lock_free_; }
  [[nodiscard]] bool is_obstruction_free() const { return obstruction_free_; }
  [[nodiscard]] const std::optional<ExploreOptions>& explore_options() const { return explore_; }
  [[nodiscard]] bool any_may_fail() const;
  [[nodiscard]] bool races() const { return races_; }
  [[nodiscard]] bool leaks() const { return leaks_; }
  [[nodiscard]] Values& values() const { return *values_; }
  [[nodiscard]] const std::shared_ptr<Values>& shared_values() const { return values_; }
  [[nodiscard]] std::string label(std::size_t invocation) const;  // "push(1)"

 protected:
  // Calls of the operation may fail: with this result, or the one that says so by itself.
  void let_fail(std::size_t operation, Value result, bool only_contended);
  void let_fail(std::size_t operation, bool only_contended);
  // One more way to call the operation, for arguments that were not listed. False: they are not of the right types.
  virtual bool add_invocation(std::size_t operation, std::span<const Value> args) = 0;

  std::vector<test::Operation> operations_;
  std::vector<test::Invocation> invocations_;
  std::mt19937_64 random_;
  std::shared_ptr<Values> values_;
  std::vector<std::string> mistakes_;

 private:
  Status finish_destruction();
  [[nodiscard]] Status check_groups(const std::vector<std::vector<std::size_t>>& threads) const;
  void use_described_model(const std::type_info& type);
  Result<std::size_t> find_operation(const std::string& name) const;
  Result<std::size_t> find(const TestCall& call);

  std::string name_;
  std::string subject_;
  std::shared_ptr<const Model> model_;
  std::vector<std::pair<std::string, unsigned>> relaxed_;
  std::vector<TestCall> before_;
  std::vector<TestCall> after_;
  std::vector<TestMatrix> scenarios_;
  std::vector<std::size_t> before_ids_;
  std::vector<std::size_t> after_ids_;
  std::vector<std::vector<std::vector<std::size_t>>> scenario_ids_;
  std::optional<ExploreOptions> explore_;
  std::vector<std::pair<std::string, std::string>> synchronises_;
  bool synchronises_all_ = false;
  std::optional<std::string> destroys_after_;
  bool lock_free_ = false;
  bool obstruction_free_ = false;
  bool races_ = true;
  bool leaks_ = true;
};

}  // namespace plumb
